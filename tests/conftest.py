"""Fixtures every test may use."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

# Tests leave nothing in the folders of whoever runs them; programs they start inherit this.
_CACHE = tempfile.TemporaryDirectory(prefix="motiongraph-test-cache-")
os.environ["MOTIONGRAPH_CACHE_DIR"] = _CACHE.name
os.environ["MOTIONGRAPH_CONFIG"] = str(Path(_CACHE.name) / "config")

# Without a display all drawing is done by EGL, also where a test imports what draws before anything is drawn.
if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("PYOPENGL_PLATFORM", "egl")

# A shell that starts the tests in the background makes them, and all they start, deaf to Ctrl-C, which some test.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def config(tmp_path, tmp_path_factory, monkeypatch) -> Path:
    """The program's own folder, and that for temporary files, for one test alone."""
    monkeypatch.setenv("MOTIONGRAPH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
    return tmp_path / "config"


@pytest.fixture(scope="session")
def motion():
    """A graph of two samples, a walk through it, and its motion: made once for all."""
    from sessions import made_motion

    return made_motion()


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder of real motion capture (shared/mocap), or a skip where there is none."""
    folder = os.environ.get("MOTIONGRAPH_MOCAP")
    if not folder:
        pytest.skip("MOTIONGRAPH_MOCAP is not set")
    folder = Path(folder)
    assert (folder / "cmu").is_dir(), f"MOTIONGRAPH_MOCAP={folder} holds no cmu folder"
    return folder


@pytest.fixture(scope="session")
def oracles(mocap) -> Path:
    """Figures from independent programs, beside the motion capture."""
    return mocap.parent / "oracles"


@pytest.fixture(scope="module")
def screen():
    """A virtual screen for the tests in gl/, without anyone else on it."""
    from person import Screen, screen_needed

    screen_needed()
    screen = Screen()
    yield screen
    screen.close()
