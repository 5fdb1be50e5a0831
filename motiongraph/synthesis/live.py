"""A walk that is still growing becomes motion a stretch at a time, so that a pose is there when it is asked for.

Pieces are placed and blended as in `synthesize`. Feet are held as in `footplant`, which must look ahead: a foot's
place is known when its contact is over. So motion comes in stretches, each of which sees some of what is before and
after it. Feet that stand where a stretch begins stay where they were, and what else it lacks of the one before, which
had seen less of what was coming, fades over a few frames (`carry_over`).
"""

from bisect import bisect_left, bisect_right
from dataclasses import replace

import numpy as np

from motiongraph.elementary import smoothstep
from motiongraph.errors import MotionError
from motiongraph.graph.floor import floor_path
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import TRANSITION
from motiongraph.model.clip import Clip
from motiongraph.model.placement import IDENTITY, Placement, compose, place, turn
from motiongraph.synthesis.blend import Window
from motiongraph.synthesis.carry_over import MEET, held_after
from motiongraph.synthesis.jolts import Account, Record
from motiongraph.synthesis.live_sway import LiveSway
from motiongraph.synthesis.sway import moved_by, passage
from motiongraph.synthesis.synthesize import ground, stitched
from motiongraph.synthesis.turning import Turning, facings, pivots, ways
from motiongraph.walks.walk import STEP, Walk

# The invariant of motion that is made while it is decided: before a stretch is made, the walk is decided so far that it
# can still be left after all that the stretch fixes. Else the only ways out would lie in motion that is fixed already.
STRETCH = 0.75  # s that are made at a time
FIXED = STRETCH + MEET  # s of motion that a stretch may fix
# s that a stretch sees around it: before, what corrections take to fade; after, a contact as well.
_BEFORE, _AHEAD = 0.5, 0.8
MOMENT = np.dtype([(name, np.int32) for name in ("clip", "frame", "other", "other_frame")] + [("weight", np.float64)])


