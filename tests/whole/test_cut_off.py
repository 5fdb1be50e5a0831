"""Builds that are killed and go on."""

import os
import signal
import subprocess
import sys
import time

import numpy as np

from motiongraph.files import resource


def test_a_build_goes_on_where_it_was_cut_off(tmp_path):
    """Killed twice and interrupted once, at moments that differ from run to run, it ends in the same file."""
    folder, target = tmp_path / "cache", tmp_path / "g.mgraph"
    clips = sorted(resource("assets/samples").glob("[rw]*.bvh"))[:8]
    command = [sys.executable, "-m", "motiongraph", "build", *clips, "-o", target]
    environment = os.environ | {"MOTIONGRAPH_CACHE_DIR": str(folder)}
    rng = np.random.default_rng()
    pairs = 8 * 9 // 2

    def kept():
        return len(list(folder.glob("*.mgcache")))

    def cut_off(sign, more):
        wanted = kept() + more
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 300
        while kept() < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(sign)
        _, err = process.communicate(timeout=120)
        assert process.returncode != 0
        assert not target.exists()
        assert not list(tmp_path.glob("*.part"))
        return process.returncode, err

    assert cut_off(signal.SIGKILL, int(rng.integers(1, 7)))[0] == -signal.SIGKILL
    assert cut_off(signal.SIGKILL, int(rng.integers(1, 7)))[0] == -signal.SIGKILL
    status, err = cut_off(signal.SIGINT, int(rng.integers(1, 7)))
    assert (status, err.strip()) == (
        130,
        "motiongraph: stopped; what was compared so far is kept, and the same command goes on from there",
    )
    assert 3 <= kept() < pairs
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert kept() == pairs
    resumed = target.read_bytes()

    undisturbed = environment | {"MOTIONGRAPH_CACHE": "off"}
    subprocess.run([*command, "--force"], env=undisturbed, check=True, capture_output=True)
    assert target.read_bytes() == resumed
