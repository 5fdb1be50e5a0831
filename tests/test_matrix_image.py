"""Pictures and numbers of distance matrices, and the command that writes them."""

import json

import numpy as np
import pytest
from bodies import random_skeleton, smooth_clip
from PIL import Image

import motiongraph as mg
from motiongraph.cli import main

GREEN = (0, 200, 60)


@pytest.fixture
def matrix():
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng, 8)
    a, b = smooth_clip(rng, skeleton, 200, name="dance"), smooth_clip(rng, skeleton, 290, name="hop")
    return mg.distance_matrix(a, b, cache=False)


def test_one_pixel_a_cell(matrix, tmp_path):
    matrix.save_image(tmp_path / "m.png", minima=False)
    picture = np.asarray(Image.open(tmp_path / "m.png").convert("RGB"))
    assert picture.shape == (*matrix.cost.shape, 3)
    low, high = matrix.cost.min(), matrix.cost.max()
    grey = 255.0 * (high - matrix.cost.astype(float)) / (high - low)
    assert np.abs(picture - grey[:, :, None]).max() <= 1.01
    assert picture[np.unravel_index(matrix.cost.argmin(), matrix.cost.shape)].tolist() == [255] * 3


def test_minima_are_green_and_costs_above_the_threshold_dark(matrix, tmp_path):
    threshold = float(np.quantile(matrix.cost, 0.5))
    minima = matrix.minima(threshold)
    assert len(minima)
    matrix.save_image(tmp_path / "m.png", threshold)
    picture = np.asarray(Image.open(tmp_path / "m.png").convert("RGB")).astype(int)
    green = (picture == GREEN).all(axis=2)
    assert sorted(zip(*np.nonzero(green))) == sorted(zip(minima["a"], minima["b"]))
    light = picture[(matrix.cost <= np.float32(threshold)) & ~green]
    dark = picture[matrix.cost > np.float32(threshold)]
    assert light.min() > dark.max()


def test_outliers_are_cut(matrix, tmp_path):
    matrix.save_image(tmp_path / "m.png", minima=False, percentile=60.0)
    picture = np.asarray(Image.open(tmp_path / "m.png").convert("L")).astype(float)
    low, high = matrix.cost.min(), np.percentile(matrix.cost, 60.0)
    assert (picture[matrix.cost >= high] == 0).all()
    assert 0.39 < (picture == 0).mean() < 0.42
    grey = 255.0 * np.clip((high - matrix.cost.astype(float)) / (high - low), 0.0, 1.0)
    assert np.abs(picture - grey).max() <= 1.01
    with pytest.raises(mg.MotionError, match="percentile"):
        matrix.save_image(tmp_path / "n.png", percentile=0.0)
    assert not (tmp_path / "n.png").exists()


@pytest.mark.parametrize(("suffix", "split"), [(".csv", ","), (".dat", None), (".txt", None)])
def test_tables_of_text(matrix, tmp_path, suffix, split):
    path = tmp_path / f"m{suffix}"
    matrix.save_table(path)
    np.testing.assert_allclose(np.loadtxt(path, delimiter=split), matrix.cost, rtol=1e-4)
    assert ("dance (rows" in path.read_text(encoding="utf-8")) == (suffix != ".csv")
    with pytest.raises(mg.MotionError, match=r"\.csv"):
        matrix.save_table(tmp_path / "m.xls")


def test_figure(matrix, tmp_path):
    threshold = float(np.quantile(matrix.cost, 0.4))
    matrix.save_image(tmp_path / "plain.png", minima=False)
    matrix.save_image(tmp_path / "m.png", threshold, annotated=True)
    picture = Image.open(tmp_path / "m.png")
    assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    scale = round(1400 / 251)
    n, m = matrix.cost.shape
    assert picture.width > m * scale
    assert picture.height > n * scale
    colours = np.asarray(picture).reshape(-1, 3)
    assert (colours == GREEN).all(axis=1).sum() > 100 * len(matrix.minima(threshold))
    assert (np.asarray(picture)[0] == 255).all()
    own = mg.distance_matrix(matrix.pair.a, matrix.pair.a, cache=False)
    own.save_image(tmp_path / "own.png", annotated=True)
    assert Image.open(tmp_path / "own.png").size[0] > 1400


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (300, 1), (2, 2)])
def test_figures_of_odd_shapes(tmp_path, shape):
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng, 4)
    a, b = (smooth_clip(rng, skeleton, n) for n in shape)
    for kind in ("cloud", "angle"):
        matrix = mg.distance_matrix(a, b, mg.Metric(window=0, kind=kind), cache=False)
        matrix.save_image(tmp_path / "m.png", annotated=True)
        matrix.save_image(tmp_path / "n.png", threshold=1.0)
        assert Image.open(tmp_path / "n.png").size == shape[::-1]


