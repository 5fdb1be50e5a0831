"""Where the files that come with the program lie: shaders and sample clips. Standard library only."""

from pathlib import Path

from motiongraph.errors import MotionError

_HERE = Path(__file__).resolve().parent

# In a wheel they are packed beside this file (pyproject.toml); in a checkout they stand at its root.
_PLACES = (_HERE / "_data", _HERE.parent)


def resource(name: str) -> Path:
    """The file or folder called `name`, such as "assets/samples" or "shaders/floor.frag"."""
    for place in _PLACES:
        if (place / name).exists():
            return place / name
    raise MotionError(f"{name!r} did not come with this installation of motiongraph; install it again")
