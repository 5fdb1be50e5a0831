"""Distances kept on disk: found again, never wrong, never too many."""

import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from bodies import random_skeleton, smooth_clip
from conftest import ROOT

import motiongraph as mg
from motiongraph.metric import distance, stream
from motiongraph.metric.cache import Cache, open_cache
from motiongraph.metric.search import search
from motiongraph.progress import Cancelled


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "kept")


@pytest.fixture
def clips():
    rng = np.random.default_rng(5)
    skeleton = random_skeleton(rng, 8)
    return [smooth_clip(rng, skeleton, n, name=f"clip{n}") for n in (150, 190, 120)]


@pytest.fixture
def computed(monkeypatch):
    """A list that grows by one with every run of the kernels."""
    runs = []

    def run(jobs, work, total, progress, what):
        runs.append(len(jobs)) if jobs else None
        real(jobs, work, total, progress, what)

    real = stream.run
    monkeypatch.setattr(stream, "run", run)
    return runs


def files(cache):
    return sorted(cache.folder.glob("*.mgcache"))


def test_arrays_come_back_as_they_were(cache):
    table = np.zeros(3, [("a", "i4"), ("cost", "f4")])
    arrays = {"cost": np.random.default_rng(0).random((7, 5), np.float32), "table": table, "none": np.empty((0, 4))}
    assert cache.get("key") is None
    assert cache.put("key", arrays)
    back = cache.get("key")
    for name, array in arrays.items():
        assert np.array_equal(back[name], array)
        assert back[name].dtype == array.dtype
    assert cache.get("other key") is None


def test_no_distance_is_computed_twice(cache, clips, computed):
    a, b, _ = clips
    ref = mg.distance_matrix(a, b, cache=cache)
    assert len(computed) == 1
    again = mg.distance_matrix(a, b, cache=Cache(cache.folder))
    other_way = mg.distance_matrix(b.labelled(["renamed"]), a, cache=cache)
    assert len(computed) == 1
    assert np.array_equal(again.cost, ref.cost)
    assert np.array_equal(other_way.cost, ref.cost.T)
    for changed in (
        lambda: mg.distance_matrix(a, b, mg.Metric(window=0.2), cache=cache),
        lambda: mg.distance_matrix(a, b, mg.Metric(samples_per_bone=4), cache=cache),
        lambda: mg.distance_matrix(a, b, mg.Metric(joint_weights={"joint2": 0.5}), cache=cache),
        lambda: mg.distance_matrix(a[1:], b, cache=cache),
        lambda: mg.distance_matrix(a, b, cache=False),
    ):
        before = len(computed)
        changed()
        assert len(computed) == before + 1


def test_minima_up_to_a_ceiling_serve_every_lower_one(cache, clips, computed):
    a, b, _ = clips
    every = mg.find_minima(a, b, cache=False)
    middle = float(np.median(every["cost"]))
    computed.clear()
    assert np.array_equal(mg.find_minima(a, b, ceiling=middle, cache=cache), every[every["cost"] <= np.float32(middle)])
    assert len(computed) == 1
    low = float(every["cost"][1])
    assert len(mg.find_minima(a, b, ceiling=low, cache=cache)) == 2
    assert len(mg.find_minima(b, a, ceiling=low, radius=3, cache=cache)) <= 2
    assert len(computed) == 1
    assert np.array_equal(mg.find_minima(a, b, cache=cache), every)
    assert len(computed) == 2
    assert np.array_equal(mg.find_minima(a, b, ceiling=middle, cache=cache), every[every["cost"] <= np.float32(middle)])
    assert len(computed) == 2


def test_a_search_that_was_stopped_goes_on(cache, clips, computed, monkeypatch):
    metric = mg.Metric()
    prepared = [metric.prepare(c) for c in clips]
    pairs = [(p, q) for i, p in enumerate(prepared) for q in prepared[i:]]
    ref = search(pairs, cache=False)
    jobs = computed.pop()

    def stop(done, total, what):
        if files(cache):
            raise Cancelled

    monkeypatch.setattr(stream, "workers", lambda: 1)  # progress is then told of every block

    with pytest.raises(Cancelled):
        search(pairs, cache=cache, progress=stop)
    computed.clear()
    comp = search(pairs, cache=cache)
    assert computed[0] < jobs
    assert all(np.array_equal(x, y) for x, y in zip(comp, ref))
    assert not list(cache.folder.glob("*.part"))


