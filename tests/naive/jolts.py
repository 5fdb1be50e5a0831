"""How suddenly joints may still move, by loops over every size and frame."""

import numpy as np


def spent_by_loops(counts, was, now, first, stop, edges, worse, soon, free, spared, upper):
    """(J,) the least size from which on more frames are, or would be, worse than may be; ∞ where none is.

    counts: (2, J, B) of earlier frames as blended, and as shown in shares of what each may be worse; was, now: (F, J)
    sizes of a part, of which the frames from `first` on are shown, in quarters; edges: of the bins; worse: times as
    sudden as a frame may be; soon: frames, if there are fewer; free, upper: shares of them that may be more sudden than
    any before, and that count; spared: frames.
    """
    out = np.full(was.shape[1], np.inf)
    for quarter in (1, 2, 3, 4):
        end = first + round((stop - first) * quarter / 4)
        for joint in range(was.shape[1]):
            frames = max(counts[0, joint].sum() + end - first, soon)
            for k in range(len(edges) - 1):
                blended, shown = (counts[way, joint, k:].sum() for way in (0, 1))
                for f in range(first, end):
                    blended += was[f, joint] >= edges[k]
                    shown += now[f, joint] / worse >= edges[k]
                if blended <= upper * frames and shown > max(blended - spared, free * frames):
                    out[joint] = min(out[joint], edges[k])
    return out
