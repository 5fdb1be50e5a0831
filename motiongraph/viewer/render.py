"""Pictures and videos of a clip without a window: `motiongraph render`."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.model.clip import Clip
from motiongraph.model.sides import pairs
from motiongraph.progress import SILENT, Progress
from motiongraph.viewer.camera import NAMED, Camera
from motiongraph.viewer.draw.frame import DAY, Backdrop, Floor, Light, SceneFrame
from motiongraph.viewer.draw.palette import CLAY, INK
from motiongraph.viewer.offscreen import offscreen

VIDEOS = (".mp4", ".gif")
_FASTEST = {".mp4": 60.0, ".gif": 25.0}  # frames a second where nothing is said; players round GIFs' delays
_STEADY = 0.4  # seconds over which the camera evens out the way of the root
_SKIN = 0.12  # metres by which a body is larger than its joints
_SUN_BESIDE = 72.0  # degrees between camera and sun, seen from above
_LARGEST = 8192  # pixels


@dataclass(frozen=True)
class Shot:
    """size: width, height in pixels; camera: a name of `camera.NAMED` or (yaw, pitch, distance) in degrees and metres;
    flow: None, or the frames between poses that are left standing; offset: metres to push each on from the one before;
    gap: metres to push what follows a transition of made motion on; path: whether the way of the root is drawn."""

    size: tuple[int, int] = (1280, 720)
    camera: str | tuple[float, float, float] = "three-quarter"
    flow: int | None = None
    offset: float = 0.0
    gap: float = 0.0
    path: bool = False
    backdrop: Backdrop = DAY

    def __post_init__(self):
        if not all(1 <= edge <= _LARGEST for edge in self.size):
            raise MotionError(f"a picture must be 1 to {_LARGEST} pixels wide and high, not {self.size}")
        if isinstance(self.camera, str) and self.camera not in NAMED:
            raise MotionError(f"no camera is called {self.camera!r}; there are {', '.join(NAMED)}")
        if self.flow is not None and self.flow < 1:
            raise MotionError(f"a flow picture needs at least 1 frame between poses, not {self.flow}")


_PLAIN = Shot()


def render_picture(clip: Clip, path, frame: int | None = None, frames: slice = slice(None), shot: Shot = _PLAIN):
    """A PNG of one frame (the first captured one), or of all poses of a flow picture among `frames`."""
    start, stop = _range(clip, frames)
    if frame is None:
        frame = stop - 1 if shot.flow else start
    elif not -len(clip) <= frame < len(clip):
        raise MotionError(f"{clip.name} has frames 0 to {len(clip) - 1}, and no {frame}")
    frame %= len(clip)
    shown = np.arange(start, frame + 1) if shot.flow and frame > start else np.array([frame])
    (pixels,) = _draw(clip, shown[-1:], shown, shot)
    from PIL import Image

    with writing(path) as file:
        Image.fromarray(pixels).save(file, "PNG")


def render_video(
    clip: Clip,
    path,
    frames: slice = slice(None),
    every: int | None = None,
    fps: float | None = None,
    shot: Shot = _PLAIN,
    progress: Progress = SILENT,
):
    """An MP4 or GIF of the frames, at the speed of the clip.

    every: take one frame in so many; fps: of the video, poses between frames included; both: those frames at that
    rate, whatever the speed. By default as many frames a second as the clip has, 60 (GIF: 25) at the most.
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
    pictures = _draw(clip, shown, np.arange(len(clip)), shot)
    with tempfile.TemporaryDirectory() as folder:
        unfinished = Path(folder) / f"video{ending}"
        encode(unfinished, pictures, len(shown), rate, shot.size, progress)
        with writing(path) as file, unfinished.open("rb") as finished:
            shutil.copyfileobj(finished, file)


def _range(clip: Clip, frames: slice) -> tuple[int, int]:
    """First frame and the one after the last; an added T-pose is left out unless asked for."""
    start = clip.first if frames.start is None else frames.start
    start, stop, _ = slice(start, frames.stop).indices(len(clip))
    if stop <= start:
        raise MotionError(f"{clip.name} has frames 0 to {len(clip) - 1}; there are none from {start} up to {stop}")
    return start, stop


