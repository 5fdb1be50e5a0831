"""`motiongraph render`: pictures and videos as they are asked for, with a display and without."""

import os
import subprocess
import sys

import imageio_ffmpeg
import numpy as np
import pytest
from conftest import ROOT
from naive.surfaces import moved
from PIL import Image

import motiongraph as mg
from motiongraph.cli import main
from motiongraph.errors import MotionError
from motiongraph.formats.load import load
from motiongraph.progress import Cancelled
from motiongraph.viewer.draw.frame import Capsules, Skins
from motiongraph.viewer.render import Shot, Subject, facing, left_standing, render_picture, render_video

WALK = ROOT / "assets/samples/walk.bvh"
SMALL = ("--size", "160x120")


@pytest.fixture(scope="module")
def walk():
    return load(WALK)


@pytest.fixture
def render(capsys):
    """render(*arguments) → exit status and what was said to a person."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["render", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert out == ""
        return ended.value.code or 0, err

    return call


def clay(pixels):
    """How many pixels are of the character's colour rather than grey."""
    return int((pixels[..., 0].astype(int) - pixels[..., 2] > 25).sum())


def video(path):
    """Frames (n, h, w, 3) and their rate."""
    reader = imageio_ffmpeg.read_frames(str(path))
    facts = next(reader)
    width, height = facts["size"]
    return np.array([np.frombuffer(f, np.uint8).reshape(height, width, 3) for f in reader]), facts["fps"]


def test_a_picture(render, tmp_path):
    target = tmp_path / "shot.png"
    assert render(WALK, "-o", target, "--frame", 200, *SMALL) == (0, "")
    pixels = np.asarray(Image.open(target))
    assert pixels.shape == (120, 160, 3)
    rows, columns = np.nonzero(pixels[..., 0].astype(int) - pixels[..., 2] > 25)
    assert rows.size > 300
    assert 0 < rows.min() < 40 < 80 < rows.max() < 119  # head to toe, nothing cut off
    assert 0 < columns.min() < columns.max() < 159


def test_frames_differ_and_cameras_do(walk, tmp_path):
    drawn = []
    for frame, camera in ((100, "side"), (140, "side"), (100, "front"), (100, "top"), (100, (10.0, 30.0, 5.0))):
        render_picture(walk, tmp_path / "p.png", frame, shot=Shot((96, 96), camera))
        drawn.append(np.asarray(Image.open(tmp_path / "p.png")).astype(int))
    for i in range(5):
        for j in range(i):
            assert np.abs(drawn[i] - drawn[j]).max() > 40
    assert clay(drawn[4]) > 0


def test_front_is_where_the_character_faces(walk):
    travel = walk.root[-1] - walk.root[0]
    yaw = np.degrees(np.arctan2(travel[0], travel[2]))
    assert abs((facing(walk, np.arange(len(walk))) - yaw + 180) % 360 - 180) < 30


def drawn(walk, folder, **asked):
    """A small picture of frame 200, as whole numbers."""
    render_picture(walk, folder / "p.png", 200, shot=Shot((160, 120), **asked))
    return np.asarray(Image.open(folder / "p.png")).astype(int)


