"""Free weights, points on surfaces, sums of error functions, de Chenu's sum over Euler angles; in the window and by
commands."""

import re

import numpy as np
import pytest
from naive import distance as naive
from sessions import begin, said, tell
from typer.testing import CliRunner
from walking import sample

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.app import commands as do
from motiongraph.cli import app
from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.labels_file import read_weights
from motiongraph.formats.obj import read_obj
from motiongraph.metric.cloud import joint_weights, part
from motiongraph.metric.search import find_minima


@pytest.fixture(scope="module")
def clips():
    return sample("walk")[:240].resampled(30), sample("walk_left")[:240].resampled(30)


def by_hand(a, b, samples, window, cells):
    """Costs of windows by plain loops, from the points of every frame."""
    p, q = (samples.points(c.positions(), c.orientations()) for c in (a, b))
    found = []
    for i, j in cells:
        weights = np.tile(samples.weights, window)
        x, y = p[i : i + window].reshape(-1, 3), q[j : j + window].reshape(-1, 3)
        found.append(100 * np.sqrt(naive.window_pair(x, y, weights, True)[0] / weights.sum()))
    return found


CELLS = [(3, 4), (10, 40), (30, 2)]


def test_weights_of_parts_of_the_body(clips):
    a, b = clips
    skeleton = a.skeleton
    assert [skeleton.names[j] for j in part(skeleton, "left leg")][:4] == ["lfemur", "ltibia", "lfoot", "ltoes"]
    covered = [j for name in ("trunk", "head", "arms", "legs") for j in part(skeleton, name)]
    assert sorted(covered) == list(range(len(skeleton)))
    weights = {"legs": 2.0, "left leg": 3.0, "lfoot": 5.0, "head": 0.0}
    values = joint_weights(skeleton, weights)
    found = {name: values[skeleton.index(name)] for name in ("rtibia", "ltibia", "lfoot", "head", "lhumerus")}
    assert found == {"rtibia": 2.0, "ltibia": 3.0, "lfoot": 5.0, "head": 0.0, "lhumerus": 1.0}
    metric = mg.Metric(joint_weights=weights)
    matrix = mg.distance_matrix(a, b, metric, cache=False)
    ref = by_hand(a, b, metric.samples(skeleton), matrix.window, CELLS)
    np.testing.assert_allclose([matrix.cost[cell] for cell in CELLS], ref, rtol=1e-4)


def test_weights_by_length_and_by_children(clips):
    skeleton = clips[0].skeleton
    below = [sum(1 for k in range(len(skeleton)) if j in _above(skeleton, k)) for j in range(len(skeleton))]
    children, length = joint_weights(skeleton, "children"), joint_weights(skeleton, "length")
    for name in ("root", "lfemur", "lradius"):
        j = skeleton.index(name)
        assert children[j] == below[j]
        assert length[j] == pytest.approx(sum(skeleton.bone_lengths[k] for k in skeleton.children[j]))
    for weights in ("children", "length"):
        plain, free = (mg.Metric(kind="angle", order=1, joint_weights=w) for w in (None, weights))
        assert (
            mg.distance_matrix(*clips, plain, cache=False).cost != mg.distance_matrix(*clips, free, cache=False).cost
        ).any()
    with pytest.raises(MotionError, match="'mao', 'length' or 'children', not 'size'"):
        joint_weights(skeleton, "size")


def _above(skeleton, joint):
    found = []
    while skeleton.parents[joint] >= 0:
        joint = int(skeleton.parents[joint])
        found.append(joint)
    return found


