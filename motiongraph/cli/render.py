"""`motiongraph render`: pictures and videos of a clip, or of a walk through a graph, drawn off screen as the viewer
draws them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isfinite, nan, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import motiongraph as mg
from motiongraph.cli.console import (
    Force,
    Frames,
    Rate,
    Skeleton,
    Units,
    Up,
    UpAxis,
    positive,
    progress_bar,
    refuse_existing,
    say,
)
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.scene.props import Prop

_CAMERAS = ("front", "side", "top", "three-quarter")


def _size(text: str) -> tuple[int, int]:
    if not re.fullmatch(r"\d{1,5}x\d{1,5}", text):
        raise typer.BadParameter(f"expected a size as in 1280x720, found {text!r}.")
    width, height = map(int, text.split("x"))
    return width, height


def _camera(text: str) -> str | tuple[float, float, float]:
    if text in _CAMERAS:
        return text
    try:
        yaw, pitch, distance = map(float, text.split(","))
    except ValueError:
        words = ", ".join(_CAMERAS)
        raise typer.BadParameter(f"expected {words}, or yaw,pitch,distance in numbers, found {text!r}.") from None
    return yaw, pitch, distance


_BONES = ("skin", "capsules", "boxes", "sticks", "none")


def _one_of(*words: str) -> Callable[[str], str]:
    """A parser that takes one of these words."""

    def parse(text: str) -> str:
        if text not in words:
            raise typer.BadParameter(f"expected {', '.join(words[:-1])} or {words[-1]}, found {text!r}.")
        return text

    return parse


def _lamp(text: str) -> tuple[float, float]:
    try:
        turn, height = map(float, text.split(","))
    except ValueError:
        raise typer.BadParameter(f"expected two numbers of degrees as in -56,53, found {text!r}.") from None
    return turn, height


def _prop(text: str) -> tuple[Path, tuple[float, ...] | None]:
    """A file, and x, z and degrees where they are given."""
    file, _, place = text.rpartition("@")
    if not file:
        return Path(text), None
    try:
        numbers = tuple(map(float, place.split(",")))
    except ValueError:
        numbers = ()
    if len(numbers) not in (2, 3) or not all(map(isfinite, numbers)):
        raise typer.BadParameter(f"expected FILE.obj or FILE.obj@x,z or FILE.obj@x,z,degrees, found {text!r}.")
    return Path(file), (*numbers, 0.0)[:3]


def render(
    source: Annotated[
        Path,
        typer.Argument(metavar="CLIP|GRAPH", help="Clip to draw: .bvh, .amc or .glb; or an .mgraph to walk through."),
    ],
    target: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Write a .png, .mp4 or .gif.")],
    frame: Annotated[
        int | None, typer.Option(metavar="N", help="The frame of a picture. (default: the first captured one)")
    ] = None,
    frames: Frames = None,
    every: Annotated[int | None, typer.Option(min=1, metavar="N", help="One frame in N of a video.")] = None,
    size: Annotated[str, typer.Option(parser=_size, metavar="WxH", help="Pixels across and down.")] = "1280x720",
    camera: Annotated[
        str,
        typer.Option(
            parser=_camera,
            metavar="VIEW",
            help="front, side, top, three-quarter, or yaw,pitch,distance in degrees and metres.",
        ),
    ] = "three-quarter",
    fps: Annotated[
        float | None,
        typer.Option(parser=positive, metavar="N", help="Frames a second of a video. (default: the clip's, up to 60)"),
    ] = None,
    flow: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Leave every Nth pose standing, the older the fainter."),
    ] = None,
    offset: Annotated[
        float, typer.Option(metavar="M", help="Metres to push the poses of --flow apart along their way.")
    ] = 0.0,
    gap: Annotated[
        float, typer.Option(metavar="M", help="Metres to push what follows a transition on, in --flow of a graph.")
    ] = 0.0,
    path: Annotated[bool, typer.Option("--path", metavar="", help="Draw the way of the root on the floor.")] = False,
    bones: Annotated[
        str, typer.Option(parser=_one_of(*_BONES), metavar="AS", help="skin, capsules, boxes, sticks or none.")
    ] = "skin",
    sides: Annotated[
        bool, typer.Option("--sides", metavar="", help="Tint the left and the right of the skin.")
    ] = False,
    joints: Annotated[bool, typer.Option("--joints", metavar="", help="Draw the joints.")] = False,
    contacts: Annotated[
        bool, typer.Option("--contacts", metavar="", help="Mark where feet stood, and which stand now.")
    ] = False,
    cloud: Annotated[
        str,
        typer.Option(
            parser=_one_of("off", "pose", "window"),
            metavar="OF",
            help="The points that the metric compares, of the pose or of the window that begins with it.",
        ),
    ] = "off",
    props: Annotated[
        list[str] | None,
        typer.Option(
            "--prop",
            parser=_prop,
            metavar="OBJ",
            help="Put an .obj into the scene, beside the character or as FILE.obj@x,z or @x,z,degrees; repeatable.",
        ),
    ] = None,
    floor: Annotated[
        str, typer.Option(parser=_one_of("checker", "grid", "none"), metavar="AS", help="checker, grid or none.")
    ] = "checker",
    lamp: Annotated[
        str | None,
        typer.Option(
            parser=_lamp, metavar="TURN,UP", help="Degrees about the scene and above the horizon of the light."
        ),
    ] = None,
    no_shadows: Annotated[bool, typer.Option("--no-shadows", metavar="", help="Without shadows.")] = False,
    night: Annotated[bool, typer.Option("--night", metavar="", help="In dark surroundings.")] = False,
    seconds: Annotated[
        float | None,
        typer.Option(parser=positive, metavar="S", help="Length of the random walk through a graph. (default: 10)"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="The same seed gives the same walk. (default: 0)")
    ] = None,
    skeleton: Skeleton = None,
    units: Units = "auto",
    up: UpAxis = Up.auto,
    rate: Rate = None,
    force: Force = False,
) -> None:
    """Draw a clip off screen: a picture (.png) of one frame or of a whole motion, or a video (.mp4, .gif).

    Needs no display. A video shows the clip at its own speed, unless both --every and --fps are given. Of a graph a
    random walk is drawn, its transitions in another colour; a picture shows two poses a second of it, and its way,
    unless --frame or --flow says otherwise.
    """
    ending = target.suffix.lower()
    if ending not in (".png", ".mp4", ".gif"):
        raise typer.BadParameter(f"expected a .png, .mp4 or .gif, found {target.name!r}.", param_hint="'--output'")
    if ending == ".png" and (every or fps):
        raise typer.BadParameter("--every and --fps are for videos; --flow N draws every Nth pose into one picture.")
    if ending != ".png" and frame is not None:
        raise typer.BadParameter("--frame is for pictures; --frames A:B chooses those of a video.")
    is_graph = source.suffix.lower() == ".mgraph"
    misplaced = {"--seconds": seconds is not None, "--seed": seed is not None, "--gap": gap != 0.0}
    if is_graph:
        misplaced = {"--skeleton": skeleton is not None, "--units": units != "auto", "--up": up is not Up.auto}
        misplaced["--rate"] = rate is not None
    for name, given in misplaced.items():
        if given:
            raise typer.BadParameter(f"{name} is for {'clips' if is_graph else 'graphs'}.")
    refuse_existing([target], force)
    if not target.parent.is_dir():
        raise MotionError(f"{target}: there is no folder {target.parent}")

    from motiongraph.viewer.draw.frame import DAY, NIGHT
    from motiongraph.viewer.render import Shot, render_picture, render_video

    pixels = size if isinstance(size, tuple) else _size(size)
    shot = Shot(pixels, camera, flow, offset, gap, path, NIGHT if night else DAY)
    more = {"bones": bones, "sides": sides, "joints": joints, "contacts": contacts, "cloud": cloud, "floor": floor}
    shot = replace(shot, **more, shadows=not no_shadows, lamp=lamp, props=_read_props(props or ()))
    if is_graph:
        clip = _walked(source, seconds or 10.0, seed or 0, target.stem)
        if ending == ".png" and frame is None and flow is None:
            shot = replace(shot, flow=max(round(clip.fps / 2), 1), path=True)
    else:
        clip = mg.load(source, skeleton=skeleton, units=units, up=up.value, fps=rate)
    frames = frames or slice(None)
    if ending == ".png":
        render_picture(clip, target, frame, frames, shot)
        return
    with progress_bar() as progress:
        render_video(clip, target, frames, every, fps, shot, progress)


def _read_props(requests: Iterable[Any]) -> "tuple[Prop, ...]":
    """The props asked for, as `_prop` reads them; those without a place are still to be put beside the character."""
    from motiongraph.app.scene.props import mesh_prop, read_mesh

    found = []
    for number, (path, place) in enumerate(requests, start=1):
        mesh, said = read_mesh(path)
        if said:
            say(said)
        x, z, degrees = place or (nan, nan, 0.0)
        found.append(mesh_prop(number, mesh, path, x=x, z=z, turn=radians(degrees)))
    return tuple(found)


def _walked(source: Path, seconds: float, seed: int, name: str) -> "mg.Clip":
    """The motion of a random walk through the part of a graph where motion never ends."""
    from motiongraph.walks.floor_path import without_dead_ends

    return mg.synthesize(mg.random_walk(without_dead_ends(mg.MotionGraph.load(source)), seconds, seed), name=name)