def _draw(clip: Clip, shown: np.ndarray, framed: np.ndarray, shot: Shot) -> Iterator[np.ndarray]:
    """The picture (height, width, 3) of every frame in `shown`; the camera goes with the root and keeps all of
    `framed` in view as well as it can."""
    positions, orientations = clip.positions(), clip.orientations()
    size = shot.size
    with offscreen():
        from motiongraph.viewer.draw import layers  # these need OpenGL and compiled code
        from motiongraph.viewer.draw.characters import look_of
        from motiongraph.viewer.draw.scene import Renderer

        look, tints = look_of(clip.skeleton), layers.tinted(clip, CLAY)
        bones = look.bones(1)
        standing, shifts = left_standing(clip, framed, shot)
        stand_still = shot.flow is not None or len(shown) == 1
        seen = standing if shot.flow else framed[:: max(1, len(framed) // 200)]
        camera, way = _camera(clip, framed, seen, shifts, shot, stand_still)
        light = _light(camera)
        renderer = Renderer(samples=8)
        try:
            for frame in shown.tolist():
                camera.target = way[frame]
                floor = Floor(height=clip.floor, centre=(way[frame][0], way[frame][2]), reach=_reach(camera))
                if shot.flow:
                    poses = np.append(standing[standing < frame], frame)
                    batches = layers.flow(look, positions[poses], orientations[poses], tints[poses], shifts[poses])
                else:
                    look.fill_bones(bones, positions[frame], orientations[frame], (*tints[frame], 1.0))
                    batches = [bones]
                if shot.path and len(framed) > 1:
                    joined = ~np.isin(framed, layers.breaks(clip)) if shot.gap else None
                    way_gone, inks = (clip.root + shifts)[framed], layers.tinted(clip, INK)[framed]
                    batches = [*batches, layers.trajectory(way_gone, clip.floor, inks, joined=joined)]
                scene = SceneFrame(batches, light, floor, shot.backdrop)
                renderer.draw([(scene, camera.view((0, 0, *size), size[1] / 720))], size, None)
                yield renderer.read_pixels()
        finally:
            renderer.release()


def left_standing(clip: Clip, framed: np.ndarray, shot: Shot) -> tuple[np.ndarray, np.ndarray]:
    """The frames of a flow picture's poses, counted from its last, and (F, 3) metres by which each frame of the clip
    is pushed on; nothing is, where there is no flow."""
    from motiongraph.viewer.draw.layers import breaks, spread

    shifts = np.zeros((len(clip), 3))
    if not shot.flow:
        return framed[-1:], shifts
    standing = framed[(framed[-1] - framed) % shot.flow == 0]
    each = spread(clip.root, standing, shot.offset)
    for axis in (0, 2):  # between two poses the character of a video goes from one's place to the other's
        shifts[framed, axis] = np.interp(framed, standing, each[:, axis])
    shifts[framed] += spread(clip.root, framed, shot.gap, breaks(clip))
    return standing, shifts


def _light(camera: Camera) -> Light:
    """The sun over the camera's left shoulder, wherever it stands: form and shadow show best from there."""
    x, y, z = Light().towards
    yaw = np.radians(camera.yaw - _SUN_BESIDE)
    level = np.hypot(x, z)
    return Light(towards=(level * np.sin(yaw), y, level * np.cos(yaw)))


def _reach(camera: Camera) -> float:
    """Metres at which the floor has faded: farther for a camera that stands farther away."""
    return max(22.0, 4.0 * camera.distance)


def _camera(clip: Clip, framed, seen, shifts, shot: Shot, stand_still: bool) -> tuple[Camera, np.ndarray]:
    """The camera and its target (F, 3) in every frame; seen: the frames, each pushed on by its `shifts`, that it must
    show."""
    positions = clip.positions()
    camera = Camera(floor=clip.floor)
    if isinstance(shot.camera, str):
        camera.show(shot.camera, facing(clip, framed))
    else:
        camera.yaw, camera.pitch, _ = shot.camera
    if stand_still:
        way = np.zeros((len(clip), 3))
    else:
        from scipy.ndimage import gaussian_filter1d

        way = gaussian_filter1d(clip.root, _STEADY * clip.fps, axis=0, mode="nearest") * [1.0, 0.0, 1.0]
    body = positions[seen] + (shifts - way)[seen][:, None]
    body = np.concatenate([body.reshape(-1, 3) + _SKIN * side for side in np.vstack([np.eye(3), -np.eye(3)])])
    body[:, 1] = np.maximum(body[:, 1], clip.floor)
    camera.fit(body, shot.size[0] / shot.size[1])
    if not isinstance(shot.camera, str):
        camera.distance = shot.camera[2]
    return camera, way + camera.target


def facing(clip: Clip, frames: np.ndarray) -> float:
    """Degrees of yaw that the character faces in the middle of the frames: a quarter turn on from its left side."""
    sides = pairs(clip.skeleton)
    if not len(sides):
        return 0.0
    pose = clip.positions()[frames[len(frames) // 2]]
    left = (pose[sides[:, 0]] - pose[sides[:, 1]]).mean(axis=0)
    return float(np.degrees(np.arctan2(-left[2], left[0])))


def encode(path: Path, pictures, count: int, fps: float, size: tuple[int, int], progress: Progress) -> None:
    """Write pictures (height, width, 3) as a video, as they come."""
    import imageio_ffmpeg

    if path.suffix == ".gif":
        colours = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"
        how = {"codec": "gif", "pix_fmt_out": "pal8", "output_params": ["-filter_complex", colours, "-loop", "0"]}
    else:
        # The colours are named: without that, players guess another matrix for small pictures.
        options = ["-crf", "17", "-movflags", "+faststart", "-vf", "scale=out_color_matrix=bt709"]
        for what in ("-colorspace", "-color_primaries", "-color_trc"):
            options += [what, "bt709"]
        how = {"codec": "libx264", "pix_fmt_out": "yuv420p", "output_params": options}
    try:
        writer = imageio_ffmpeg.write_frames(
            str(path), size, fps=fps, quality=None, macro_block_size=1, ffmpeg_log_level="error", **how
        )
        writer.send(None)
    except (RuntimeError, OSError) as problem:
        raise MotionError(f"videos need ffmpeg, which could not be started: {problem}") from problem
    try:
        for done, pixels in enumerate(pictures):
            progress(done, count, f"frame {done + 1} of {count}")
            writer.send(pixels)
    except OSError as problem:
        raise MotionError(f"ffmpeg stopped: {problem}") from problem
    finally:
        writer.close()
    progress(count, count, "done")
