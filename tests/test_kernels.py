"""Kernels compile at their first call, once, and work where nothing can be kept."""

import os
import shutil
import subprocess
import sys

import numpy as np
from conftest import ROOT

from motiongraph.elementary import _sin

TRY = "import warnings; warnings.simplefilter('always'); from motiongraph.elementary import sin; print(sin(1.0))"


def test_importing_compiles_nothing():
    """All that the panels need is imported without numba, which takes as long as all the rest."""
    code = "import sys, motiongraph.app.commands, motiongraph.app.update; print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.split() == ["False"]


def test_one_signature_serves_every_array():
    out, x = np.empty(3), np.arange(3.0)
    _sin(x, out)
    x.flags.writeable = False
    _sin(x, out)
    assert len(_sin.compiled.signatures) == 1


def test_many_threads_may_call_a_kernel_first():
    code = (
        "import threading; from motiongraph.elementary import sin; found = [];"
        "threads = [threading.Thread(target=lambda: found.append(sin(1.0))) for _ in range(8)];"
        "[t.start() for t in threads]; [t.join() for t in threads]; print(len(found))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.split() == ["8"]


def test_where_nothing_can_be_kept(tmp_path):
    """Neither the package's folder nor the home can be written: a file stands where the folder would be."""
    package = tmp_path / "motiongraph"
    shutil.copytree(ROOT / "motiongraph", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__pycache__").write_text("")
    home = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "PYTHONPATH": str(tmp_path)}
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | home
    run = subprocess.run([sys.executable, "-c", TRY], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert abs(float(run.stdout) - np.sin(1.0)) < 1e-15
    assert "every start compiles them again" in run.stderr
    assert not list(tmp_path.glob("motiongraph-kernels-*"))
