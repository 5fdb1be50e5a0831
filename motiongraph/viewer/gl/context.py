"""The current OpenGL context: what it can do, what it is set to, and the objects that live in it.

What the context is set to is remembered, so that only changes reach the driver: comparing costs less than a call. It
holds while one picture is drawn. `forget` it wherever someone else may have used the context in between, and wherever
an object comes or goes, whose number another one may have had.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from motiongraph.errors import MotionError
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.calls import GL

# What it can do


@dataclass(frozen=True)
class Context:
    """What there is to know about an OpenGL context."""

    version: tuple[int, int]  # major, minor
    renderer: str  # the driver's name for itself
    samples: int  # most samples a pixel can have

    @property
    def software(self) -> bool:
        """Whether the processor draws, not a graphics card."""
        return any(word in self.renderer.lower() for word in ("llvmpipe", "softpipe", "swrast", "swiftshader"))


def current_context() -> Context:
    """The context that is current in this thread; a MotionError says why it cannot be used."""
    words = GL.glGetString(GL.GL_RENDERER)
    if words is None:
        raise MotionError("there is no OpenGL context to draw with")
    version = int(GL.glGetIntegerv(GL.GL_MAJOR_VERSION)), int(GL.glGetIntegerv(GL.GL_MINOR_VERSION))
    renderer = words.decode(errors="replace")
    if version < (3, 3):
        raise MotionError(f"OpenGL 3.3 is needed, and {renderer} offers {version[0]}.{version[1]}")
    return Context(version, renderer, int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES)))


# What it is set to

OVER = (GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
MULTIPLIED = (GL.GL_ZERO, GL.GL_SRC_COLOR)

_Call = tuple[Callable[..., None], tuple[int, ...]]  # a function and its arguments


@dataclass(frozen=True, eq=False)
class Mode:
    """How what is drawn reaches its target."""

    depth: int | None = None  # the comparison, or None for no test
    write: bool = False  # whether it leaves its depth
    blend: tuple[int, int] | None = None  # factors of source and target
    cull: bool = False  # whether back faces are left out
    scissor: bool = False  # whether only a rectangle is drawn into
    srgb: bool = False  # whether targets of that kind take linear light
    clamp: bool = False  # whether what lies outside of the range of depths is drawn nevertheless

    def calls(self) -> dict[Hashable, _Call]:
        """The calls that set it, by what they are about."""
        switches = {
            GL.GL_DEPTH_TEST: self.depth is not None,
            GL.GL_BLEND: self.blend is not None,
            GL.GL_CULL_FACE: self.cull,
            GL.GL_SCISSOR_TEST: self.scissor,
            GL.GL_FRAMEBUFFER_SRGB: self.srgb,
            GL.GL_DEPTH_CLAMP: self.clamp,
        }
        found: dict[Hashable, _Call] = {
            what: (calls.glEnable if on else calls.glDisable, (what,)) for what, on in switches.items()
        }
        found["write"] = calls.glDepthMask, (self.write,)
        if self.depth is not None:
            found["depth"] = calls.glDepthFunc, (self.depth,)
        if self.blend is not None:
            found["blend"] = calls.glBlendFunc, self.blend
        return found


_now: dict[Hashable, Any] = {}  # "mode", "program", "vertices", "unit" and (unit, target) of textures → what is set
_ways: dict[tuple[Mode | None, Mode], list[_Call]] = {}  # from one mode to another: the calls that differ


def forget() -> None:
    """Remember nothing: what is asked for next is set, whatever was."""
    _now.clear()


def set_mode(mode: Mode) -> None:
    """Draw like this from now on."""
    before: Mode | None = _now.get("mode")
    if before is mode:
        return
    way = _ways.get((before, mode))
    if way is None:
        known = before.calls() if before else {}
        way = _ways[before, mode] = [call for what, call in mode.calls().items() if known.get(what) != call]
    for function, arguments in way:
        function(*arguments)
    _now["mode"] = mode


def use_program(number: int) -> None:
    if _now.get("program") != number:
        calls.glUseProgram(number)
        _now["program"] = number


def bind_vertices(number: int) -> None:
    """A vertex array; 0 for none, such as before buffers are bound that are not to become its own."""
    if _now.get("vertices") != number:
        calls.glBindVertexArray(number)
        _now["vertices"] = number


def bind_texture(unit: int, target: int, number: int) -> None:
    if _now.get((unit, target)) != number:
        if _now.get("unit") != unit:
            calls.glActiveTexture(GL.GL_TEXTURE0 + unit)
            _now["unit"] = unit
        calls.glBindTexture(target, number)
        _now[unit, target] = number


# What lives in it

_live: Counter[str] = Counter()


def live() -> dict[str, int]:
    """How many objects of each kind have been created and not released yet."""
    return {kind: count for kind, count in sorted(_live.items()) if count}


class Owned:
    """An OpenGL object with a number that is valid until `release`. Its creator releases it, once; after that any use
    raises."""

    kind = "object"

    def __init__(self, number: int):
        self.number = int(number)
        _live[self.kind] += 1
        forget()

    if not TYPE_CHECKING:  # else every misspelt attribute would pass

        def __getattr__(self, name: str) -> NoReturn:
            # Called only for what is not there: a plain attribute that goes away is the cheapest check.
            if name == "number":
                raise RuntimeError(f"this {self.kind} was released and cannot be used any more")
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")

    def release(self) -> None:
        """Give it back; the second time is a mistake and raises."""
        number = self.number
        del self.number
        _live[self.kind] -= 1
        forget()
        self._delete(number)

    def _delete(self, number: int) -> None:
        raise NotImplementedError
