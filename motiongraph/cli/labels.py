"""`motiongraph labels`: what clips show, proposed from their motion, and which of them to take."""

from pathlib import Path
from typing import Annotated

import typer

from motiongraph.cli.console import Force, print_json, printable, progress_bar, refuse_existing, say
from motiongraph.errors import MotionError


def labels(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Clips and folders of clips.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="TOML", help="Write them as a labels.toml, to be edited.")
    ] = None,
    choose: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the N clips that cover speeds and turns best.")
    ] = None,
    contacts: Annotated[
        bool, typer.Option("--contacts", metavar="", help="Write when each foot stands, too, to be corrected.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Propose labels for clips: walk, run, stand, turn-left, turn-right, jump, sit, backwards, sidestep.

    They are told from speed, turning, posture and feet in the air, and are proposals: look them over.
    """
    from motiongraph.formats.collection import load_all
    from motiongraph.formats.labels_file import entries_of, write_labels
    from motiongraph.walks.auto_labels import choose_clips, propose_labels

    refuse_existing([output], force)
    failed = []

    def fail(path: Path, problem: MotionError) -> None:
        failed.append(problem)
        say(str(problem))

    with progress_bar() as progress:
        clips = load_all(paths, progress, fail)
        if not clips:
            raise MotionError("there is no clip to look at")
        if choose is not None:
            clips = [clips[k] for k in choose_clips(clips, choose)]
        proposed = []
        for number, clip in enumerate(clips):
            progress(number, len(clips), clip.name)
            proposed.append(propose_labels(clip))
    if as_json:
        rows = [{"name": c.name, "path": str(c.file), "labels": p.spans()} for c, p in zip(clips, proposed)]
        print_json({"clips": rows, "failed": list(map(str, failed))})
    else:
        for clip, found in zip(clips, proposed):
            shares = ", ".join(f"{word} {found.at(word)[clip.first :].mean():.0%}" for word in found)
            typer.echo(printable(f"{clip.name}: {shares or 'nothing recognised'}"))
    if output is not None:
        folder = output.absolute().parent
        lines = []
        for clip, found in zip(clips, proposed):
            assert clip.file is not None, "it was read from a file"
            planted = clip.with_contacts(clip.contacts()).planted if contacts else None
            lines += entries_of(Path(clip.file), folder, clip.first, len(clip), found, planted=planted)
        write_labels(lines, output)
        say(f"wrote {output}")
    if failed:
        raise typer.Exit(1)
