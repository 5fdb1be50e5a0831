"""The soak of live motion drives a session of its own and leaves nothing with whoever runs it."""

import os
import subprocess
import sys
from pathlib import Path

SOAK = Path(__file__).resolve().parents[2] / "scripts" / "soak_live.py"


def test_a_soak_is_not_kept_as_unsaved_work(tmp_path):
    environment = os.environ | {"MOTIONGRAPH_CONFIG": str(tmp_path / "config"), "TMPDIR": str(tmp_path)}
    # Work is kept after a minute, which 0.02 h are longer than.
    command = [sys.executable, str(SOAK), "0.02", "--match", "walk_left*", "--no-feet"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "errors: none" in done.stdout
    assert not list(tmp_path.iterdir())
