"""Compiled functions: each compiles at its first call, or comes from numba's cache on disk. Importing compiles nothing.

A kernel that Python calls has one fixed signature, so that it is compiled once whatever arrays it meets. Functions that
only other kernels call are plain `njit(**FAST)` functions without one.
"""

import atexit
import functools
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config as numba_config
from numba import njit, types
from platformdirs import user_cache_dir

B1, U1 = types.boolean, types.uint8
I32, I64 = types.int32, types.int64
F32, F64 = types.float32, types.float64

_config: Any = numba_config  # its settings are made at run time, which no type checker sees

# No fused or reordered arithmetic: a result is the same on every processor.
FAST: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def _find_cache() -> None:
    """See to it that numba can keep what it compiles.

    It looks beside the source and in the user's cache, and where it may write to neither, as in some containers, it
    refuses to work at all. A folder that goes with the process does then.
    """
    places = [Path(_config.CACHE_DIR)] if _config.CACHE_DIR else []
    places += [Path(__file__).parent / "__pycache__", Path(user_cache_dir("numba", appauthor=False))]
    if any(map(_writable, places)):
        return
    try:
        folder = tempfile.mkdtemp(prefix="motiongraph-kernels-")
    except OSError:
        FAST["cache"] = False
        warnings.warn("nothing can be written here: kernels are compiled at every start", stacklevel=2)
        return
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _config.CACHE_DIR = folder
    warnings.warn("compiled kernels cannot be kept: every start compiles them again", stacklevel=2)


def _writable(folder: Path) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


_find_cache()


def read(of: types.Type, dimensions: int = 1) -> types.Array:
    """Type of a contiguous array that a kernel only reads; arrays that may be written are accepted too."""
    return types.Array(of, dimensions, "C", readonly=True)


class Kernel:
    """A numba function of one signature. compiled: numba's dispatcher, for use inside other kernels."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]):
        self.compiled = njit(**options)(function)
        self.signature = signature
        self.ready, self.lock = False, threading.Lock()
        functools.update_wrapper(self, function)

    def __call__(self, *values: Any) -> Any:
        if not self.ready:
            self.compile()
        return self.compiled(*values)

    def compile(self) -> None:
        """Compile it, or load it from the cache."""
        with self.lock:
            if not self.ready:
                self.compiled.compile(self.signature)
                self.compiled.disable_compile()  # for other types of arrays: they are converted
                self.ready = True


_kernels: list[Kernel] = []


def kernel(signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator of a function that Python calls with these numba types; options: of njit, instead of `FAST`."""

    def wrap(function: Callable[..., Any]) -> Kernel:
        made = Kernel(function, signature, options or FAST)
        _kernels.append(made)
        return made

    return wrap


def compile_all(progress: Callable[[int, int, str], None] | None = None, parts: tuple[str, ...] = ()) -> None:
    """Compile every kernel of the modules that were imported so far; parts: only of those whose names begin so."""
    kernels = [each for each in _kernels if not parts or each.compiled.py_func.__module__.startswith(parts)]
    for index, each in enumerate(kernels):
        if progress is not None:
            progress(index, len(kernels), each.compiled.__name__)
        if not each.ready:
            each.compile()
