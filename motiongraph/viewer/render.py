"""Pictures and videos of a clip without a window: `motiongraph render`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy  # whose parts are loaded when first used
from PIL import Image

from motiongraph.app.library.entries import prepare
from motiongraph.app.scene.layers import CHOICES
from motiongraph.app.scene.props import Prop, put_beside
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.metric.metric import Metric
from motiongraph.model import sides
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT, Progress
from motiongraph.viewer.camera import NAMED, Camera
from motiongraph.viewer.draw import layers
from motiongraph.viewer.draw.characters import look_of
from motiongraph.viewer.draw.frame import (
    CLAY,
    DAY,
    INK,
    Backdrop,
    Batch,
    Floor,
    Light,
    SceneFrame,
    reach,
    towards_lamp,
)
from motiongraph.viewer.draw.layers import corners
from motiongraph.viewer.offscreen import offscreen
from motiongraph.viewer.video import VIDEOS, write_video

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
    bones: str = "skin"  # one of BONES
    sides: bool = False  # whether a skin tells left from right
    joints: bool = False
    contacts: bool = False
    cloud: str = "off"
    floor: str = "checker"
    shadows: bool = True
    lamp: tuple[float, float] | None = None  # degrees about the scene and above the horizon; None: beside the camera
    props: tuple[Prop, ...] = ()  # those whose x is not a number are put beside the character

    def __post_init__(self):
        if not all(1 <= edge <= _LARGEST for edge in self.size):
            raise MotionError(f"a picture must be 1 to {_LARGEST} pixels wide and high, not {self.size}")
        if isinstance(self.camera, str) and self.camera not in NAMED:
            raise MotionError(f"no camera is called {self.camera!r}; there are {', '.join(NAMED)}")
        if not np.isfinite([self.offset, self.gap, *(() if isinstance(self.camera, str) else self.camera)]).all():
            raise MotionError("the camera's numbers, and the metres poses are pushed apart by, must be finite")
        if self.lamp is not None and not (np.isfinite(self.lamp).all() and 0 < self.lamp[1] <= 90):
            raise MotionError(f"a lamp is at degrees about the scene and 0 to 90 above the horizon, not {self.lamp}")
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
        self._bones = self.look.bones(1, shot.bones, clip) if shot.bones != "none" else None
        self._joints = self.look.joints(1)
        self._planted = layers.planted_marks(len(self.prepared.feet))
        window = 1 if shot.cloud == "pose" else Metric().frames(clip.fps)
        self._cloud = layers.cloud(Metric(), clip.skeleton, window)
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
            posed = self.positions[poses], self.orientations[poses], self.tints[poses]
            found += layers.flow(self.look, *posed, style=shot.bones, clip=self.clip)
        elif self._bones:
            colour = (*self.tints[frame], 1.0)
            self.look.fill_bones(self._bones, here, self.orientations[frame], colour, shot.sides)
            found.append(self._bones)
        if shot.joints:
            self.look.fill_joints(self._joints, here, (*layers.lighter(self.tints[frame]), 1.0))
            found.append(self._joints)
        if shot.contacts:
            layers.fill_planted(self._planted, here[self.prepared.feet], self.prepared.planted[frame], self.floor)
            found.append(self._planted)
        if shot.cloud != "off":
            window = np.minimum(frame + self._ahead, self.part[-1])
            self._cloud.fill(self.positions[window], self.orientations[window])
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


_FASTEST = {".mp4": 60.0, ".gif": 25.0}  # frames a second where nothing is said; players round GIFs' delays
_STEADY = 0.4  # seconds over which the camera evens out the way of the root
_SUN_BESIDE = 72.0  # degrees between camera and sun, seen from above
_SKIN = 0.12  # metres by which a body is larger than its joints
_PLAIN = Shot()


def render_picture(
    clip: Clip, path: str | Path, frame: int | None = None, frames: slice = slice(None), shot: Shot = _PLAIN
) -> None:
    """A PNG of one frame (the first captured one), or of all poses of a flow picture among `frames`."""
    start, stop = _range(clip, frames)
    if frame is None:
        frame = stop - 1 if shot.flow else start
    elif not -len(clip) <= frame < len(clip):
        raise MotionError(f"{clip.name} has frames 0 to {len(clip) - 1}, and no {frame}")
    frame %= len(clip)
    shown = np.arange(start, frame + 1) if shot.flow and frame > start else np.array([frame])
    (pixels,) = _draw(clip, shown[-1:], shown, np.arange(start, stop) if len(shown) == 1 else shown, shot)
    with writing(path) as file:
        Image.fromarray(pixels).save(file, "PNG")


def render_video(
    clip: Clip,
    path: str | Path,
    frames: slice = slice(None),
    every: int | None = None,
    fps: float | None = None,
    shot: Shot = _PLAIN,
    progress: Progress = SILENT,
) -> None:
    """An MP4 or GIF of the frames, at the speed of the clip.

    every: take one frame in so many; fps: of the video, poses between frames included; both: those frames at that
    rate, whatever the speed. By default as many frames per second as the clip has, 60 (GIF: 25) at the most.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in VIDEOS:
        raise MotionError(f"{path}: a video is an .mp4 or a .gif")
    if ending == ".mp4" and (shot.size[0] % 2 or shot.size[1] % 2):
        raise MotionError(f"an MP4 must be an even number of pixels wide and high, not {shot.size[0]}x{shot.size[1]}")
    start, stop = _range(clip, frames)
    clip = clip[start:stop]
    if every is not None:
        shown, rate = np.arange(0, len(clip), every), fps or clip.fps / every
    else:
        rate = fps or min(clip.fps, _FASTEST[ending])
        clip = clip.resampled(rate)
        shown = np.arange(len(clip))
    whole = np.arange(len(clip))
    pictures = _draw(clip, shown, whole, whole, shot)
    write_video(path, pictures, len(shown), rate, shot.size, progress)


