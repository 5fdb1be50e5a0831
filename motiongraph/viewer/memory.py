"""Memory that nobody uses any more goes back to the system."""

import ctypes
import functools
import gc
import sys

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_trim, _set = getattr(_libc, "malloc_trim", None), getattr(_libc, "mallopt", None)
_ARENA_MAX = -8  # of glibc's malloc.h
_OURS = ("motiongraph.app.", "motiongraph.viewer.")


def share_pools() -> None:
    """glibc gives each thread a pool of memory and keeps what was freed there for the next: jobs are threads, and their
    pools grew and were never used up. Two are enough; to be called before there are more."""
    if _set is not None:
        _set(_ARENA_MAX, 2)


def look_through() -> None:
    """Look for garbage in everything, what was left out (`gc.freeze`) too, and leave out what remains. Takes about a
    tenth of a second."""
    gc.unfreeze()
    # Panels remember words and figures by the result they are of: hundreds of results, each with its graph and clips.
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and str(one.__module__).startswith(_OURS):
            one.cache_clear()
    gc.collect()
    gc.freeze()
    if _trim is not None:
        _trim(0)