def test_euler_angles_are_summed_over_channels(clips):
    a, b = (clip[:20] for clip in clips)
    turning = [j for j, n in enumerate(a.skeleton.names) if j and not n.endswith("_end")]
    angles = [np.degrees(rot.to_euler(c.rotations[:, turning], "ZYX")) for c in (a, b)]
    for order in (1, 2, 4):
        matrix = mg.distance_matrix(a, b, mg.Metric(kind="euler", order=order, window=0), cache=False)
        for i, j in ((0, 0), (3, 11), (19, 5)):
            total = 0.0
            for x, y in zip(angles[0][i].ravel(), angles[1][j].ravel()):
                away = abs(x - y)
                total += (360 - away if away > 180 else away) ** order
            assert matrix.cost[i, j] == pytest.approx(total ** (1 / order), rel=1e-4)
            assert matrix.pair.exact(i, j)[0][0] == pytest.approx(total ** (1 / order), rel=1e-4)


@pytest.mark.parametrize(("order", "up"), [("XYZ", "y"), ("YXZ", "y"), ("ZYX", "z")])
def test_euler_angles_are_those_of_the_files_channels(clips, tmp_path, order, up):
    files, numbers = [], []
    for k, clip in enumerate(clips):
        mg.save(clip[:30], tmp_path / f"{k}.bvh")
        head, motion = (tmp_path / f"{k}.bvh").read_text().split("MOTION")
        words = re.findall(r"[XYZ]rotation [XYZ]rotation [XYZ]rotation", head)
        head = head.replace(words[0], " ".join(f"{axis}rotation" for axis in order))
        (tmp_path / f"{k}.bvh").write_text(f"{head}MOTION{motion}")
        files.append(mg.load(tmp_path / f"{k}.bvh", up=up))
        rows = [line.split() for line in motion.strip().splitlines()[2:]]
        numbers.append(np.array(rows, float)[:, 6:])  # without the root's
    assert files[0].source.euler_order == (order if up == "y" else "YZX")
    matrix = mg.distance_matrix(*files, mg.Metric(kind="euler", order=1, window=0), cache=False)
    small = [(np.abs(n) < 85).all(axis=1) for n in numbers]  # where the angles that turn so are the file's
    for i, j in zip(np.flatnonzero(small[0])[:5], np.flatnonzero(small[1])[-5:]):
        away = np.abs(numbers[0][i] - numbers[1][j])
        assert matrix.cost[i, j] == pytest.approx(np.minimum(away, 360 - away).sum(), rel=1e-3)


def test_error_functions_add_up(clips, tmp_path):
    shares = {"angle-velocity": 0.02, "cloud": 1.0, "angle": 0.3}
    metric = mg.Metric(kind="combined", shares=shares)
    assert list(metric.shares) == ["cloud", "angle", "angle-velocity"]
    matrix = mg.distance_matrix(*clips, metric, cache=False)
    parts = sum(s * mg.distance_matrix(*clips, mg.Metric(kind=k), cache=False).cost for k, s in shares.items())
    np.testing.assert_allclose(matrix.cost, parts, rtol=1e-5, atol=1e-4)
    found = find_minima(*clips, metric, cache=False)
    np.testing.assert_array_equal(found[["a", "b"]], matrix.minima()[["a", "b"]])
    lowest = [
        (i, j)
        for i in range(1, matrix.cost.shape[0] - 1)
        for j in range(1, matrix.cost.shape[1] - 1)
        if matrix.cost[i, j] == matrix.cost[i - 1 : i + 2, j - 1 : j + 2].min()
    ]
    assert {tuple(m) for m in found[["a", "b"]].tolist()} >= set(lowest)
    alone = mg.distance_matrix(*clips, mg.Metric(), cache=False)
    assert matrix.alignment(3, 4) == alone.alignment(3, 4)
    graph = mg.MotionGraph.build(clips, metric)
    graph.save(tmp_path / "g.mgraph")
    assert mg.MotionGraph.load(tmp_path / "g.mgraph").metric == metric
    for wrong in ({"kind": "combined"}, {"shares": {"cloud": 1}}, {"kind": "combined", "shares": {"dance": 1}}):
        with pytest.raises(MotionError, match=r"combined|kind"):
            mg.Metric(**wrong)


