"""A graph built on a Dask cluster of real processes is the graph built here, to the last bit."""

import json
import os
import signal

import pytest
from distributed import Client, LocalCluster

import motiongraph as mg
from motiongraph.cli import main
from motiongraph.files import resource
from motiongraph.metric import cluster, tape
from motiongraph.progress import Cancelled, Comparing


@pytest.fixture(scope="module")
def clips():
    folder = resource("assets/captured")
    return [mg.load(folder / f"{name}.bvh") for name in sorted(p.stem for p in folder.glob("*.bvh"))[:6]]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Enough pairs of blocks that several workers have some; nothing from the cache."""
    monkeypatch.setattr(tape, "_LONGEST", 200)
    monkeypatch.setenv("MOTIONGRAPH_CACHE", "off")


def workers(count):
    return LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)


@pytest.mark.parametrize("count", [1, 4])
def test_the_same_table_however_many_workers(clips, count):
    here = mg.MotionGraph.build(clips)
    with workers(count) as processes, Client(processes) as client:
        there = mg.MotionGraph.build(clips, client=client)
    assert there.candidates.table.tobytes() == here.candidates.table.tobytes()


def test_a_worker_that_dies_costs_only_its_tasks(clips):
    here, killed = mg.MotionGraph.build(clips), []
    with workers(2) as processes, Client(processes) as client:
        pid = next(iter(client.run(os.getpid).values()))

        def kill_once(done, total, what="", /):
            if 0 < done < 0.5 * total and not killed and isinstance(what, Comparing):
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        there = mg.MotionGraph.build(clips, client=client, progress=kill_once)
    assert killed
    assert there.candidates.table.tobytes() == here.candidates.table.tobytes()


def test_a_build_can_be_stopped(clips):
    def stop(done, total, what="", /):
        if done and isinstance(what, Comparing):
            raise Cancelled

    with workers(1) as processes, Client(processes) as client:
        with pytest.raises(Cancelled):
            mg.MotionGraph.build(clips, client=client, progress=stop)
        assert not client.futures


def test_workers_with_another_version_are_refused(clips, monkeypatch):
    with workers(1) as processes, Client(processes) as client:
        monkeypatch.setattr(cluster, "__version__", "0.0.1")
        with pytest.raises(mg.MotionError, match=r"has motiongraph .*, and this is 0\.0\.1: install the same"):
            mg.MotionGraph.build(clips, client=client)


def test_build_with_workers_on_the_command_line(tmp_path, capsys):
    given = [str(resource("assets/captured"))]
    for name, more in (("here", []), ("there", ["--workers", "2"])):
        with pytest.raises(SystemExit, match=r"^0$"):
            main(["build", *given, "-o", str(tmp_path / f"{name}.mgraph"), "--json", *more])
        said = capsys.readouterr()
        assert json.loads(said.out)["clips"] > 5
        assert ("the dashboard: http" in said.err) == bool(more)
    here, there = (mg.MotionGraph.load(tmp_path / f"{name}.mgraph") for name in ("here", "there"))
    assert here.candidates.table.tobytes() == there.candidates.table.tobytes()


def test_a_cluster_that_is_not_there(tmp_path, capsys):
    with pytest.raises(SystemExit, match=r"^1$"):
        main(["build", "-o", str(tmp_path / "g.mgraph"), "--scheduler", "tcp://127.0.0.1:9"])
    assert "no Dask cluster at tcp://127.0.0.1:9" in capsys.readouterr().err
