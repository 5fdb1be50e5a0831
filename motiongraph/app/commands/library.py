"""Asking for clips. clip: the number an entry has in the library."""

from pathlib import Path

from motiongraph.app.commands.base import command


@command
class OpenPaths:
    """Files, folders or a labels.toml."""

    paths: tuple[Path, ...]


@command
class OpenSamples: ...


@command
class FetchCmu:
    subject: int
    trials: tuple[int, ...] = ()
    folder: Path | None = None


@command
class RemoveClip:
    clip: int


@command
class RemoveAll: ...


@command
class SelectClip:
    """Show this clip in a track, or in the one in hand."""

    clip: int
    track: int | None = None


@command
class SelectNext:
    """The next clip of the library, or the one before."""

    step: int = 1


@command
class UseClip:
    """Whether a clip takes part in graphs and crowds; clip None means all of them."""

    clip: int | None
    used: bool


@command
class SetLabels:
    """Words for frames start to stop (all of the clip where None); `labels` replaces what held there. keep: except for
    words that hold in a part of these frames only."""

    clip: int
    labels: tuple[str, ...]
    start: int | None = None
    stop: int | None = None
    keep: bool = False


@command
class RemoveLabel:
    """A word holds in frames start to stop no more."""

    clip: int
    label: str
    start: int
    stop: int


@command
class Trim:
    """Use only frames start to stop (not included)."""

    clip: int
    start: int
    stop: int


@command
class MirrorClip:
    """Add the clip with left and right exchanged."""

    clip: int


@command
class SaveLabels:
    """Write a labels.toml of the ticked clips; force: also over a file that is there."""

    path: Path
    force: bool = False


@command
class SaveClip:
    """Write a clip, as trimmed, as .bvh, .amc or .glb."""

    clip: int
    path: Path