def test_points_on_a_surface(clips, tmp_path):
    a, b = clips
    skeleton = a.skeleton
    for metric in (mg.Metric(mesh="body"), mg.Metric(mesh="body", joint_weights={"arms": 0.0})):
        matrix = mg.distance_matrix(a, b, metric, cache=False)
        ref = by_hand(a, b, metric.samples(skeleton), matrix.window, CELLS)
        np.testing.assert_allclose([matrix.cost[cell] for cell in CELLS], ref, rtol=2e-4)
    file = tmp_path / "box.obj"
    rest = skeleton.rest
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (0, 100 * np.ptp(rest[:, 1])) for z in (-0.1, 0.1)]
    faces = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2)]
    file.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    )
    metric = mg.Metric(mesh=read_obj(file))
    samples = metric.samples(skeleton)
    identity = np.tile(rot.IDENTITY, (1, len(skeleton), 1))
    points = samples.points(rest[None], identity)[0]
    assert np.ptp(points[:, 1]) == pytest.approx(
        np.ptp(rest[:, 1])
    )  # in centimetres, and it stands where the body does
    assert points[:, 1].min() == pytest.approx(rest[:, 1].min())
    matrix = mg.distance_matrix(a, b, metric, cache=False)
    np.testing.assert_allclose(
        [matrix.cost[cell] for cell in CELLS], by_hand(a, b, samples, matrix.window, CELLS), rtol=2e-4
    )
    graph = mg.MotionGraph.build([a, b], metric)
    graph.save(tmp_path / "g.mgraph")
    assert mg.MotionGraph.load(tmp_path / "g.mgraph").metric == metric


def test_commands_take_them(clips, tmp_path):
    for clip, name in zip(clips, "ab"):
        mg.save(clip, tmp_path / f"{name}.bvh")
    weights = tmp_path / "weights.toml"
    weights.write_text('[weights]\n"left arm" = 0\nlfoot = 3\n')
    assert read_weights(weights) == {"left arm": 0.0, "lfoot": 3.0}
    a, b = str(tmp_path / "a.bvh"), str(tmp_path / "b.bvh")
    costs = set()
    for more in (
        [],
        ["--weights", str(weights)],
        ["--mesh", "body"],
        ["--combine", "cloud=1,angle=0.2"],
        ["--kind", "euler"],
    ):
        run = CliRunner().invoke(app, ["matrix", a, b, "--json", *more])
        assert run.exit_code == 0, run.output
        costs.add(run.stdout.split('"minimum": ')[1].split(",")[0])
    assert len(costs) == 5
    assert CliRunner().invoke(app, ["matrix", a, b, "--combine", "cloud"]).exit_code == 2
    weights.write_text("[weights]\nlfoot = -1\n")
    with pytest.raises(FormatError, match=r"weights\.toml: expected \[weights\]"):
        read_weights(weights)


@pytest.mark.usefixtures("config")
def test_the_window_has_sliders_for_them(tmp_path):
    state = begin(("walk",))
    tell(state, do.SetPartWeight("left arm", 0.5), do.SetMetric("kind", "combined"), do.SetShare("angle-velocity", 0.1))
    metric = state.matrix.metric
    assert metric.joint_weights == {"left arm": 0.5}
    assert metric.shares == {"cloud": 1.0, "angle": 0.2, "angle-velocity": 0.1}
    tell(state, do.SetShare("angle", 0.0))
    assert set(state.matrix.metric.shares) == {"cloud", "angle-velocity"}
    tell(state, do.SetMetric("kind", "cloud"), do.SetMetric("mesh", "body"))
    assert (state.matrix.metric.shares, state.matrix.metric.mesh) == (None, "body")
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    assert again.matrix.metric == state.matrix.metric
    tell(state, do.LoadWeights(tmp_path / "gone.toml"), do.SetPartWeight("tail", 1.0))
    assert "parts of the body are" in said(state)[0]
    assert "gone.toml" in said(state)[1]
