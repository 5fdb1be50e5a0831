"""The same results on every processor: children under other BLAS kernels and instruction sets decide the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from PIL import Image, ImageSequence

import motiongraph as mg
from motiongraph.files import resource

HERE = Path(__file__).resolve().parent
FLAGS = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
# As plain as a processor of 64 bits can be: no AVX in BLAS, in numba's code or in numpy's.
PLAIN = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3",
}
KERNELS = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "plain": PLAIN,
}
NEEDS = {"Haswell": "avx2", "SkylakeX": "avx512f", "plain": "avx2"}  # numpy refuses to disable what is not there


def child(program, folder, settings, *arguments):
    """What a program prints in a process with these settings, and nothing cached."""
    environment = {**os.environ, "MOTIONGRAPH_CACHE": "off", **settings}
    if "NUMBA_CPU_NAME" in settings:
        environment["NUMBA_CACHE_DIR"] = str(folder)
    run = subprocess.run(
        [sys.executable, *program, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def needed(kernel):
    if FLAGS and kernel in NEEDS and f" {NEEDS[kernel]} " not in FLAGS:
        pytest.skip(f"this processor has no {NEEDS[kernel]}")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return json.loads(child([HERE / "deciding.py"], tmp_path_factory.mktemp("native"), {}))


@pytest.mark.parametrize("kernel", KERNELS)
def test_another_kernel_decides_the_same(kernel, here, tmp_path):
    needed(kernel)
    assert json.loads(child([HERE / "deciding.py"], tmp_path, KERNELS[kernel])) == here


def test_the_order_of_clips_decides_nothing(here, tmp_path):
    there = json.loads(child([HERE / "deciding.py"], tmp_path, {"OPENBLAS_NUM_THREADS": "1"}, "reversed"))
    assert there == {name: here[name] for name in there}


@pytest.mark.parametrize("kernel", ["Haswell", "Nehalem", "SkylakeX"])
def test_the_readme_is_true_under_another_kernel(kernel, tmp_path):
    needed(kernel)
    program = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_readme.py::test_commands_print_what_it_says"]
    assert "1 passed" in child(program, tmp_path, KERNELS[kernel], "-o", "addopts=")


def test_pictures_and_films_look_the_same(tmp_path):
    """Pixels follow float32 costs and the driver's arithmetic: nearly equal is enough."""
    sample = ROOT / "assets/samples/walk.bvh"
    commands = {
        "matrix.png": ["matrix", sample, ROOT / "assets/samples/run.bvh", "--threshold", "5"],
        "pose.png": ["render", sample, "--frame", "90", "--size", "160x120"],
        "film.gif": ["render", sample, "--frames", "0:60", "--size", "96x72"],
    }
    for name, command in commands.items():
        frames = []
        for kernel, settings in (("native", {}), ("Nehalem", KERNELS["Nehalem"])):
            target = tmp_path / kernel / name
            target.parent.mkdir(exist_ok=True)
            child(["-m", "motiongraph"], tmp_path, settings, *map(str, command), "-o", str(target))
            with Image.open(target) as picture:
                frames.append([np.asarray(f.convert("RGB"), float) for f in ImageSequence.Iterator(picture)])
        one, other = (np.array(each) for each in frames)
        assert one.shape == other.shape
        assert np.abs(one - other).mean() < 0.5, name


def test_every_walk_through_a_graph_is_the_same(tmp_path):
    """The same graph, so that only what walks compute can differ."""
    if FLAGS and " avx2 " not in FLAGS:
        pytest.skip("this processor has no avx2")
    graph = tmp_path / "samples.mgraph"
    names = ("walk", "walk_left", "walk_right_90", "run", "walk_run")
    mg.MotionGraph.build([mg.load(resource("assets/samples") / f"{name}.bvh") for name in names]).save(graph)
    native, plain = (child([HERE / "all_walks.py"], tmp_path / "numba", settings, graph) for settings in ({}, PLAIN))
    assert json.loads(plain) == json.loads(native)
