"""ASF skeletons as they are written: units, root, bones, hierarchy; `asf_parser.py` reads them.

A bone's transform is parent · offset · C · R · C⁻¹ (dissertation 4.1), C from its `axis`. Rotations, in `axis` and
in `dof` alike, are applied in the order in which they are listed: `XYZ` and `rx ry rz` are both Rz·Ry·Rx. The root
follows the same rule with the rotations of its `order`, and takes its C from `orientation` and `axis`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiongraph import rotations as rot
from motiongraph.formats.channels import Channels
from motiongraph.model.skeleton import Skeleton


@dataclass(frozen=True)
class Asf:
    """What an ASF says, in its own order and units. Index 0 of everything is the root, then come its B − 1 bones."""

    names: tuple[str, ...]  # B
    parents: np.ndarray  # (B,) index, root −1, depth first, parents before their children
    directions: np.ndarray  # (B, 3) unit vectors
    lengths: np.ndarray  # (B,) file units
    axes: np.ndarray  # (B, 3) file angles
    orders: tuple[str, ...]  # of the axes: "XYZ" each
    dofs: tuple[tuple[str, ...], ...]  # ("rx", "rz") each
    limits: tuple[tuple[tuple[float, float], ...], ...]  # (low, high) of every degree of freedom, or () for none
    position: np.ndarray  # (3,) the root's, file units
    length_unit: float = 1.0
    mass_unit: float = 1.0
    degrees: bool = True  # or radians

    @property
    def metres(self) -> float:
        """Metres in one unit of length: CMU's lengths are inches times the `length` unit."""
        return 0.0254 / self.length_unit

    @cached_property
    def joints(self) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
        """Names, parents, offsets (file units) of the joints, depth first, and for each its bone or −1.

        A joint sits where its bone begins, which is where its parent's bone ends; a leaf bone has an end joint too.
        """
        tips = self.directions * self.lengths[:, None]
        taken = {n.lower() for n in self.names}
        parental = set(self.parents.tolist())
        names, parents, offsets, bones = [], [], [], []
        where = np.zeros(len(self.names), int)
        for b, name in enumerate(self.names):  # an Asf lists its bones depth first
            where[b] = len(names)
            names.append(name)
            parents.append(where[self.parents[b]] if b else -1)
            offsets.append(tips[self.parents[b]] if b else np.zeros(3))
            bones.append(b)
            if b and b not in parental:
                end = f"{name}_end"
                while end.lower() in taken:
                    end += "_"
                names.append(end)
                parents.append(where[b])
                offsets.append(tips[b])
                bones.append(-1)
        return tuple(names), np.array(parents), np.array(offsets), np.array(bones)

    def skeleton(self, basis: np.ndarray, scale: float) -> Skeleton:
        """The joints in metres, turned by the quaternion `basis`; the same one for every motion of the skeleton."""
        key = basis.tobytes(), scale
        if key not in self._skeletons:
            names, parents, offsets, _ = self.joints
            self._skeletons[key] = Skeleton(names, parents, rot.rotate(basis, offsets * scale))
        return self._skeletons[key]

    @cached_property
    def _skeletons(self) -> dict[tuple[bytes, float], Skeleton]:
        return {}

    @cached_property
    def plain_table(self) -> tuple[list[bytes], np.ndarray, np.ndarray]:
        """`table` for names without any but plain letters."""
        return self.table([name.encode() for name in self.names])

    def table(self, names: list[bytes]) -> tuple[list[bytes], np.ndarray, np.ndarray]:
        """Names as a file has them, in lower case; the same, one after the other, as numbers; and (B, 5) of each bone:
        where its name starts, its length, its first column, how many columns it has; and the bones by name."""
        names, counts = [name.lower() for name in names], [len(dof) for dof in self.dofs]
        bones = np.zeros((len(names), 5), np.int64)
        bones[:, 1] = [len(name) for name in names]
        bones[1:, 0] = np.cumsum(bones[:-1, 1])
        bones[1:, 2] = np.cumsum(counts[:-1])
        bones[:, 3] = counts
        bones[:, 4] = sorted(range(len(names)), key=names.__getitem__)
        return names, np.frombuffer(b"".join(names), np.uint8), bones

    @cached_property
    def bones(self) -> dict[str, int]:
        """Name in lower case → bone."""
        return {name.lower(): bone for bone, name in enumerate(self.names)}

    @cached_property
    def channels(self) -> dict[bool, Channels]:
        """What the columns of a frame mean, for an AMC in degrees (True) and in radians (False)."""
        return {True: self._layout(True), False: self._layout(False)}

    @cached_property
    def joint_channels(self) -> dict[bool, Channels]:
        """The same for joints instead of bones."""
        return {degrees: channels.of_joints(self.joints[3]) for degrees, channels in self.channels.items()}

    def _layout(self, degrees: bool) -> Channels:
        """Which column of a frame, bones in our order, belongs to which bone and axis; `l` has no axis."""
        bones = len(self.names)
        turns, axes, places = (np.full((bones, 3), fill, np.int64) for fill in (-1, 0, -1))
        column = 0
        for b, dof in enumerate(self.dofs):
            listed = [(column + i, "xyz".index(d[1])) for i, d in enumerate(dof) if d[0] == "r"]
            for k, (at, axis) in enumerate(reversed(listed)):
                turns[b, k], axes[b, k] = at, axis
            for i, d in enumerate(dof):
                if d[0] == "t":
                    places[b, "xyz".index(d[1])] = column + i
            column += len(dof)
        unit = 1.0 if self.degrees else np.degrees(1.0)
        angles = np.radians(self.axes * unit)
        frames = np.empty((bones, 4))
        for order in set(self.orders):
            same = [b for b in range(bones) if self.orders[b] == order]
            applied_last_first = [rot.AXES[c] for c in reversed(order)]
            frames[same] = rot.from_euler(angles[same][:, applied_last_first], order[::-1])
        return Channels(turns, axes, places, frames, 1.0 if degrees else np.degrees(1.0))

    @cached_property
    def stretches(self) -> dict[int, int]:
        """Bone → column of its `l` channel."""
        found, column = {}, 0
        for b, dof in enumerate(self.dofs):
            if "l" in dof:
                found[b] = column + dof.index("l")
            column += len(dof)
        return found


