"""Buffers: rows of instances that shaders fetch from, meshes, and the uniform block of a frame."""

import ctypes

import numpy as np
from OpenGL import GL

from motiongraph.viewer.gl.objects import Owned

_LEAST = 4096  # bytes; small batches grow without a new buffer every time


class Buffer(Owned):
    """Memory of the graphics card that grows as needed."""

    kind = "buffer"

    def __init__(self, target, usage):
        super().__init__(GL.glGenBuffers(1))
        self._target, self._usage, self._size = target, usage, 0

    def upload(self, data: np.ndarray) -> None:
        """Replace the contents; what is still being drawn from the old ones is not waited for."""
        GL.glBindBuffer(self._target, self.number)
        if data.nbytes > self._size:
            self._size = max(_LEAST, 1 << (data.nbytes - 1).bit_length())
        GL.glBufferData(self._target, self._size, None, self._usage)
        if data.nbytes:
            GL.glBufferSubData(self._target, 0, data.nbytes, ctypes.c_void_p(data.ctypes.data))

    def _delete(self, number):
        GL.glDeleteBuffers(1, [number])


class Rows(Owned):
    """Rows of float32 that vertex shaders read with texelFetch, four numbers at a time, by instance."""

    kind = "buffer texture"

    def __init__(self):
        super().__init__(GL.glGenTextures(1))
        self._buffer = Buffer(GL.GL_TEXTURE_BUFFER, GL.GL_STREAM_DRAW)
        self._attached = False

    def upload(self, rows: np.ndarray) -> None:
        """rows: (n, 4 k) float32, contiguous."""
        self._buffer.upload(rows)
        if not self._attached:
            GL.glBindTexture(GL.GL_TEXTURE_BUFFER, self.number)
            GL.glTexBuffer(GL.GL_TEXTURE_BUFFER, GL.GL_RGBA32F, self._buffer.number)
            self._attached = True

    def bind(self, unit: int) -> None:
        GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
        GL.glBindTexture(GL.GL_TEXTURE_BUFFER, self.number)

    def _delete(self, number):
        GL.glDeleteTextures([number])
        self._buffer.release()


class Geometry(Owned):
    """A mesh on the card; positions are attribute 0, normals attribute 1. Without a mesh: vertices made in shaders."""

    kind = "vertex array"

    def __init__(self, mesh=None):
        super().__init__(GL.glGenVertexArrays(1))
        self._buffers, self.corners = [], 0
        if mesh is None:
            return
        GL.glBindVertexArray(self.number)
        for place, data in enumerate((mesh.positions, mesh.normals)):
            self._buffers.append(Buffer(GL.GL_ARRAY_BUFFER, GL.GL_STATIC_DRAW))
            self._buffers[-1].upload(data)
            GL.glEnableVertexAttribArray(place)
            GL.glVertexAttribPointer(place, 3, GL.GL_FLOAT, GL.GL_FALSE, 0, ctypes.c_void_p(0))
        self._buffers.append(Buffer(GL.GL_ELEMENT_ARRAY_BUFFER, GL.GL_STATIC_DRAW))
        self._buffers[-1].upload(mesh.triangles)
        self.corners = mesh.triangles.size
        GL.glBindVertexArray(0)

    def bind(self) -> None:
        GL.glBindVertexArray(self.number)

    def draw(self, instances: int) -> None:
        """The mesh, so many times; it must be bound."""
        GL.glDrawElementsInstanced(GL.GL_TRIANGLES, self.corners, GL.GL_UNSIGNED_INT, ctypes.c_void_p(0), instances)

    def _delete(self, number):
        GL.glDeleteVertexArrays(1, [number])
        for buffer in self._buffers:
            buffer.release()


class Block(Buffer):
    """A uniform block (std140) as a numpy record: fill `values`, then `send`."""

    kind = "uniform block"

    def __init__(self, dtype: np.dtype):
        super().__init__(GL.GL_UNIFORM_BUFFER, GL.GL_DYNAMIC_DRAW)
        self.values = np.zeros((), dtype)

    def send(self, point: int) -> None:
        """Upload the values and bind them where programs look for them."""
        self.upload(self.values)
        GL.glBindBufferBase(GL.GL_UNIFORM_BUFFER, point, self.number)