@pytest.fixture(scope="module")
def plain(walk, tmp_path_factory):
    return drawn(walk, tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize(
    "asked",
    [
        {"bones": "boxes"},
        {"bones": "none"},
        {"joints": True},
        {"contacts": True},
        {"cloud": "pose"},
        {"cloud": "window"},
        {"path": True},
        {"floor": "grid"},
        {"floor": "none"},
        {"shadows": False},
        {"lamp": (120.0, 30.0)},
    ],
    ids=str,
)
def test_every_layer_is_seen(walk, plain, tmp_path, asked):
    assert (np.abs(drawn(walk, tmp_path, **asked) - plain).max(axis=2) > 12).sum() > 10


@pytest.mark.parametrize("style", ["capsules", "skin"])
def test_soles_stand_on_the_floor(walk, style):
    """As in the window: the floor is under the skin of the feet, not under their joints."""
    subject = Subject(walk, np.arange(200, 201), np.arange(200, 400), Shot(contacts=True, path=True, bones=style))
    (bones,) = (batch for batch in subject.batches(200) if isinstance(batch, Capsules | Skins))
    if isinstance(bones, Skins):
        skin = bones.surface.levels[0]
        lowest = min(moved(bones.rows[j], v)[1] for j, v in zip(skin.joints[:, 0], skin.positions.astype(float)))
    else:
        lowest = (bones.rows[:, [1, 5]] - bones.rows[:, [3, 7]]).min()
    assert lowest == pytest.approx(subject.floor, abs=0.012)
    assert walk.floor - subject.floor > 0.02
    for batch in subject.fixed:  # the way and the footprints lie on it
        np.testing.assert_allclose(batch.rows[:, 1], subject.floor + 0.003, atol=1e-6)


STOOL = "v 0 0 0\nv 40 0 0\nv 40 45 0\nv 0 45 0\nv 0 0 40\nv 40 0 40\nv 40 45 40\nv 0 45 40\n" + (
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 8 7 3 4\nf 5 8 4 1\nf 2 3 7 6\n"
)


def test_a_prop_stands_beside_the_character_or_where_it_is_told(render, tmp_path):
    (tmp_path / "stool.obj").write_text(STOOL)
    (tmp_path / "far.obj").write_text(STOOL)
    pictures = []
    for name, props in (
        ("none", ()),
        ("beside", ("--prop", tmp_path / "stool.obj")),
        ("told", ("--prop", f"{tmp_path / 'stool.obj'}@1.5,-2,30", "--prop", f"{tmp_path / 'far.obj'}@-1.5,-2")),
    ):
        target = tmp_path / f"{name}.png"
        status, said = render(WALK, "-o", target, "--frame", 200, *SMALL, "--camera", "0,14,6", *props)
        assert status == 0
        assert said.count("45 m large: its numbers are taken to be") == len(props) // 2
        pictures.append(np.asarray(Image.open(target)).astype(int))
    plain, beside, told = pictures
    for one in (beside, told):
        assert (np.abs(one - plain).max(axis=2) > 30).sum() > 100
    assert np.abs(beside - told).max() > 40


def test_a_flow_picture_shows_more_than_one_pose(walk, tmp_path):
    spans = []
    for flow, offset in ((None, 0.0), (60, 0.0), (60, 0.6)):
        shot = Shot((320, 120), (facing(walk, np.arange(400)) + 90.0, 10.0, 9.0), flow, offset)
        render_picture(walk, tmp_path / "p.png", frames=slice(50, 400), shot=shot)
        tinted = np.asarray(Image.open(tmp_path / "p.png")).astype(int) @ [1, 0, -1] > 8
        spans.append(np.ptp(np.nonzero(tinted.any(axis=0))[0]))
    assert spans[1] > 2 * spans[0]
    assert spans[2] > 1.2 * spans[1]  # pushed apart


def test_the_poses_of_a_flow_video_are_left_standing(walk, tmp_path):
    camera = (facing(walk, np.arange(400)) + 90.0, 10.0, 9.0)
    shot = Shot((640, 240), camera, flow=120)
    render_video(walk, tmp_path / "flow.mp4", slice(60, 301), every=60, shot=shot)
    frames, _ = video(tmp_path / "flow.mp4")
    first, *_, later, last = (np.nonzero((f.astype(int) @ [1, 0, -1] > 8).any(axis=0))[0] for f in frames)
    ahead = last.min() < first.min()  # which way it goes
    ends = [columns.max() if ahead else -columns.min() for columns in (first, later, last)]
    assert ends == pytest.approx([ends[0]] * 3, abs=6)  # someone still stands where the first one stood
    assert np.ptp(later) > 2 * np.ptp(first)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Two samples, and the frames at which the transitions of a walk through them begin."""
    path = tmp_path_factory.mktemp("graph") / "g.mgraph"
    built = mg.MotionGraph.build([load(WALK), load(WALK.with_stem("walk_left"))], threshold=6.0)
    built.save(path)
    return path


def made(graph, seconds=12.0, seed=1):
    return mg.synthesize(mg.random_walk(mg.MotionGraph.load(graph).pruned(), seconds, seed))


def blue(pixels):
    """How many pixels are of the colour of transitions."""
    return int((pixels[..., 2].astype(int) - pixels[..., 0] > 60).sum())


def test_a_picture_of_a_graph_is_the_flow_of_a_walk(render, graph, tmp_path):
    once, again, other = (tmp_path / f"{name}.png" for name in ("once", "again", "other"))
    for target, seed in ((once, 1), (again, 1), (other, 2)):
        assert render(graph, "-o", target, "--seconds", 4, "--seed", seed, *SMALL) == (0, "")
    assert once.read_bytes() == again.read_bytes()
    assert once.read_bytes() != other.read_bytes()


def test_transitions_have_their_colour(render, graph, tmp_path):
    motion = made(graph)
    begins, ends = motion.origin.seams()[0]
    for frame, seen in ((begins + 2, True), (max(begins - 2, 0), False)):
        target = tmp_path / f"{seen}.png"
        assert render(graph, "-o", target, "--seconds", 12, "--seed", 1, "--frame", frame, *SMALL) == (0, "")
        assert (blue(np.asarray(Image.open(target))) > 300) == seen
    assert ends - begins == mg.MotionGraph.load(graph).window


def test_a_video_of_a_graph(render, graph, tmp_path):
    target = tmp_path / "walk.mp4"
    assert render(graph, "-o", target, "--seconds", 3, "--every", 60, *SMALL) == (0, "")
    frames, _ = video(target)
    assert len(frames) == 6
    assert clay(frames[0]) + blue(frames[0]) > 200


def test_a_flow_picture_is_pushed_apart_at_each_transition(graph):
    motion = made(graph)
    framed = np.arange(len(motion))
    standing, shifts = left_standing(motion, framed, Shot(flow=20, gap=1.5))
    assert standing[-1] == framed[-1]
    assert (np.diff(standing) == 20).all()
    begins = motion.origin.seams()[:, 0]
    pushed = np.linalg.norm(shifts, axis=1)
    for k, (start, stop) in enumerate(zip([0, *begins], [*begins, len(motion)])):
        assert pushed[start:stop] == pytest.approx(1.5 * k)  # the same for a whole piece, one more for the next
    assert len(begins) >= 2


def test_a_graph_that_prunes_to_nothing(render, tmp_path):
    mg.MotionGraph.build([load(WALK)], threshold=0.0).save(tmp_path / "g.mgraph")
    status, said = render(tmp_path / "g.mgraph", "-o", tmp_path / "shot.png")
    assert (status, said.count("\n")) == (1, 1)
    assert "no motion can go on for ever at 0 cm" in said
    assert not (tmp_path / "shot.png").exists()


def test_options_of_clips_are_not_those_of_graphs(render, graph):
    for source, option, word in ((graph, ("--units", "cm"), "--units is for clips"), (WALK, ("--seed", "0"), "--seed")):
        status, said = render(source, "-o", "shot.png", *option)
        assert (status, word in said) == (2, True)


def test_a_video_keeps_the_speed_of_the_clip(render, walk, tmp_path):
    target = tmp_path / "walk.mp4"
    assert render(WALK, "-o", target, "--frames", "60:180", "--every", 12, *SMALL) == (0, "")
    frames, fps = video(target)
    assert frames.shape == (10, 120, 160, 3)
    assert fps == pytest.approx(walk.fps / 12)
    assert np.abs(frames[0].astype(int) - frames[5]).max() > 40
    assert clay(frames[0]) > 200


def test_a_video_at_a_rate_of_its_own(walk, tmp_path):
    render_video(walk, tmp_path / "walk.mp4", slice(0, 120), fps=20.0, shot=Shot((64, 48)))
    frames, fps = video(tmp_path / "walk.mp4")
    assert fps == pytest.approx(20.0)
    assert len(frames) == pytest.approx(120 / walk.fps * 20.0, abs=1)


def test_a_gif(render, tmp_path):
    target = tmp_path / "walk.gif"
    assert render(WALK, "-o", target, "--frames", "60:120", "--every", 12, "--size", "81x61", "--flow", 30)[0] == 0
    with Image.open(target) as gif:
        assert (gif.n_frames, gif.size, gif.info["loop"]) == (5, (81, 61), 0)


def test_progress_and_stopping(walk, tmp_path):
    said = []

    def stop(done, total, what=""):
        said.append((done, total))
        if done == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        render_video(walk, tmp_path / "walk.mp4", slice(0, 50), every=10, shot=Shot((64, 48)), progress=stop)
    assert said == [(0, 5), (1, 5), (2, 5)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-o", "there.png"), "there.png is there already; --force overwrites it"),
        (("-o", "shot.png", "--frame", "100000"), "walk has frames 0 to"),
        (("-o", "walk.mp4", "--size", "161x120"), "an even number of pixels"),
        (("-o", "no/shot.png"), "there is no folder no"),
        (("-o", "walk.mp4", "--frames", "40:40"), "there are none from 40 up to 40"),
        (("-o", "shot.png", "--size", "9000x10"), "1 to 8192 pixels"),
        (("-o", "shot.png", "--prop", "gone.obj"), "gone.obj: cannot be read"),
        (("-o", "shot.png", "--camera", "0,nan,4"), "must be finite"),
        (("-o", "shot.png", "--offset", "inf", "--flow", "9"), "must be finite"),
        (("-o", "shot.png", "--prop", "there.png"), "there.png: holds no faces"),
    ],
)
def test_what_cannot_be_done(render, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.png").write_text("")
    status, said = render(WALK, *arguments)
    assert status == 1
    assert sentence in said
    assert said.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["there.png"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "shot.jpg"), "expected a .png, .mp4 or .gif"),
        (("-o", "shot.png", "--size", "big"), "expected a size as in 1280x720"),
        (("-o", "shot.png", "--camera", "back"), "expected front, side, top, three-quarter"),
        (("-o", "shot.png", "--every", "3"), "--every and --fps are for videos"),
        (("-o", "shot.png", "--floor", "lava"), "expected checker, grid or none, found 'lava'"),
        (("-o", "shot.png", "--bones", "thick"), "expected skin, capsules, boxes, sticks or none, found"),
        (("-o", "shot.png", "--cloud", "9"), "expected off, pose or window, found '9'"),
        (("-o", "shot.png", "--prop", "a.obj@here"), "expected FILE.obj or FILE.obj@x,z or FILE.obj@x,z,degrees"),
        (("-o", "shot.png", "--prop", "a.obj@1,nan"), "expected FILE.obj or FILE.obj@x,z"),
        (("-o", "walk.mp4", "--frame", "3"), "--frame is for pictures"),
        ((), "--output"),
    ],
)
def test_wrong_usage(render, arguments, words):
    status, said = render(WALK, *arguments)
    assert status == 2
    assert words in " ".join(said.replace("│", " ").split())


def test_a_shot_is_checked():
    with pytest.raises(MotionError, match="no camera is called 'back'"):
        Shot(camera="back")
    with pytest.raises(MotionError, match="at least 1 frame"):
        Shot(flow=0)
    for name in ("bones", "cloud", "floor"):
        with pytest.raises(MotionError, match=f"{name} can be .*, not 'lava'"):
            Shot(**{name: "lava"})


def run(target, **environment):
    keep = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "PYOPENGL_PLATFORM")}
    command = [sys.executable, "-m", "motiongraph", "render", WALK, "-o", target, *SMALL]
    return subprocess.run(command, capture_output=True, text=True, env={**keep, **environment})


def test_without_a_display(tmp_path):
    result = run(tmp_path / "shot.png")
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")
    assert clay(np.asarray(Image.open(tmp_path / "shot.png"))) > 300


def test_where_no_context_can_be_had(tmp_path):
    result = run(tmp_path / "shot.png", DISPLAY=":4711", MOTIONGRAPH_OFFSCREEN="window")
    assert result.returncode == 1
    assert "no OpenGL 3.3 context can be had" in result.stderr
    assert "xvfb-run" in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
