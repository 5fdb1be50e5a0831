"""The script that made the bundled samples."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "assets" / "samples"


def test_the_script_makes_the_bundled_files_again(tmp_path):
    """Byte for byte where sines and cosines round alike; elsewhere no number may be off by more than its last digit."""
    script = ROOT / "scripts" / "make_samples.py"
    subprocess.run([sys.executable, script, "--out", tmp_path], check=True, capture_output=True, timeout=120)
    assert sorted(f.name for f in tmp_path.iterdir()) == sorted(f.name for f in SAMPLES.iterdir())
    for path in tmp_path.iterdir():
        made, bundled = path.read_text(encoding="utf-8"), (SAMPLES / path.name).read_text(encoding="utf-8")
        if made != bundled:
            number = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
            assert number.sub("#", made) == number.sub("#", bundled), path.name
            made, bundled = (np.array(number.findall(text), float) for text in (made, bundled))
            assert np.abs(made - bundled).max() < 2e-6, path.name
