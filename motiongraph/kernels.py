"""Compiled functions: each compiles at its first call, or comes from numba's cache on disk. Importing compiles nothing.

A kernel that Python calls has one fixed signature, so that it is compiled once whatever arrays it meets. Functions that
only other kernels call are plain `njit(**FAST)` functions without one. numba itself, which takes as long to import as
all the rest together, is imported at the first call too: `types` and `njit` below stand for numba's until then.
"""

import atexit
import dis
import functools
import importlib
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

from platformdirs import user_cache_dir


class Later:
    """An expression of numba, written down as it stands and worked out by `value` when a kernel is compiled."""

    def __init__(self, work: Callable[[], Any]):
        self._work = work

    def __getattr__(self, name: str) -> "Later":
        if name.startswith("_"):  # asked for by inspect, copy and the like, not by us
            raise AttributeError(name)
        return Later(lambda: getattr(value(self), name))

    def __getitem__(self, layout: Any) -> "Later":
        return Later(lambda: value(self)[layout])

    def __call__(self, *given: Any, **named: Any) -> "Later":
        return Later(lambda: value(self)(*map(value, given), **{k: value(v) for k, v in named.items()}))

    @functools.cached_property
    def _value(self) -> Any:
        return self._work()


def value(of: Any) -> Any:
    """What stands for itself, and what a `Later` or a tuple of them stands for."""
    if isinstance(of, Later):
        return of._value
    return tuple(map(value, of)) if type(of) is tuple else of


numba: Any = Later(lambda: importlib.import_module("numba"))
types: Any = numba.types
VOID, B1, U1 = types.void, types.boolean, types.uint8
I32, I64 = types.int32, types.int64
F32, F64 = types.float32, types.float64

# No fused or reordered arithmetic: a result is the same on every processor.
FAST: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# The same for functions that make no arrays: numba then counts no references to those it is given, which in a function
# that passes on tuples of thirty arrays took two thirds of the time.
BARE: dict[str, Any] = {**FAST, "_nrt": False}


@functools.cache
def _can_cache() -> bool:
    """See to it that numba can keep what it compiles; whether it can.

    It looks beside the source and in the user's cache, and where it may write to neither, as in some containers, it
    refuses to work at all. A folder that goes with the process does then.
    """
    config = value(numba.config)
    places = [Path(config.CACHE_DIR)] if config.CACHE_DIR else []
    places += [Path(__file__).parent / "__pycache__", Path(user_cache_dir("numba", appauthor=False))]
    if any(map(_writable, places)):
        return True
    try:
        folder = tempfile.mkdtemp(prefix="motiongraph-kernels-")
    except OSError:
        warnings.warn("nothing can be written here: kernels are compiled at every start", stacklevel=2)
        return False
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    config.CACHE_DIR = folder
    warnings.warn("compiled kernels cannot be kept: every start compiles them again", stacklevel=2)
    return True


def _writable(folder: Path) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def read(of: Any, dimensions: int = 1) -> Any:
    """Type of a contiguous array that a kernel only reads; arrays that may be written are accepted too."""
    return types.Array(of, dimensions, "C", readonly=True)


class Inner:
    """A numba function for other kernels, compiled for whatever types it meets."""

    _building = threading.RLock()

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]):
        self.function: Any = function
        self.options = options
        functools.update_wrapper(self, function)

    def __call__(self, *values: Any) -> Any:
        return self.compiled(*values)

    @functools.cached_property
    def compiled(self) -> Any:
        """numba's dispatcher of the function, whose globals are what they stand for: dispatchers and types."""
        with self._building:
            if "compiled" in self.__dict__:  # another thread was quicker
                return self.__dict__["compiled"]
            own, outer = self.function, self.function.__globals__
            known = {name: _for_numba(outer[name]) for name in _names(own.__code__) if name in outer}
            cells = own.__closure__ and tuple(CellType(_for_numba(cell.cell_contents)) for cell in own.__closure__)
            function = FunctionType(own.__code__, outer | known, own.__name__, own.__defaults__, cells)
            function.__module__, function.__qualname__ = own.__module__, own.__qualname__
            return value(numba.njit)(cache=_can_cache(), **self.options)(function)


class Kernel(Inner):
    """A numba function of one signature."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]):
        super().__init__(function, options)
        self.signature = signature
        self.ready, self.lock = False, threading.Lock()

    def __call__(self, *values: Any) -> Any:
        if not self.ready:
            self.compile()
        return self.compiled(*values)

    def compile(self) -> None:
        """Compile it, or load it from the cache."""
        with self.lock:
            if not self.ready:
                self.compiled.compile(value(self.signature))
                self.compiled.disable_compile()  # for other types of arrays: they are converted
                self.ready = True


def _for_numba(found: Any) -> Any:
    return found.compiled if isinstance(found, Inner) else value(found) if isinstance(found, Later) else found


def _names(code: CodeType) -> Iterator[str]:
    """The globals that a function uses, those of the functions within it among them."""
    yield from (each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


_kernels: list[Kernel] = []


def njit(**options: Any) -> Callable[[Callable[..., Any]], Inner]:
    """Decorator of a function that other kernels call; options: of numba's njit."""
    return lambda function: Inner(function, options)


def kernel(signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator of a function that Python calls with these numba types; options: of njit, instead of `FAST`."""

    def wrap(function: Callable[..., Any]) -> Kernel:
        _kernels.append(Kernel(function, signature, options or FAST))
        return _kernels[-1]

    return wrap


def compile_all(progress: Callable[[int, int, str], None] | None = None, parts: tuple[str, ...] = ()) -> None:
    """Compile every kernel of the modules that were imported so far; parts: only of those whose names begin so."""
    kernels = [each for each in _kernels if not parts or each.function.__module__.startswith(parts)]
    for index, each in enumerate(kernels):
        if progress is not None:
            progress(index, len(kernels), "compiling, once for this computer")
        if not each.ready:
            each.compile()
