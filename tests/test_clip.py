"""Clips: what they refuse, and every way to make a new one from an old."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import person, random_clip, random_skeleton, smooth_clip

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def clip(rng):
    labels = {"walk": (0, 12), "turn": (8, 20)}
    return random_clip(rng, random_skeleton(rng), name="test", labels=labels)


@pytest.fixture
def swing(rng):
    return smooth_clip(rng, person(), labels={"walk": (0, 100)})


class Record:
    """Stands in for a file's record: remembers what was asked of it."""

    def __init__(self, frames=None):
        self.frames = frames

    def sliced(self, frames):
        return Record(frames)

    def layout(self):
        return "layout"


def pieces(rng, **changed):
    skeleton = random_skeleton(rng, 4)
    given = {"root": np.zeros((3, 3)), "rotations": np.tile(rot.IDENTITY, (3, 4, 1)), "fps": 30.0, "name": "it"}
    return {"skeleton": skeleton, **given, **changed}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"root": np.zeros((0, 3)), "rotations": np.zeros((0, 4, 4))}, "at least one frame"),
        ({"root": np.zeros((2, 3))}, r"root \(2, 3\) and rotations \(3, 4, 4\)"),
        ({"root": np.zeros((3, 2))}, r"should be \(F, 3\)"),
        ({"rotations": np.zeros((3, 5, 4))}, r"\(F, 4, 4\)"),
        ({"fps": 0}, "frame rate must be a positive number, not 0"),
        ({"fps": -1}, "frame rate"),
        ({"fps": np.nan}, "frame rate"),
        ({"fps": np.inf}, "frame rate"),
        ({"root": np.full((3, 3), np.nan)}, "finite"),
        ({"rotations": np.full((3, 4, 4), np.inf)}, "finite"),
        ({"root": np.array([[np.inf, 0, 0], [-np.inf, 0, 0], [0, 0, 0]])}, "finite"),
        ({"offsets": np.zeros((3, 3))}, r"offsets \(3, 3\) should be \(3, 4, 3\)"),
        ({"offsets": np.full((3, 4, 3), np.nan)}, "finite"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_not_a_clip_is_refused(changed, says, rng):
    with pytest.raises(MotionError, match=says) as error:
        Clip(**pieces(rng, **changed))
    assert "'it'" in str(error.value)


def test_what_it_says_of_itself(clip):
    assert len(clip) == 20
    assert clip.fps == 120.0
    assert clip.duration == pytest.approx(20 / 120)
    assert repr(clip) == "Clip('test', 20 frames, 120 Hz, 0.17 s, 12 joints)"


def test_arrays_are_read_only(clip):
    for array in (clip.root, clip.rotations, clip.positions(), clip.orientations()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert clip.positions() is clip.positions()


def test_first_stays_inside_the_clip(rng):
    assert [Clip(**pieces(rng, first=n)).first for n in (-2, 0, 1, 2, 9)] == [0, 0, 1, 2, 2]


def test_slices(clip):
    part = clip[5:15]
    np.testing.assert_array_equal(part.positions(), clip.positions()[5:15])
    np.testing.assert_array_equal(part.rotations, clip.rotations[5:15])
    assert part.fps == clip.fps
    assert part.name == clip.name
    assert part.labels.spans() == [("turn", 3, 10), ("walk", 0, 7)]
    assert len(clip[:-1]) == 19
    assert len(clip[-3:]) == 3
    assert len(clip[:1000]) == 20
    np.testing.assert_array_equal(clip[:].root, clip.root)


def test_a_step_divides_the_rate(clip):
    part = clip[1::3]
    np.testing.assert_array_equal(part.root, clip.root[1::3])
    assert part.fps == 40.0
    assert part.labels.at("walk").tolist() == clip.labels.at("walk")[1::3].tolist()


@pytest.mark.parametrize(
    ("frames", "first"),
    [
        (slice(None), 3),
        (slice(1, None), 2),
        (slice(3, None), 0),
        (slice(5, None), 0),
        (slice(None, None, 2), 2),
        (slice(None, None, 3), 1),
        (slice(1, None, 2), 1),
        (slice(0, 2), 1),
    ],
)
def test_slicing_keeps_track_of_the_first_captured_frame(clip, frames, first):
    clip = replace(clip, first=3)
    assert clip[frames].first == first


def test_captured_drops_what_comes_before(clip):
    clip = replace(clip, first=2)
    np.testing.assert_array_equal(clip.captured().root, clip.root[2:])
    assert clip.captured().first == 0
    assert clip.captured().captured() is not None
    whole = replace(clip, first=0)
    assert whole.captured() is whole


@pytest.mark.parametrize("frames", [slice(20, None), slice(5, 5), slice(7, 3), slice(None, None, -1)])
def test_empty_and_backward_slices_are_refused(clip, frames):
    with pytest.raises(MotionError, match="has frames 0 to 19"):
        clip[frames]


def test_a_zero_step_and_single_frames_are_refused(clip):
    with pytest.raises(ValueError, match="zero"):
        clip[::0]
    with pytest.raises(TypeError, match="slice"):
        clip[3]


def test_sliding_offsets_are_cut_along(clip, rng):
    offsets = rng.normal(size=(20, 12, 3))
    sliding = replace(clip, offsets=offsets)
    assert np.abs(sliding.positions() - clip.positions()).max() > 0.1
    np.testing.assert_array_equal(sliding[3:9].positions(), sliding.positions()[3:9])
    np.testing.assert_allclose(sliding.resampled(60).positions(), sliding.positions()[::2], atol=1e-12)


@pytest.mark.parametrize("fps", [30, 60, 40, 240, 360])
def test_whole_ratios_keep_the_frames(swing, fps):
    comp = swing.resampled(fps)
    assert comp.fps == fps
    if fps < 120:
        np.testing.assert_allclose(comp.positions(), swing.positions()[:: 120 // fps], atol=1e-12)
    else:
        np.testing.assert_allclose(comp.positions()[:: fps // 120], swing.positions(), atol=1e-12)


@pytest.mark.parametrize("fps", [25, 29.97, 50, 72.5, 90, 119.88, 144, 1000 / 7])
def test_other_ratios_lie_between_the_frames(swing, fps):
    comp = swing.resampled(fps)
    assert (len(comp) - 1) / fps <= (len(swing) - 1) / 120 + 1e-9 < len(comp) / fps + 1e-6
    for n in range(0, len(comp), 7):
        time = n * 120 / fps
        below = int(time)
        above, t = min(below + 1, len(swing) - 1), time - int(time)
        np.testing.assert_allclose(comp.root[n], (1 - t) * swing.root[below] + t * swing.root[above], atol=1e-6)
        ref = rot.slerp(swing.rotations[below], swing.rotations[above], t)
        assert rot.angle_between(comp.rotations[n], ref).max() < 1e-6


@pytest.mark.parametrize("fps", [50, 72.5, 90, 144])
def test_there_and_back(swing, fps):
    back = swing.resampled(fps).resampled(120)
    assert len(swing) - 3 <= len(back) <= len(swing)
    assert np.abs(back.positions() - swing.positions()[: len(back)]).max() < 3e-3
    assert back.fps == swing.fps


def test_resampling_leaves_an_added_pose_alone(swing):
    tpose = replace(swing, first=1)
    comp = tpose.resampled(40)
    assert comp.first == 1
    np.testing.assert_allclose(comp.positions()[0], swing.positions()[0], atol=1e-12)
    np.testing.assert_allclose(comp.positions()[1:], swing.positions()[1::3], atol=1e-12)


def test_resampling_carries_labels(swing):
    spans = swing.resampled(30).labels.spans()
    assert spans == [("walk", 0, 25)]
    ((_, start, stop),) = swing.resampled(50).labels.spans()
    assert start == 0
    assert stop == pytest.approx(100 * 50 / 120, abs=1)


def test_resampling_edge_cases(swing):
    assert swing.resampled(120) is swing
    assert len(swing[:1].resampled(1000)) == 1
    assert len(swing.resampled(0.001)) == 1
    for fps in (0, -3, np.nan, np.inf):
        with pytest.raises(MotionError, match="cannot resample"):
            swing.resampled(fps)


@pytest.mark.parametrize("theta", [-4.0, 0.0, 0.6, np.pi / 2, np.pi])
def test_moved_turns_and_shifts_every_position(clip, theta):
    x, y, z = np.moveaxis(clip.positions(), -1, 0)
    c, s = np.cos(theta), np.sin(theta)
    ref = np.stack([x * c + z * s + 2.0, y, -x * s + z * c - 3.0], axis=-1)
    np.testing.assert_allclose(clip.moved(theta, 2.0, -3.0).positions(), ref, atol=1e-12)


def test_moved_back_is_where_it_was(clip):
    c, s = np.cos(-0.8), np.sin(-0.8)
    back = clip.moved(0.8, 1.0, 2.0).moved(-0.8, -(1.0 * c + 2.0 * s), -(-1.0 * s + 2.0 * c))
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-12)
    np.testing.assert_array_equal(clip.moved().positions(), clip.positions())


def test_labelled(clip):
    assert clip.labelled("run").labels.spans() == [("run", 0, 20)]
    assert clip.labelled({"jump": [(3, 5)]}).labels.spans() == [("jump", 3, 5)]
    with pytest.raises(MotionError, match="do not fit"):
        clip.labelled(clip[:5].labels)


def test_the_files_record_follows_or_keeps_only_its_layout(clip):
    clip = replace(clip, source=Record())
    assert clip[2:9].source.frames == slice(2, 9, 1)
    assert clip.moved(1.0).source == "layout"
    assert clip.resampled(60).source == "layout"
    assert replace(clip, source=None)[2:9].source is None


def test_a_clip_knows_the_frames_of_its_file(swing):
    assert swing.file_frame(7) == 7.0
    assert swing[10:200].file_frame(7) == 17.0
    assert swing[10:200:3].file_frame(2.5) == 17.5
    assert swing.resampled(30).file_frame(5) == 20.0
    assert swing.resampled(50).file_frame(5) == pytest.approx(12.0)


def test_file_frames_go_through_every_change(swing):
    """A mark that moves like the frame's number, root x, tells which frame is shown."""
    number = np.arange(len(swing), dtype=float)
    marked = replace(swing, root=np.stack([0 * number, 0 * number, number], axis=1), file="walk.bvh", first=1)
    chain = marked[11:220].resampled(50)[3:70:2].mirrored().resampled(120)[5:].moved(0.0, 4.0, 0.0)
    chain = chain.labelled("walk").resampled(31)[1:-1]
    assert chain.file == "walk.bvh"
    shown = [chain.file_frame(f) for f in range(len(chain))]
    np.testing.assert_allclose(shown, chain.root[:, 2], atol=1e-9)
    smaller = Skeleton(chain.skeleton.names, chain.skeleton.parents, 0.9 * chain.skeleton.offsets)
    fitted = chain.retargeted(smaller)[4:20]
    assert (fitted.file, fitted.file_frame(0)) == ("walk.bvh", shown[4])


def test_frames_before_the_motion_keep_their_numbers(rng):
    clip = smooth_clip(rng, person(), frames=41, first=2).resampled(60)
    assert [clip.file_frame(f) for f in range(5)] == [0.0, 1.0, 2.0, 4.0, 6.0]
    assert [clip[1::2].file_frame(f) for f in range(3)] == [1.0, 4.0, 8.0]


def test_file_frames_must_fit(rng):
    with pytest.raises(MotionError, match=r"file_frames \(2,\) should be \(3,\)"):
        Clip(**pieces(rng), file_frames=np.zeros(2))
