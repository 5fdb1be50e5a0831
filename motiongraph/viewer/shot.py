"""What a picture or video drawn off screen shows: what can be asked for, and the batches of every frame of it."""

from dataclasses import dataclass

import numpy as np

from motiongraph.app.library.prepared import prepare
from motiongraph.app.scene.layers import CHOICES
from motiongraph.app.scene.props import Prop, put_beside
from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.viewer.camera import NAMED, Camera
from motiongraph.viewer.draw import layers
from motiongraph.viewer.draw.characters import look_of
from motiongraph.viewer.draw.frame import CLAY, DAY, INK, Backdrop, Batch, Capsules, Solids

BONES = (*CHOICES["bone_style"], "none")
_LARGEST = 8192  # pixels


@dataclass(frozen=True)
class Shot:
    """What a picture shows, and from where. joints, contacts, cloud, floor and shadows are as in `scene.Layers`."""

    size: tuple[int, int] = (1280, 720)  # width, height in pixels
    camera: str | tuple[float, float, float] = "three-quarter"  # of `camera.NAMED`, or yaw, pitch, distance
    flow: int | None = None  # frames between poses that are left standing
    offset: float = 0.0  # metres to push each of those on from the one before
    gap: float = 0.0  # metres to push on what follows a transition of generated motion
    path: bool = False  # whether the way of the root is drawn
    backdrop: Backdrop = DAY
    bones: str = "capsules"  # one of BONES
    joints: bool = False
    contacts: bool = False
    cloud: str = "off"
    floor: str = "checker"
    shadows: bool = True
    props: tuple[Prop, ...] = ()  # those whose x is not a number are put beside the character

    def __post_init__(self):
        if not all(1 <= edge <= _LARGEST for edge in self.size):
            raise MotionError(f"a picture must be 1 to {_LARGEST} pixels wide and high, not {self.size}")
        if isinstance(self.camera, str) and self.camera not in NAMED:
            raise MotionError(f"no camera is called {self.camera!r}; there are {', '.join(NAMED)}")
        if not np.isfinite([self.offset, self.gap, *(() if isinstance(self.camera, str) else self.camera)]).all():
            raise MotionError("the camera's numbers, and the metres poses are pushed apart by, must be finite")
        if self.flow is not None and self.flow < 1:
            raise MotionError(f"a flow picture needs at least 1 frame between poses, not {self.flow}")
        for name, known in (("bones", BONES), ("cloud", CHOICES["cloud"]), ("floor", CHOICES["floor"])):
            if getattr(self, name) not in known:
                raise MotionError(f"{name} can be {', '.join(known)}, not {getattr(self, name)!r}")


def set_up(props: tuple[Prop, ...], root: np.ndarray, camera: Camera) -> tuple[Prop, ...]:
    """Props with a place each: those that have none beside a root (3,), as the camera sees it."""
    standing = [prop for prop in props if np.isfinite(prop.x)]
    found = []
    for prop in props:
        if not np.isfinite(prop.x):
            prop = put_beside(prop, standing, (root[0], root[2]), camera.axes[0].xz)
            standing.append(prop)
        found.append(prop)
    return tuple(found)


def left_standing(clip: Clip, framed: np.ndarray, shot: Shot) -> tuple[np.ndarray, np.ndarray]:
    """The frames of a flow picture's poses, counted from its last, and (F, 3) metres by which each frame of the clip
    is pushed on; zeros without a flow."""
    shifts = np.zeros((len(clip), 3))
    if not shot.flow:
        return framed[-1:], shifts
    standing = framed[(framed[-1] - framed) % shot.flow == 0]
    each = layers.spread(clip.root, standing, shot.offset)
    for axis in (0, 2):  # between two poses the character of a video goes from one's place to the other's
        shifts[framed, axis] = np.interp(framed, standing, each[:, axis])
    shifts[framed] += layers.spread(clip.root, framed, shot.gap, layers.breaks(clip))
    return standing, shifts


class Subject:
    """The character of a clip with all that is asked for beside it. framed: the frames that the camera shows; part:
    those whose way and footprints are seen; standing, shifts: see `left_standing`."""

    def __init__(self, clip: Clip, framed: np.ndarray, part: np.ndarray, shot: Shot):
        self.clip, self.framed, self.part, self.shot = clip, framed, part, shot
        self.look, self.tints = look_of(clip.skeleton), layers.tinted(clip, CLAY)
        self.prepared = prepare(clip)
        self.floor = -self.prepared.lift  # height in metres, so that the soles of the body stand on it
        self.standing, self.shifts = left_standing(clip, framed, shot)
        self.positions, self.orientations = clip.positions() + self.shifts[:, None], clip.orientations()
        self.fixed: list[Batch] = []  # what does not change
        self._bones: Solids | Capsules = (self.look.boxed_bones if shot.bones == "boxes" else self.look.bones)(1)
        self._joints = self.look.joints(1)
        self._planted = layers.planted_marks(len(self.prepared.feet))
        window = 1 if shot.cloud == "pose" else max(round(layers.WINDOW * clip.fps), 1)
        self._cloud = layers.cloud(clip.skeleton, window)
        self._ahead = np.arange(window)
        if shot.path and len(part) > 1:
            self.fixed.append(self._path())
        if shot.contacts:
            self.fixed.append(self._prints())

    def add(self, props: tuple[Prop, ...]) -> None:
        self.fixed += layers.prop_batches(props, self.floor)

    def batches(self, frame: int) -> list[Batch]:
        """All there is to see in a frame."""
        shot, found = self.shot, list(self.fixed)
        here = self.positions[frame]
        if shot.bones != "none" and shot.flow:
            poses = np.append(self.standing[self.standing < frame], frame)
            boxes = shot.bones == "boxes"
            found += layers.flow(
                self.look, self.positions[poses], self.orientations[poses], self.tints[poses], boxes=boxes
            )
        elif shot.bones != "none":
            self.look.fill_bones(self._bones, here, self.orientations[frame], (*self.tints[frame], 1.0))
            found.append(self._bones)
        if shot.joints:
            self.look.fill_joints(self._joints, here, (*layers.lighter(self.tints[frame]), 1.0))
            found.append(self._joints)
        if shot.contacts:
            layers.fill_planted(self._planted, here[self.prepared.feet], self.prepared.planted[frame], self.floor)
            found.append(self._planted)
        if shot.cloud != "off":
            self._cloud.fill(self.positions[np.minimum(frame + self._ahead, self.part[-1])])
            found.append(self._cloud.batch)
        return found

    def _path(self) -> Batch:
        """The way of the root, in another colour where transitions are, broken where they are pushed apart."""
        part = self.part
        joined = ~np.isin(part, layers.breaks(self.clip)) if self.shot.gap else None
        inks = layers.tinted(self.clip, INK)[part]
        return layers.trajectory((self.clip.root + self.shifts)[part], self.floor, inks, joined=joined)

    def _prints(self) -> Batch:
        found = self.prepared.prints.copy()
        found[:, :2] += self.shifts[found[:, 3].astype(int)][:, [0, 2]]
        return layers.prints(found, self.part[0], self.part[-1] + 1, self.floor)
