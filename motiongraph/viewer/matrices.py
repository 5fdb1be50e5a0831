"""PyGLM as the viewer uses it: vectors and matrices of double precision, which float32 would be too coarse for.

PyGLM's stubs take most results for float32 or for matrices of another shape. So its functions are declared as Any, in
this one place; the types are real.
"""

from typing import Any

from pyglm import glm as _glm
from pyglm.glm import dmat3, dmat4, dquat, dvec3, dvec4

__all__ = ["dmat3", "dmat4", "dquat", "dvec3", "dvec4", "glm", "product"]

glm: Any = _glm


def product(a: Any, b: Any) -> Any:
    """a · b: of two matrices, or of a matrix and a vector."""
    return a * b