def format_asf(asf: Asf, name: str) -> str:
    """The text of an ASF file."""

    def numbers(values: np.ndarray) -> str:
        return " ".join(f"{v:.12g}" for v in values)

    lines = ["# ASF file written by motiongraph", ":version 1.10", f":name {name}", ":units"]
    lines += [f"  mass {asf.mass_unit:.12g}", f"  length {asf.length_unit:.12g}"]
    lines += [
        f"  angle {'deg' if asf.degrees else 'rad'}",
        ":documentation",
        "   bones in the rest pose, y up",
        ":root",
    ]
    lines += [f"   order {' '.join(asf.dofs[0]).upper()}", f"   axis {asf.orders[0]}"]
    lines += [f"   position {numbers(asf.position)}", f"   orientation {numbers(asf.axes[0])}", ":bonedata"]
    for b in range(1, len(asf.names)):
        lines += [
            "  begin",
            f"     id {b}",
            f"     name {asf.names[b]}",
            f"     direction {numbers(asf.directions[b])}",
        ]
        lines += [f"     length {asf.lengths[b]:.12g}", f"     axis {numbers(asf.axes[b])}  {asf.orders[b]}"]
        if asf.dofs[b]:
            lines.append(f"    dof {' '.join(asf.dofs[b])}")
        for k, (low, high) in enumerate(asf.limits[b][: len(asf.dofs[b])]):
            lines.append(f"    {'limits' if k == 0 else '      '} ({low:.12g} {high:.12g})")
        lines.append("  end")
    lines += [":hierarchy", "  begin"]
    for p in range(len(asf.names)):
        children = [asf.names[c] for c in np.flatnonzero(asf.parents == p)]
        if children:
            lines.append(f"    {asf.names[p]} {' '.join(children)}")
    return "\n".join([*lines, "  end"]) + "\n"
