"""Looking at one transition: what comes before it, the blend, and what comes after, as made motion that the next
preview replaces."""

import numpy as np

from motiongraph.app.results import Made, show_made

LEAD = 1.5  # seconds played before and after


def around(clips, window: int, fps: float, row, seconds: float = LEAD):
    """The walk of two steps through a transition. row: a TRANSITION between `clips`; seconds: before and after it."""
    from motiongraph.walks.walk import STEP, Walk

    lead = round(seconds * fps)
    a, b = clips[row["src"]], clips[row["dst"]]
    leaves, arrives = int(row["src_frame"]), int(row["dst_frame"]) + window
    steps = np.array(
        [
            (row["src"], max(leaves - lead, a.first), leaves),
            (row["dst"], arrives, min(arrives + lead, len(b))),
        ],
        STEP,
    )
    return Walk(tuple(clips), window, fps, steps, np.array([row]), "preview")


def preview(state, walk, entries=(), graph=None) -> None:
    """Make the motion of a walk beside the loop and play it as a preview; entries, graph: see `results.Made`."""
    jump = walk.transitions[0] if len(walk.transitions) else None
    first = walk.clips[walk.steps["clip"][0]].name
    name = first if jump is None else f"{first} → {walk.clips[jump['dst']].name}"

    def work(progress, deliver):
        from motiongraph.app.prepared import prepare
        from motiongraph.synthesis.synthesize import synthesize

        progress(0, 2, name)
        clip = synthesize(walk, name=name)
        progress(1, 2, name)
        deliver((clip, prepare(clip)))

    def then(result):
        made = Made(walk, "preview", report=walk.report(), entries=tuple(entries), graph=graph, preview=True)
        show_made(state, *result, made)

    state.jobs.start("preview", f"blending {name}", work, then)
