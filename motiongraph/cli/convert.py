"""`motiongraph convert`: a clip from one file format to another, cut, mirrored or at another rate on the way."""

from enum import StrEnum
from math import isfinite, radians
from pathlib import Path
from typing import Annotated

import typer

import motiongraph as mg
from motiongraph.cli.console import (
    BoneMap,
    Force,
    Frames,
    Rate,
    Skeleton,
    Units,
    Up,
    UpAxis,
    positive,
    refuse_existing,
    say,
)


class Root(StrEnum):
    accumulate = "accumulate"
    in_place = "in-place"
    fixed = "fixed"
    path = "path"
    straight = "straight"


def _degrees(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise typer.BadParameter(f"expected a number of degrees, found {text!r}.")
    return number


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Clip to read: .bvh, .amc, .glb or .gltf.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .bvh, .amc (and its .asf), .glb, .usda or .usdc.")
    ],
    fps: Annotated[
        float | None, typer.Option(parser=positive, metavar="N", help="Resample to this many frames a second.")
    ] = None,
    mirror: Annotated[bool, typer.Option("--mirror", metavar="", help="Exchange left and right.")] = False,
    frames: Frames = None,
    root: Annotated[
        Root, typer.Option(help="Lead the root as it goes, on the spot, held still, along another clip or straight on.")
    ] = Root.accumulate,
    direction: Annotated[
        float, typer.Option(parser=_degrees, metavar="DEG", help="For --root straight: 0 goes along z, 90 along x.")
    ] = 0.0,
    along: Annotated[Path | None, typer.Option(metavar="CLIP", help="For --root path: the clip that leads.")] = None,
    onto: Annotated[
        Path | None, typer.Option(metavar="CLIP", help="Put the motion on the body of another clip, bone by bone.")
    ] = None,
    bones: BoneMap = None,
    save_map: Annotated[
        Path | None, typer.Option(metavar="TOML", help="Write which joint moves which, to be corrected for --map.")
    ] = None,
    skeleton: Skeleton = None,
    units: Units = "auto",
    up: UpAxis = Up.auto,
    rate: Rate = None,
    force: Force = False,
) -> None:
    """Convert a clip to another format, or change it on the way.

    Frames are cut first, by their numbers in IN; then the clip is mirrored; then it is resampled; then it is put on
    another body; then its root is led elsewhere.
    """
    if along is not None and root is not Root.path:
        raise typer.BadParameter("a clip that leads needs --root path.", param_hint="'--along'")
    from motiongraph.formats.save import files_written

    if onto is None and (bones is not None or save_map is not None):
        raise typer.BadParameter("a map of bones needs another body: --onto CLIP.", param_hint="'--map'")
    targets = files_written(target)
    refuse_existing([*targets, save_map], force)
    clip = mg.load(source, units=units, up=up.value, skeleton=skeleton, fps=rate)
    if frames is not None:
        clip = clip[frames]
    if mirror:
        clip = clip.mirrored()
    if fps is not None:
        clip = clip.resampled(fps)
    if onto is not None:
        clip = _put_on(clip, mg.load(onto), bones, save_map)
    if root is not Root.accumulate:
        path = along and mg.load(along, units=units, up=up.value, skeleton=skeleton, fps=rate).resampled(clip.fps)
        clip = mg.rooted(clip, root.value.replace("-", " "), radians(direction), path)
    mg.save(clip, target)
    say(f"wrote {' and '.join(map(str, targets))}: {len(clip)} frames, {clip.fps:g} Hz, {clip.duration:.2f} s")


def _put_on(clip: "mg.Clip", other: "mg.Clip", bones: Path | None, save_map: Path | None) -> "mg.Clip":
    """The motion on another clip's body; joints that nothing moves, and motion that is lost, are said."""
    from motiongraph.formats.labels_file import read_bones, write_bones

    pairs = None
    if bones is not None or save_map is not None or set(clip.skeleton.names) != set(other.skeleton.names):
        pairs = mg.bone_map(clip.skeleton, other.skeleton, bones and read_bones(bones))
        for joints, fate in ((pairs.without_source, "keep still"), (pairs.unused, "are left out")):
            joints = [name for name in joints if not name.endswith("_end")]
            if joints:
                say(f"{', '.join(joints[:8])}{f' and {len(joints) - 8} more' if len(joints) > 8 else ''} {fate}")
        if save_map is not None:
            write_bones({joint: pairs.pairs.get(joint, "") for joint in other.skeleton.names}, save_map)
    return clip.retargeted(other.skeleton, pairs, standing=other)