class Live:
    """A character on a graph. `take` adds a transition, `pose` gives a frame; frames are counted from the start.

    graph: its clips, window and rate are used; start: (clip, frame); placed: theta, x, z, where the first clip is put;
    cleanup, blend, register: as for `synthesize`; memory: seconds of motion that are kept. Motion is made 0.75 s
    at a time, which takes a few milliseconds of whoever asks for the first pose of it; `prepare` makes it beforehand,
    on any thread that does not ask for poses at the same time. turning: rad/s by which frames may be turned besides, as
    `turning` says.
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
        turning: float = 0.0,
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
        self._held = np.zeros((keep, 2, 0))  # what holds the feet, see `held_after`; as wide as the legs ask for
        self.turning = Turning(graph, turning, keep)
        self._sway = LiveSway(graph.clips[clip].skeleton, graph.fps, keep, self._passage)
        self._record = Record(joints + 1, graph.fps)
        self._latest: tuple[int, np.ndarray | None] = 0, None  # where the last stretch began; how suddenly joints move
        self._tracks = np.empty((keep, 11 + len(self.turning.feet)))  # see `track`,
        self._tracked = 0  # of so many made frames
        self.ready = 0
        self._fixed = 0  # frames that transitions may no longer change

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
        """Frames of motion that the next stretch looks at: the walk should be decided so far (see `FIXED`)."""
        return self.ready + self.stretch + (round(_AHEAD * self.graph.fps) if self.cleanup else 0)

    def at(self, frame: int) -> tuple[int, int, Placement]:
        """Clip, frame of it and placement of a frame of the motion; within a transition, of the motion it leads to."""
        k = bisect_right(self._begins, frame) - 1
        if k + 1 < len(self._begins) and frame >= self._begins[k + 1] - self.graph.window:
            k += 1
        clip, first = self._steps[k]
        return clip, first + frame - self._begins[k], self._placed[k]

    def track(self, first: int, last: int) -> np.ndarray:
        """(n, 11 + feet) of frames first … last − 1, before turning: x, z of the root, facing x, z, x, z to turn about,
        the direction x, z of its way, the rad/s by which it turns, facing x, z but for the swing of the hips, and of
        every foot whether it stands, above 0.5."""
        if last == first + 1 and self.oldest <= first < self.ready:  # as is asked for with every pose
            if first >= self._tracked:
                begin = max(self._tracked, self.oldest)
                self._tracks[np.arange(begin, self.ready) % len(self._tracks)] = self._track(begin, self.ready)
                self._tracked = self.ready
            return self._tracks[[first % len(self._tracks)]]
        return self._track(first, last)

    def _track(self, first: int, last: int) -> np.ndarray:
        begins, window = self._begins, self.graph.window
        out, k = np.empty((last - first, self._tracks.shape[1])), bisect_right(begins, first) - 1
        while first < last:
            end = min(begins[k + 1] if k + 1 < len(begins) else last, last)
            frames = np.arange(first, end)
            part = self._floor(k, frames)
            if k + 1 < len(begins) and end > begins[k + 1] - window:
                later = frames >= begins[k + 1] - window
                u = (frames[later] - begins[k + 1] + window + 1.0) / window
                share = smoothstep(u)[:, None]
                part[later] += share * (self._floor(k + 1, frames[later]) - part[later])
            out[len(out) - (last - first) : len(out) - (last - end)] = part
            first, k = end, k + 1
        for unit in (out[:, 2:4], out[:, 6:8], out[:, 9:11]):
            unit /= np.maximum(np.sqrt((unit**2).sum(axis=1, keepdims=True)), 1e-9)
        return out

    def _floor(self, step: int, frames: np.ndarray) -> np.ndarray:
        """(n, 11 + feet) as `track`, of frames of one step alone."""
        clip, first = self._steps[step]
        path, face = floor_path(self.graph.clips[clip])
        at, placement = first + frames - self._begins[step], self._placed[step]
        about, way, steady = path[at], np.column_stack([face[at], np.zeros(len(at))]), face[at]
        if self.turning.rate:
            about, way, steady = (of(self.graph.clips[clip])[at] for of in (pivots, ways, facings))
        facing, going, steady = (turn(placement[0], each) for each in (face[at], way[:, :2], steady))
        stands = self.turning.stands(self.graph.clips[clip], at)
        here, about = (place(placement, points) for points in (path[at], about))
        return np.hstack([here, facing, about, going, way[:, 2:], steady, stands])

    def rewind(self, frames: int) -> int:
        """Throw away the motion after so many frames, and the transitions that would begin there; how many those were.

        A transition under way is gone through to its end.
        """
        frames = max(frames, 0)
        if frames <= self.ready:
            frames = max(frames, self.ready - len(self._root) + 1)
            self.ready = self._fixed = frames
            self._tracked = min(self._tracked, frames)
            self.turning.rewind(frames)
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

    @property
    def oldest(self) -> int:
        """The first frame that is still kept."""
        return max(self.ready - len(self._root), 0)

    def clip(self, first: int, last: int, name: str = "live") -> Clip:
        """Frames first … last − 1 as they were shown: those of them that are still kept."""
        first, last = max(first, self.oldest), min(last, self.ready)
        if first >= last:
            raise MotionError(f"there is no motion in frames {first} to {last}; {self.ready} are made")
        walk, begin = self.part(first, last)
        clip = stitched(walk, *self.blending)[first - begin : last - begin]
        root, turns, slide = self._kept(first, last)
        origin = clip.origin
        if origin is not None and self.cleanup:
            origin = replace(origin, floor=self.graph.clips[self._steps[0][0]].floor)
        return replace(clip, root=root, rotations=turns, offsets=slide, origin=origin, name=name)

    def _at(self, frame: int) -> int:
        if frame >= self.ready:
            self.prepare(frame + 1)
        if frame < self.oldest:
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
        walk, begin = self.part(first, last)
        clip = stitched(walk, *self.blending)
        if self.cleanup:
            off = self._sway.offsets(begin, start, begin + len(clip), self._begins, self._which)
            self._sway.keep(start, off[start - begin : stop - begin])
            clip = moved_by(clip, off)
        straight, made = clip, slice(start - begin, stop - begin)
        if self.turning.rate:
            clip = self.turning.turned(clip, begin)
        if self.cleanup:
            onto = self.graph.clips[self._steps[0][0]].floor
            past = np.arange(begin, start) % len(self._root)
            assert clip.origin is not None
            account = self._account(start, clip.origin.clip[start - begin : stop - begin])
            clip, held, moves = held_after(clip, self._held[past], ground(walk, clip), onto, stop - begin, account)
            if not self._held.size:
                self._held = np.zeros((len(self._root), *held.shape[1:]))
            self._held[np.arange(start, stop) % len(self._root)] = held[start - begin : stop - begin]
            self._latest = start, moves
            self.turning.hold(start, straight[made], clip[made])
        kept = np.arange(start, stop) % len(self._root)
        for store, part in zip((self._root, self._turns, self._slide), (clip.root, clip.rotations, clip.offsets)):
            if store is not None and part is not None:
                store[kept] = part[made]
        assert clip.origin is not None
        origin = clip.origin.take(made)
        for name in MOMENT.names or ():
            self._moments[name][kept] = getattr(origin, name)
        self.ready = stop
        self._fixed = stop

    def _which(self, transition: int) -> tuple[int, bytes, Placement]:
        """What tells a transition from others that may have its number."""
        return self._begins[transition + 1], self._jumps[transition].tobytes(), self._placed[transition]

    def _passage(self, transition: int, start: int) -> tuple[int, np.ndarray]:
        """The first frame of the motion from `start` on at which a transition moves hips and head, and by how much, see
        `passage`."""
        opens = self._begins[transition + 1] - self.graph.window
        walk, _ = self.part(opens, opens + self.graph.window)
        first, moved = passage(walk, stitched(walk, *self.blending), max(opens - start, 0))
        return opens + first, moved

    def _account(self, start: int, played: np.ndarray) -> Account:
        """What joints may do from frame `start` on, in frames of these clips (n,): the last stretch counts as far as it
        was not thrown away."""
        begun, moves = self._latest
        if moves is not None and start > begun:
            self._record.add(moves[: start - begun])
        return self._record.account([self.graph.clips[c] for c in np.unique(played).tolist()])

    def _kept(self, first: int, last: int) -> Window:
        """Frames first … last − 1 as they were made."""
        kept = np.arange(first, last) % len(self._root)
        return self._root[kept], self._turns[kept], None if self._slide is None else self._slide[kept]

    def part(self, first: int, last: int) -> tuple[Walk, int]:
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
        walk = Walk(
            self.graph.clips, window, self.graph.fps, steps, jumps, "live", placed=self._placed[k],
            metric=self.graph.metric,
        )  # fmt: skip
        return walk, begins[k] + skipped
