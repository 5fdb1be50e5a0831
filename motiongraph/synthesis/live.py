"""A walk that is still growing becomes motion a stretch at a time, so that a pose is there when it is asked for.

Pieces are placed and blended as in `synthesize`. Feet are held as in `footplant`, which must look ahead: a foot's
place is known when its contact is over. So motion comes in stretches, each of which sees some of what is before and
after it. Where a stretch meets the one before, which had seen less of what was coming, the two are mixed over a few
frames.
"""

from bisect import bisect_left, bisect_right

import numpy as np

from motiongraph.elementary import smoothstep
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import TRANSITION
from motiongraph.model.placement import IDENTITY, Placement, compose
from motiongraph.synthesis import blend as blending
from motiongraph.synthesis.blend import Window
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.synthesize import ground, stitched
from motiongraph.walks.live import MEET, STRETCH
from motiongraph.walks.walk import STEP, Walk

_BEFORE, _AHEAD = 1.0, 0.8  # s that a stretch sees around it: a contact, and the time corrections take to fade
MOMENT = np.dtype([(name, np.int32) for name in ("clip", "frame", "other", "other_frame")] + [("weight", np.float64)])


class Live:
    """A character on a graph. `take` adds a transition, `pose` gives a frame; frames are counted from the start.

    graph: its clips, window and rate are used; start: (clip, frame); placed: theta, x, z, where the first clip is put;
    cleanup, blend, register: as for `synthesize`; memory: seconds of motion that are kept. Motion is made 0.75 s
    at a time, which takes a few milliseconds of whoever asks for the first pose of it; `prepare` makes it beforehand,
    on any thread that does not ask for poses at the same time.
    """

    def __init__(
        self,
        graph: MotionGraph,
        start: tuple[int, int],
        placed: Placement = IDENTITY,
        *,
        cleanup: bool = True,
        blend: str = "linear",
        register: bool = False,
        memory: float = 30.0,
        stretch: float = STRETCH,
    ):
        self.graph, self.cleanup, self.blending = graph, cleanup, (blend, register)
        self.stretch = max(round(stretch * graph.fps), 1)  # frames made at a time
        clip, frame = map(int, start)
        if not (0 <= clip < len(graph.clips) and 0 <= frame < len(graph.clips[clip])):
            raise MotionError(f"there is no frame {frame} of clip {clip} to start from")
        # Steps by clip and first frame; for each, the frame of the motion at which it begins, and its placement.
        theta, x, z = map(float, placed)
        self._steps, self._jumps, self._begins, self._placed = [(clip, frame)], [], [0], [(theta, x, z)]
        joints, keep = len(graph.clips[clip].skeleton), max(round((memory + _BEFORE + _AHEAD) * graph.fps), 2)
        # Made frames, each at its number modulo `keep`.
        self._root, self._turns = np.empty((keep, 3)), np.empty((keep, joints, 4))
        self._slide: np.ndarray | None = None
        if any(clip.offsets is not None for clip in graph.clips):
            self._slide = np.empty((keep, joints, 3))
        self._moments = np.empty(keep, MOMENT)
        self.ready = 0
        self._fixed = 0  # frames that transitions may no longer change
        self._meet: Window | None = None  # the frames from `ready` on as the last stretch saw them

    @property
    def decided(self) -> int:
        """Frames there are, if no more transitions are taken: to the end of the clip now played."""
        clip, frame = self._steps[-1]
        return self._begins[-1] + len(self.graph.clips[clip]) - frame

    @property
    def now(self) -> tuple[int, int, int]:
        """(clip, frame, earliest): the clip now played, the frame it was entered at, and the first at which a
        transition may still leave it."""
        clip, frame = self._steps[-1]
        return clip, frame, frame + max(self._fixed - self._begins[-1], 0)

    @property
    def entered(self) -> int:
        """The frame of the motion at which the clip now played is entered, its transition being over."""
        return self._begins[-1]

    @property
    def placement(self) -> Placement:
        """Of the clip now played."""
        return self._placed[-1]

    @property
    def sees(self) -> int:
        """Frames of motion that the next stretch looks at: the walk should be decided so far (see `walks.live`)."""
        return self.ready + self.stretch + (round(_AHEAD * self.graph.fps) if self.cleanup else 0)

    def at(self, frame: int) -> tuple[int, int, Placement]:
        """Clip, frame of it and placement of a frame of the motion; within a transition, of the motion it leads to."""
        k = bisect_right(self._begins, frame) - 1
        if k + 1 < len(self._begins) and frame >= self._begins[k + 1] - self.graph.window:
            k += 1
        clip, first = self._steps[k]
        return clip, first + frame - self._begins[k], self._placed[k]

    def before(self, frame: int) -> float:
        """Radians that the clip is turned by which a transition at this frame leaves."""
        return self._placed[max(bisect_right(self._begins, frame) - 1, 0)][0]

    def rewind(self, frames: int) -> int:
        """Throw away the motion after so many frames, and the transitions that would begin there; how many those were.

        A transition under way is gone through to its end. What comes next instead is mixed, over a few frames, with
        what was made before, so that the pose does not jump.
        """
        frames = max(frames, 0)
        if frames <= self.ready:
            frames = max(frames, self.ready - len(self._root) + 1)
            count = round(MEET * self.graph.fps)
            kept = np.arange(frames, min(frames + count, self.ready)) % len(self._root)
            slide = None if self._slide is None else self._slide[kept]
            seen: Window = self._root[kept], self._turns[kept], slide
            if self._meet is not None:
                seen = _joined(seen, _cut(self._meet, slice(count - len(kept))))
            self._meet = seen if self.cleanup else None
            self.ready = self._fixed = frames
        gone = 0
        while self._jumps and self._begins[-1] - self.graph.window >= max(frames, self._fixed):
            for entries in (self._steps, self._jumps, self._begins, self._placed):
                entries.pop()
            gone += 1
        return gone

    def take(self, transition: np.ndarray | np.void) -> None:
        """Leave the clip now played by this transition (a row of `graph.transitions`)."""
        clip, frame, earliest = self.now
        leave = int(transition["src_frame"])
        if transition["src"] != clip or not earliest <= leave <= len(self.graph.clips[clip]) - self.graph.window:
            other = self.graph.clips[transition["src"]].name
            raise MotionError(
                f"{self.graph.clips[clip].name!r} is played and may be left from frame {earliest} on; a transition at "
                f"frame {leave} of {other!r} cannot be taken"
            )
        self._jumps.append(np.array(transition, TRANSITION))
        self._steps.append((int(transition["dst"]), int(transition["dst_frame"]) + self.graph.window))
        self._begins.append(self._begins[-1] + leave - frame + self.graph.window)
        alignment = float(transition["theta"]), float(transition["x0"]), float(transition["z0"])
        self._placed.append(compose(self._placed[-1], alignment))

    def pose(self, frame: int) -> Window:
        """Root (3,) metres, rotations (J, 4) and offsets ((J, 3), or None unless joints slide) of a frame: views that
        hold until `memory` has passed."""
        at = self._at(frame)
        return self._root[at], self._turns[at], None if self._slide is None else self._slide[at]

    def moment(self, frame: int) -> np.void:
        """Where a frame comes from: a MOMENT of clip, frame, other, other_frame (−1 where nothing) and weight."""
        return self._moments[self._at(frame)]

    def _at(self, frame: int) -> int:
        if frame >= self.ready:
            self.prepare(frame + 1)
        if not max(self.ready - len(self._root), 0) <= frame:
            raise MotionError(f"frame {frame} is no longer kept; the last {len(self._root)} before {self.ready} are")
        return frame % len(self._root)

    def prepare(self, frames: int) -> None:
        """See to it that so many frames are made."""
        if frames > self.decided:
            raise MotionError(f"the walk ends with frame {self.decided - 1}; take a transition to go on")
        while self.ready < frames:
            self._make()

    def _make(self) -> None:
        """One more stretch."""
        fps, start, end = self.graph.fps, self.ready, self.decided
        before, ahead = (round(s * fps) if self.cleanup else 0 for s in (_BEFORE, _AHEAD))
        stop = min(start + self.stretch, end)
        first, last = max(start - before, 0), min(stop + ahead, end)
        walk, begin = self._part(first, last)
        clip = stitched(walk, *self.blending)
        if self.cleanup:
            clip = cleaned(clip, ground(walk, clip), self.graph.clips[self._steps[0][0]].floor)
        whole = _cut((clip.root, clip.rotations, clip.offsets), slice(start - begin, None))
        if self._meet is not None:
            _pass_over(self._meet, whole)
        kept = np.arange(start, stop) % len(self._root)
        for store, part in zip((self._root, self._turns, self._slide), whole):
            if store is not None and part is not None:
                store[kept] = part[: stop - start]
        assert clip.origin is not None
        origin = clip.origin.take(slice(start - begin, stop - begin))
        for name in MOMENT.names or ():
            self._moments[name][kept] = getattr(origin, name)
        self.ready = stop
        meet = slice(stop - start, stop - start + round(MEET * fps))
        self._meet = _cut(whole, meet) if self.cleanup else None
        self._fixed = stop + (0 if self._meet is None else len(self._meet[0]))

    def _part(self, first: int, last: int) -> tuple[Walk, int]:
        """The walk over frames first … last − 1, and a little more where that cuts a transition; its first frame."""
        window, begins = self.graph.window, self._begins
        k, until = bisect_right(begins, first) - 1, bisect_left(begins, last)
        if until < len(begins) and last > begins[until] - window:
            last, until = begins[until], until + 1
        steps = np.empty(until - k, STEP)
        for n, step in enumerate(range(k, until)):
            clip, start = self._steps[step]
            stop = self._jumps[step]["src_frame"] if step + 1 < until else start + last - begins[step]
            steps[n] = clip, start, stop
        skipped = min(first - begins[k], int(steps["stop"][0] - steps["start"][0]))
        steps["start"][0] += skipped
        jumps = np.array(self._jumps[k : until - 1], TRANSITION)
        walk = Walk(self.graph.clips, window, self.graph.fps, steps, jumps, placed=self._placed[k])
        return walk, begins[k] + skipped


def _cut(window: Window, frames: slice) -> Window:
    """A copy of some frames."""
    root, turns, slide = window
    return root[frames].copy(), turns[frames].copy(), None if slide is None else slide[frames].copy()


def _joined(first: Window, second: Window) -> Window:
    """One after the other."""
    slide = None if first[2] is None or second[2] is None else np.concatenate([first[2], second[2]])
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]]), slide


def _pass_over(before: Window, whole: Window) -> None:
    """Let the frames that the stretch before has seen already pass over, in place, into those of this one."""
    count = slice(min(len(before[0]), len(whole[0])))
    share = smoothstep((np.arange(count.stop) + 1.0) / (count.stop + 1.0))
    for part, mixed in zip(whole, blending.linear(_cut(before, count), _cut(whole, count), 1.0 - share)):
        if part is not None and mixed is not None:
            part[count] = mixed
