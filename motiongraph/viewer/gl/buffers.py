"""Buffers: rows of instances that shaders fetch from, meshes, and the uniform blocks of a frame."""

import ctypes
import struct
from collections.abc import Iterable

import numpy as np

from motiongraph.model.body_surface import Skin
from motiongraph.model.mesh import Mesh
from motiongraph.viewer.gl import calls, context
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import Owned


class Buffer(Owned):
    """Memory of the graphics card."""

    kind = "buffer"

    def __init__(self, target: int, usage: int):
        super().__init__(GL.glGenBuffers(1))
        self._target, self._usage = target, usage

    def upload(self, size: int, address: int) -> None:
        """Replace the contents by so many bytes; what is still being drawn from the old ones is not waited for."""
        calls.glBindBuffer(self._target, self.number)
        calls.glBufferData(self._target, size, address, self._usage)

    def _delete(self, number: int) -> None:
        GL.glDeleteBuffers(1, [number])


class Rows(Owned):
    """Rows of float32 that vertex shaders read with texelFetch, four numbers at a time, by instance."""

    kind = "buffer texture"

    def __init__(self):
        super().__init__(GL.glGenTextures(1))
        self._buffer = Buffer(GL.GL_TEXTURE_BUFFER, GL.GL_STREAM_DRAW)
        self._attached = False
        self._rows: np.ndarray | None = None  # what was uploaded last, with its address and bytes per row
        self._address = self._stride = 0

    def upload(self, rows: np.ndarray, count: int | None = None) -> None:
        """rows: (n, 4 k) float32, contiguous; the first `count` of them, or all."""
        if rows is not self._rows:
            self._rows, self._address, self._stride = rows, rows.ctypes.data, rows.strides[0]
        self._buffer.upload((len(rows) if count is None else count) * self._stride, self._address)
        if not self._attached:
            self.bind(0)
            GL.glTexBuffer(GL.GL_TEXTURE_BUFFER, GL.GL_RGBA32F, self._buffer.number)
            self._attached = True

    def bind(self, unit: int) -> None:
        context.bind_texture(unit, GL.GL_TEXTURE_BUFFER, self.number)

    def _delete(self, number: int) -> None:
        GL.glDeleteTextures([number])
        self._buffer.release()


class Geometry(Owned):
    """A mesh on the card, its attributes numbered in order. Without a mesh, shaders make the vertices."""

    kind = "vertex array"

    def __init__(self, mesh: Mesh | Skin | None = None):
        super().__init__(GL.glGenVertexArrays(1))
        self._buffers: list[Buffer] = []
        self.corners = 0
        if mesh is None:
            return
        vertices = [(GL.GL_ARRAY_BUFFER, data) for data in mesh.attributes]
        for kind, data in (*vertices, (GL.GL_ELEMENT_ARRAY_BUFFER, mesh.triangles)):
            buffer = Buffer(kind, GL.GL_STATIC_DRAW)
            self.bind()  # the buffer becomes its own
            buffer.upload(data.nbytes, data.ctypes.data)
            if kind == GL.GL_ARRAY_BUFFER:
                place = len(self._buffers)
                GL.glEnableVertexAttribArray(place)
                GL.glVertexAttribPointer(place, data.shape[1], GL.GL_FLOAT, GL.GL_FALSE, 0, ctypes.c_void_p(0))
            self._buffers.append(buffer)
        self.corners = mesh.triangles.size
        context.bind_vertices(0)

    def bind(self) -> None:
        context.bind_vertices(self.number)

    def draw(self, instances: int) -> None:
        """The mesh, so many times; it must be bound."""
        calls.glDrawElementsInstanced(GL.GL_TRIANGLES, self.corners, GL.GL_UNSIGNED_INT, 0, instances)

    def _delete(self, number: int) -> None:
        GL.glDeleteVertexArrays(1, [number])
        for buffer in self._buffers:
            buffer.release()


class Blocks(Buffer):
    """All uniform blocks (std140) of a frame in one buffer, so that they are sent at once.

    `clear`, `add` each of them as its numbers, `send`, then `bind` one after the other.
    """

    kind = "uniform blocks"

    def __init__(self, dtype: np.dtype):
        super().__init__(GL.GL_UNIFORM_BUFFER, GL.GL_DYNAMIC_DRAW)
        apart = int(GL.glGetIntegerv(GL.GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT))
        self._size, self._step = dtype.itemsize, -(-dtype.itemsize // apart) * apart
        self._pack = struct.Struct(f"{dtype.itemsize // 4}f").pack_into
        self._memory, self._count = (ctypes.c_char * self._step)(), 0

    def clear(self) -> None:
        self._count = 0

    def add(self, numbers: Iterable[float]) -> int:
        """A block from its numbers in order, exactly as many as it has; returns what to `bind` it by."""
        index, self._count = self._count, self._count + 1
        if self._count * self._step > len(self._memory):
            self._memory = (ctypes.c_char * (2 * len(self._memory))).from_buffer_copy(bytes(self._memory) * 2)
        self._pack(self._memory, index * self._step, *numbers)
        return index

    def send(self) -> None:
        self.upload(self._count * self._step, ctypes.addressof(self._memory))

    def bind(self, index: int, point: int) -> None:
        """Let programs that look there find one of the blocks sent."""
        calls.glBindBufferRange(GL.GL_UNIFORM_BUFFER, point, self.number, index * self._step, self._size)