def test_kinds_of_pictures(matrix, tmp_path):
    for suffix in ("bmp", "jpg", "tif", "webp"):
        matrix.save_image(tmp_path / f"m.{suffix}")
        assert Image.open(tmp_path / f"m.{suffix}").size == matrix.cost.shape[::-1]
        (tmp_path / f"m.{suffix}").unlink()
    with pytest.raises(mg.MotionError, match=r"pictures are written as \.png"):
        matrix.save_image(tmp_path / "m.svg")
    assert not list(tmp_path.iterdir())


def test_numbers(matrix, tmp_path):
    matrix.save_numbers(tmp_path / "m.npz", threshold=1e9)
    with np.load(tmp_path / "m.npz") as kept:
        assert np.array_equal(kept["cost"], matrix.cost)
        assert np.array_equal(kept["minima"], matrix.minima())
        first = kept["minima"][0]
        place = [float(kept[name][0]) for name in ("theta", "x0", "z0")]
        assert np.allclose(matrix.alignment(first["a"], first["b"]), place)
        assert str(kept["a"]) == "dance"
        assert int(kept["window"]) == 40


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two clips as files, and a cache of its own."""
    monkeypatch.setenv("MOTIONGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MOTIONGRAPH_CACHE", raising=False)
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng, 8)
    for name, frames in (("dance", 200), ("hop", 150)):
        mg.save(smooth_clip(rng, skeleton, frames, name=name), tmp_path / f"{name}.bvh")
    return tmp_path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    told = capsys.readouterr()
    return end.value.code, told.out, told.err


def test_the_command(folder, capsys):
    files = folder / "dance.bvh", folder / "hop.bvh"
    command = ["matrix", *files, "-o", folder / "m.png", "--npz", folder / "m.npz", "--json", "--units", "m"]
    status, out, _ = run(capsys, *command, "--threshold", "30")
    assert status == 0
    told = json.loads(out)
    ref = mg.distance_matrix(*(mg.load(f, units="m") for f in files), cache=False)
    assert (told["rows"], told["columns"]) == ref.cost.shape
    assert told["minimum"] == pytest.approx(ref.cost.min(), abs=1e-3)
    assert told["minima"] == len(ref.minima(30.0))
    assert told["seconds"] > 0
    assert Image.open(folder / "m.png").size == ref.cost.shape[::-1]
    with np.load(folder / "m.npz") as kept:
        assert kept["cost"].shape == ref.cost.shape
    assert len(list((folder / "cache").glob("*.mgcache"))) == 1
    status, out, err = run(capsys, *command)
    assert (status, out) == (1, "")
    assert "is there already" in err
    status, out, err = run(capsys, "matrix", files[0], files[0], "--figure", "-o", folder / "own.png", "--no-cache")
    assert (status, out) == (0, "")
    assert "local minima" in err


def test_the_command_refuses(folder, capsys):
    status, out, err = run(capsys, "matrix", folder / "dance.bvh", folder / "none.bvh")
    assert (status, out) == (1, "")
    assert "none.bvh" in err
    status, _, err = run(capsys, "matrix", folder / "dance.bvh", folder / "hop.bvh", "--window", "9", "--json")
    assert status == 1
    assert "fewer than the" in err
    assert run(capsys, "matrix", folder / "dance.bvh", folder / "hop.bvh", "--order", "3")[0] == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [("bvh/07_01.bvh", "bvh/16_15.bvh"), ("asf_amc/16/16_15.amc", "bvh/35_17.bvh"), ("bvh/07_12.bvh",) * 2],
)
def test_the_command_on_real_motion(mocap, folder, capsys, first, second):
    files = (mocap / "cmu" / f for f in (first, second))
    status, out, _ = run(capsys, "matrix", *files, "-o", folder / "real.png", "--json", "--threshold", "12")
    assert status == 0
    told = json.loads(out)
    assert Image.open(folder / "real.png").size == (told["columns"], told["rows"])
    assert 0 <= told["minimum"] < 30
    assert (told["minimum"] == 0) == (first == second)