def _range(clip: Clip, frames: slice) -> tuple[int, int]:
    """First frame and the one after the last; an added T-pose is left out unless asked for."""
    start = clip.first if frames.start is None else frames.start
    start, stop, _ = slice(start, frames.stop).indices(len(clip))
    if stop <= start:
        raise MotionError(f"{clip.name} has frames 0 to {len(clip) - 1}; there are none from {start} up to {stop}")
    return start, stop


def _draw(clip: Clip, shown: np.ndarray, framed: np.ndarray, part: np.ndarray, shot: Shot) -> Iterator[np.ndarray]:
    """The picture (height, width, 3) of every frame in `shown`; the camera goes with the root and keeps all of
    `framed` in view as well as it can. part: the frames whose way and footprints are seen."""
    size = shot.size
    with offscreen():
        # PyOpenGL looks for a driver when it is imported: the context must be there first.
        from motiongraph.viewer.draw.renderer import Renderer

        subject = Subject(clip, framed, part, shot)
        camera, way = _camera(subject, stand_still=shot.flow is not None or len(shown) == 1)
        light = (
            Light(towards=towards_lamp(*shot.lamp), shadows=shot.shadows) if shot.lamp else _light(camera, shot.shadows)
        )
        renderer = Renderer(samples=8)
        try:
            for frame in shown.tolist():
                camera.target = way[frame]
                centre = way[frame][0], way[frame][2]
                floor = Floor(subject.floor, shot.floor, centre=centre, reach=reach(camera.distance))
                scene = SceneFrame(subject.batches(frame), light, floor, shot.backdrop)
                renderer.draw([(scene, camera.view((0, 0, *size), size[1] / 720))], size, None)
                yield renderer.read_pixels()
        finally:
            renderer.release()


def _light(camera: Camera, shadows: bool) -> Light:
    """The window's sun, but always over the camera's left shoulder: nobody can walk around a picture to the side that
    is lit, and form and shadow show best from there."""
    x, y, z = Light().towards
    yaw = np.radians(camera.yaw - _SUN_BESIDE)
    level = np.hypot(x, z)
    return Light(towards=(level * np.sin(yaw), y, level * np.cos(yaw)), shadows=shadows)


def _camera(subject: Subject, stand_still: bool) -> tuple[Camera, np.ndarray]:
    """The camera and its target (F, 3) in every frame. The props are set up as it sees them; one that stands still
    shows them too, unless they are as large as a room."""
    clip, shot, framed = subject.clip, subject.shot, subject.framed
    camera = Camera(floor=subject.floor)
    if isinstance(shot.camera, str):
        camera.show(shot.camera, facing(clip, framed))
    else:
        camera.yaw, camera.pitch, _ = shot.camera
    props = set_up(shot.props, clip.root[framed[0]], camera)
    subject.add(props)
    if stand_still:
        way = np.zeros((len(clip), 3))
    else:
        way = scipy.ndimage.gaussian_filter1d(clip.root, _STEADY * clip.fps, axis=0, mode="nearest") * [1.0, 0.0, 1.0]
    seen = subject.standing if shot.flow else framed[:: max(1, len(framed) // 200)]
    body = (subject.positions[seen] - way[seen][:, None]).reshape(-1, 3)
    body = np.concatenate([body + _SKIN * side for side in np.vstack([np.eye(3), -np.eye(3)])])
    body[:, 1] = np.maximum(body[:, 1], subject.floor)
    if stand_still:
        body = np.concatenate([body, *(corners(prop, subject.floor) for prop in props if not prop.is_room)])
    camera.fit(body, shot.size[0] / shot.size[1])
    if not isinstance(shot.camera, str):
        camera.distance = shot.camera[2]
    return camera, way + np.array(camera.target)


def facing(clip: Clip, frames: np.ndarray) -> float:
    """Degrees of yaw that the character faces in the middle of the frames."""
    return sides.facing(clip.skeleton, clip.positions()[frames[len(frames) // 2]])
