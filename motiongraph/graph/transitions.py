"""Transitions as one structured array, both ways of every minimum, sorted by where they leave."""

import numpy as np

from motiongraph.model.placement import inverse

# src, dst index the graph's clips; frames are window starts: src plays to src_frame − 1, window frames are blended,
# dst goes on at dst_frame + window. cost in cm; theta (radians), x0, z0 (metres) place dst in the frame of src
# (`model.placement`).
TRANSITION = np.dtype(
    [
        ("src", np.int32),
        ("src_frame", np.int32),
        ("dst", np.int32),
        ("dst_frame", np.int32),
        ("cost", np.float64),
        ("theta", np.float64),
        ("x0", np.float64),
        ("z0", np.float64),
    ]
)


def both_ways(src: int | np.ndarray, dst: int | np.ndarray, minima: np.ndarray) -> np.ndarray:
    """The transitions src → dst and dst → src of every minimum (Mao 2011, figure 4.7), unsorted.

    src, dst: numbers of clips, one for all minima or (n,); minima: (n,) structured a, b, cost, theta, x0, z0, where
    the alignment places b's clip in the frame of a's.
    """
    there, back = np.empty(len(minima), TRANSITION), np.empty(len(minima), TRANSITION)
    there["src"], there["src_frame"], there["dst"], there["dst_frame"] = src, minima["a"], dst, minima["b"]
    back["src"], back["src_frame"], back["dst"], back["dst_frame"] = dst, minima["b"], src, minima["a"]
    for name in ("cost", "theta", "x0", "z0"):
        there[name] = minima[name]
    back["cost"] = minima["cost"]
    back["theta"], back["x0"], back["z0"] = inverse((minima["theta"], minima["x0"], minima["z0"]))
    return np.concatenate([there, back])


def in_order(transitions: np.ndarray) -> np.ndarray:
    """Sorted by source clip and frame, then by target: the order of every table of transitions."""
    keys = transitions["dst_frame"], transitions["dst"], transitions["src_frame"], transitions["src"]
    return transitions[np.lexsort(keys)]


def renumbered(transitions: np.ndarray, number: np.ndarray) -> np.ndarray:
    """The transitions between clips that stay, with new numbers for their clips, in order.

    number: (C,) the new number of every clip, −1 for those that go. Where nothing changes, the table itself.
    """
    if np.array_equal(number, np.arange(len(number))):
        return transitions
    number = number.astype(np.int32)
    src, dst = number[transitions["src"]], number[transitions["dst"]]
    stays = (src >= 0) & (dst >= 0)
    table = transitions[stays]
    table["src"], table["dst"] = src[stays], dst[stays]
    return in_order(table)
