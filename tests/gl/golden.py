"""Pictures compared with stored ones, on the software renderer only: other drivers draw other edges.

MOTIONGRAPH_RENEW_GOLDEN=1 writes them anew; look at them before committing. Where one differs, the picture drawn,
the one expected and their difference are written side by side into a folder that the failure names.
"""

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

FOLDER = Path(__file__).parent / "golden"
MEAN, FEW, FAR = 0.6, 0.004, 24  # levels on average; share of pixels that may be off by more than so many levels


def difference(drawn, expected):
    """Mean difference in levels of 255, and the share of pixels that are far off."""
    off = np.abs(drawn.astype(int) - expected.astype(int))
    return float(off.mean()), float((off.max(axis=2) > FAR).mean())


def check(name: str, drawn: np.ndarray, context) -> None:
    """Fail unless the picture (h, w, 3) is the stored one."""
    path = FOLDER / f"{name}.png"
    if os.environ.get("MOTIONGRAPH_RENEW_GOLDEN"):
        Image.fromarray(drawn).save(path, optimize=True)
        pytest.skip(f"{path.name} was written anew")
    if not context.software:
        pytest.skip(f"stored pictures are those of the software renderer, not of {context.renderer}")
    expected = np.asarray(Image.open(path).convert("RGB"))
    assert drawn.shape == expected.shape
    mean, far = difference(drawn, expected)
    if mean > MEAN or far > FEW:
        folder = Path(tempfile.gettempdir()) / "motiongraph-golden"
        folder.mkdir(exist_ok=True)
        off = np.clip(4 * np.abs(drawn.astype(int) - expected.astype(int)), 0, 255).astype(np.uint8)
        Image.fromarray(np.hstack([drawn, expected, off])).save(folder / f"{name}.png")
        pytest.fail(f"{name}: off by {mean:.2f} levels, {far:.2%} of pixels far off; see {folder / name}.png")