@pytest.mark.parametrize("harm", ["short", "empty", "flipped head", "flipped body", "text", "longer"])
def test_damaged_entries_are_ignored(cache, clips, harm):
    a, b, _ = clips
    ref = mg.distance_matrix(a, b, cache=cache)
    (file,) = files(cache)
    content = bytearray(file.read_bytes())
    if harm == "short":
        content = content[: len(content) // 2]
    elif harm == "empty":
        content = b""
    elif harm == "flipped head":
        content[40] ^= 1
    elif harm == "flipped body":
        content[-100] ^= 16
    elif harm == "text":
        content = b"motiongraph cache 1\nhello"
    else:
        content += b"\0" * 8
    file.write_bytes(content)
    assert np.array_equal(mg.distance_matrix(a, b, cache=cache).cost, ref.cost)
    assert file.read_bytes() != content  # written anew


def test_the_least_recently_used_go_first(tmp_path):
    cache = Cache(tmp_path, limit=40_000)
    block = {"x": np.zeros(1000)}
    past = time.time() - 1000
    for k in range(4):
        assert cache.put(f"key{k}", block)
        os.utime(cache._path(f"key{k}"), (past + k, past + k))
    assert cache.get("key0") is not None  # now the most recent
    for k in range(4, 6):
        cache.put(f"key{k}", block)
    cache.trim()
    assert sum(f.stat().st_size for f in files(cache)) <= 40_000
    assert cache.get("key0") is not None
    assert cache.get("key1") is None
    assert cache.get("key2") is None
    assert cache.get("key5") is not None
    assert not cache.put("too large", {"x": np.zeros(10_000)})
    cache.clear()
    assert not files(cache)


def test_what_cannot_be_removed_stays(tmp_path):
    """As an entry of someone else in a folder that is shared; here a folder, which even root cannot unlink."""
    cache = Cache(tmp_path, limit=1000)
    for name in ("0" * 40 + ".mgcache", "1" * 40 + ".part"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ("2" * 40 + ".mgcache")).write_bytes(bytes(5000))
    cache.trim()
    cache.clear()
    assert sorted(path.name[0] for path in tmp_path.iterdir()) == ["0", "1"]


def test_what_a_killed_program_left_is_removed(tmp_path):
    cache = Cache(tmp_path)
    old, new, foreign = (tmp_path / n for n in (".a.mgcache.1.part", ".b.mgcache.2.part", "letter.txt"))
    for path in (old, new, foreign):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    os.utime(foreign, (1, 1))
    cache.trim()
    assert not old.exists()
    assert new.exists()
    assert foreign.exists()


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path, clips):
    (tmp_path / "file").write_text("not a folder")
    cache = Cache(tmp_path / "file" / "folder")
    with pytest.warns(UserWarning, match="distances are not kept"):
        mg.distance_matrix(*clips[:2], cache=cache)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mg.distance_matrix(*clips[:2], cache=cache)


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.delenv("MOTIONGRAPH_CACHE", raising=False)
    monkeypatch.setenv("MOTIONGRAPH_CACHE_DIR", str(tmp_path / "here"))
    assert open_cache().folder == tmp_path / "here"
    monkeypatch.setenv("MOTIONGRAPH_CACHE", "off")
    assert open_cache() is None
    monkeypatch.delenv("MOTIONGRAPH_CACHE")
    monkeypatch.delenv("MOTIONGRAPH_CACHE_DIR")
    assert "motiongraph" in str(open_cache().folder)
    assert distance.open_cache is open_cache
    assert open_cache().limit == 2 << 30
    monkeypatch.setenv("MOTIONGRAPH_CACHE_LIMIT", "0.5")
    assert open_cache().limit == 1 << 29
    monkeypatch.setenv("MOTIONGRAPH_CACHE_LIMIT", "much")
    with pytest.raises(mg.MotionError, match="a number of gigabytes from 0 up, not 'much'"):
        open_cache()


_WRITER = """
import sys, numpy as np
from motiongraph.metric.cache import Cache
cache, me = Cache(sys.argv[1], limit=3_000_000), int(sys.argv[2])
print("ready", flush=True)
for k in range(400):
    cache.put(f"key{k % 20}", {"x": np.full(20_000, float(k % 20))})
    found = cache.get(f"key{(k + me) % 20}")
    assert found is None or (found["x"] == (k + me) % 20).all()
"""


def test_programs_share_it_and_may_be_killed(tmp_path):
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    crowd = [subprocess.Popen([*command, str(k)], cwd=ROOT, stdout=subprocess.PIPE) for k in range(3)]
    for program in crowd:
        program.stdout.readline()
    time.sleep(0.05)
    crowd[0].kill()
    assert [program.wait(60) for program in crowd[1:]] == [0, 0]
    crowd[0].wait()
    for program in crowd:
        program.stdout.close()
    cache = Cache(tmp_path, limit=3_000_000)
    kept = [cache.get(f"key{k}") for k in range(20)]
    assert any(x is not None for x in kept)
    assert all(x is None or (x["x"] == k).all() for k, x in enumerate(kept))
