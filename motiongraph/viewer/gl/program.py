"""Shader programs from the files in shaders/: includes resolved, errors by file and line, unknown uniforms refused."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from motiongraph.files import resource
from motiongraph.viewer.gl import calls, context
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import Owned

_INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"\s*$')
# Where drivers put the number of the string and line: 2:17(3): (Mesa), 2(17) : (NVIDIA), ERROR: 2:17: (others).
_PLACE = re.compile(r"(?:ERROR: )?(\d+)[:(](\d+)(?:\(\d+\))?\)?\s*:")


Value = float | tuple[float, ...]


class ShaderError(RuntimeError):
    """A shader does not compile or link; a mistake in motiongraph, or a driver that cannot do OpenGL 3.3."""


def shader_source(path: Path, defines: tuple[str, ...] = ()) -> tuple[str, list[Path]]:
    """The text of a shader, and the files it came from in the order of the numbers that `#line` gives them.

    Each `#include "…"` (from shaders/include/) is put in once, and `defines` are set."""
    files: list[Path] = []

    def text_of(file: Path) -> list[str]:
        files.append(file)
        number, lines = len(files) - 1, []
        for at, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            found = _INCLUDE.match(line)
            if not found:
                lines.append(line)
                continue
            included = path.parent / "include" / found[1]
            if not included.is_file():
                raise ShaderError(f"{file}:{at}: there is no {included}")
            if included not in files:
                lines += [f"#line 1 {len(files)}", *text_of(included)]
            lines.append(f"#line {at + 1} {number}")
        return lines

    head = ["#version 330 core", *(f"#define {word}" for word in defines), "#line 1 0"]
    return "\n".join([*head, *text_of(path)]) + "\n", files


class Program(Owned):
    """shaders/NAME.vert and shaders/NAME.frag. `program["name"] = value` sets a uniform of the program in use to a
    number or a tuple of them, unless it has that value already."""

    kind = "program"

    def __init__(self, name: str, defines: tuple[str, ...] = ()):
        self.name = name
        folder = resource("shaders")
        shaders: list[int] = []
        number = GL.glCreateProgram()
        try:
            for stage, ending in ((GL.GL_VERTEX_SHADER, "vert"), (GL.GL_FRAGMENT_SHADER, "frag")):
                shaders.append(_compiled(stage, *shader_source(folder / f"{name}.{ending}", defines)))
                GL.glAttachShader(number, shaders[-1])
            GL.glLinkProgram(number)
            if not GL.glGetProgramiv(number, GL.GL_LINK_STATUS):
                raise ShaderError(f"shader {name} does not link: {_text(GL.glGetProgramInfoLog(number))}")
        except BaseException:
            GL.glDeleteProgram(number)
            raise
        finally:
            for shader in shaders:
                GL.glDeleteShader(shader)
        super().__init__(number)
        self._uniforms: dict[str, tuple[int, Callable[..., None]]] = {}  # name → its place and what sets it
        self._set: dict[str, Value] = {}
        for i in range(GL.glGetProgramiv(number, GL.GL_ACTIVE_UNIFORMS)):
            uniform, _, kind = GL.glGetActiveUniform(number, i)
            place = GL.glGetUniformLocation(number, uniform)
            if place >= 0:  # members of blocks have none
                self._uniforms[_text(uniform).removesuffix("[0]")] = place, _SETTERS[int(kind)]

    def use(self) -> None:
        context.use_program(self.number)

    def __setitem__(self, name: str, value: Value) -> None:
        if self._set.get(name) == value:
            return
        try:
            place, setter = self._uniforms[name]
        except KeyError:
            raise KeyError(
                f"program {self.name} has no uniform {name!r}; there are {', '.join(sorted(self._uniforms)) or 'none'}"
            ) from None
        setter(place, value)
        self._set[name] = value

    def bind_block(self, name: str, point: int) -> None:
        """Connect a uniform block to a binding point; the program must have it."""
        index = GL.glGetUniformBlockIndex(self.number, name)
        if index == GL.GL_INVALID_INDEX:
            raise KeyError(f"program {self.name} has no uniform block {name!r}")
        GL.glUniformBlockBinding(self.number, index, point)

    def _delete(self, number: int) -> None:
        GL.glDeleteProgram(number)


_SETTERS = {
    int(GL.GL_FLOAT): calls.glUniform1f,
    int(GL.GL_FLOAT_VEC4): lambda place, value: calls.glUniform4f(place, *value),
    **{
        int(kind): calls.glUniform1i
        for kind in (GL.GL_INT, GL.GL_SAMPLER_2D, GL.GL_SAMPLER_2D_SHADOW, GL.GL_SAMPLER_BUFFER)
    },
}


def _text(log: Any) -> str:
    return (log.decode(errors="replace") if isinstance(log, bytes) else str(log)).strip("\0\n ")


def _compiled(stage: int, source: str, files: list[Path]) -> int:
    shader = GL.glCreateShader(stage)
    GL.glShaderSource(shader, source)
    GL.glCompileShader(shader)
    if GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
        return shader
    log = _text(GL.glGetShaderInfoLog(shader))
    GL.glDeleteShader(shader)

    def named(found: re.Match[str]) -> str:
        file = int(found[1])
        return f"{files[file].name if file < len(files) else file}:{found[2]}:"

    raise ShaderError(f"shader {files[0].name} does not compile: {_PLACE.sub(named, log)}")
