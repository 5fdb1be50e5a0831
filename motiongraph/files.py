"""Writing files so that they appear whole or not at all. Standard library only."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from motiongraph.errors import MotionError

# Asking for the mask means setting it, which other threads would notice: once, before there are any.
_UMASK = os.umask(0)
os.umask(_UMASK)


@contextmanager
def writing(path, mode: str = "wb", **options):
    """An open temporary file beside `path` that takes its name when the block ends well and vanishes otherwise.

    Problems of the file system (no such folder, no permission, disk full) are raised as a MotionError.
    """
    path = Path(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent or ".")
        with open(handle, mode, **options) as file:
            yield file
        os.chmod(temporary, 0o666 & ~_UMASK)  # mkstemp makes files private; a saved clip should not be
        os.replace(temporary, path)
    except BaseException as problem:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise MotionError(f"{path}: cannot be written: {problem.strerror or problem}") from problem
        raise
