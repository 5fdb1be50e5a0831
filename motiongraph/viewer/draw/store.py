"""The rows of batches on the graphics card: uploaded when their version changes, released when no longer drawn."""

from dataclasses import dataclass, field

import numpy as np

from motiongraph.model.body_surface import Skin
from motiongraph.model.mesh import Mesh
from motiongraph.viewer.draw.frame import Batch, Capsules, Skins, Solids
from motiongraph.viewer.gl.buffers import Geometry, Rows
from motiongraph.viewer.matrices import dvec3

_PATIENCE = 90  # frames a batch may be no part of the picture before its buffer is given up, when next looked through
_LOOK = 10  # frames between looks


@dataclass
class Stored:
    """A batch on the card."""

    rows: Rows
    version: int = -1  # of the batch, when it was uploaded
    count: int = -1  # rows that are drawn
    drawn: int = 0  # the frame in which it was drawn last
    low: dvec3 = field(default_factory=dvec3)  # corners of the box around it, metres
    high: dvec3 = field(default_factory=dvec3)


class Store:
    """Owns the buffers of all batches and meshes."""

    def __init__(self):
        self._batches: dict[Batch, Stored] = {}
        self._meshes: dict[Mesh | Skin, tuple[Geometry, int]] = {}
        self._frame = 0
        self._picture = 0  # the frame in which the picture was drawn that is shown

    def begin(self, anew: bool) -> None:
        """A new frame, for which the picture is drawn anew or kept: forget what has been no part of it for a while."""
        self._frame += 1
        if anew:
            self._picture = self._frame
        if self._frame % _LOOK:
            return
        for batch in [b for b, s in self._batches.items() if self._left(s.drawn)]:
            self._batches.pop(batch).rows.release()
        for mesh in [m for m, (_, drawn) in self._meshes.items() if self._left(drawn)]:
            self._meshes.pop(mesh)[0].release()

    def _left(self, drawn: int) -> bool:
        """Whether what was last drawn then can be given up."""
        return drawn != self._picture and self._frame - drawn > _PATIENCE

    def ready(self, batch: Batch) -> Stored:
        """The batch as it is now, on the card."""
        stored = self._batches.get(batch)
        if stored is None:
            stored = self._batches[batch] = Stored(Rows())
        stored.drawn = self._picture
        if stored.version != batch.version or stored.count != len(batch):
            stored.version, stored.count = batch.version, len(batch)
            stored.rows.upload(batch.rows, stored.count)
            box = bounds(batch, batch.rows[: stored.count]) if batch.box is None else batch.box
            stored.low, stored.high = dvec3(box[0]), dvec3(box[1])
        return stored

    def geometry(self, mesh: Mesh | Skin) -> Geometry:
        """A mesh from outside, or a level of a body's skin, on the card."""
        geometry = self._meshes[mesh][0] if mesh in self._meshes else Geometry(mesh)
        self._meshes[mesh] = geometry, self._picture
        return geometry

    def release(self) -> None:
        for stored in self._batches.values():
            stored.rows.release()
        for geometry, _ in self._meshes.values():
            geometry.release()
        self._batches.clear()
        self._meshes.clear()


def bounds(batch: Batch, rows: np.ndarray) -> np.ndarray:
    """(2, 3) corners of a box that holds everything in the rows; for none of them, an empty box."""
    if not len(rows) or isinstance(batch, Skins):  # whose box is worked out when they are filled
        return np.array([[np.inf] * 3, [-np.inf] * 3])
    least, most = rows.min(axis=0), rows.max(axis=0)
    if isinstance(batch, Capsules):
        reach = max(most[3], most[7])
        return np.stack([np.minimum(least[:3], least[4:7]) - reach, np.maximum(most[:3], most[4:7]) + reach])
    if isinstance(batch, Solids):
        extent = batch.shape.extent if isinstance(batch.shape, Mesh) else 0.87  # half of a cube's diagonal
        reach = extent * max(np.abs(least[8:11]).max(), np.abs(most[8:11]).max())
        return np.stack([least[:3] - reach, most[:3] + reach])
    return np.stack([least[:3] - most[3], most[:3] + most[3]])
