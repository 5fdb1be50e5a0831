"""Compiled functions: each compiles at its first call, or comes from numba's cache on disk. Importing compiles nothing.

A kernel that Python calls has one fixed signature, so that it is compiled once whatever arrays it meets. Functions that
only other kernels call are plain `njit(**FAST)` functions without one.
"""

import functools
from collections.abc import Callable
from typing import Any

from numba import njit, types

B1, U1 = types.boolean, types.uint8
I32, I64 = types.int32, types.int64
F32, F64 = types.float32, types.float64

# No fused or reordered arithmetic: a result is the same on every processor.
FAST: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def read(of: types.Type, dimensions: int = 1) -> types.Array:
    """Type of a contiguous array that a kernel only reads; arrays that may be written are accepted too."""
    return types.Array(of, dimensions, "C", readonly=True)


class Kernel:
    """A numba function of one signature. compiled: numba's dispatcher, for use inside other kernels."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]):
        self.compiled = njit(**options)(function)
        self.signature = signature
        self.ready = False
        functools.update_wrapper(self, function)

    def __call__(self, *values: Any) -> Any:
        if not self.ready:
            self.compile()
        return self.compiled(*values)

    def compile(self) -> None:
        """Compile it, or load it from the cache; numba's own lock keeps two threads apart."""
        self.compiled.compile(self.signature)
        self.ready = True


_kernels: list[Kernel] = []


def kernel(signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator of a function that Python calls with these numba types; options: of njit, instead of `FAST`."""

    def wrap(function: Callable[..., Any]) -> Kernel:
        made = Kernel(function, signature, options or FAST)
        _kernels.append(made)
        return made

    return wrap


def compile_all(progress: Callable[[int, int, str], None] | None = None) -> None:
    """Compile every kernel of the modules that were imported so far."""
    for index, each in enumerate(_kernels):
        if progress is not None:
            progress(index, len(_kernels), each.compiled.__name__)
        if not each.ready:
            each.compile()
