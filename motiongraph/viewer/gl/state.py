"""What the context is set to, so that only changes reach the driver: a call of it costs more than to compare.

Whatever is remembered here holds while one picture is drawn. `forget` it wherever someone else may have had the
context in between, and wherever an object comes or goes, whose number another one may have had.
"""

from dataclasses import dataclass

from OpenGL import GL

from motiongraph.viewer.gl import calls

OVER = (GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
MULTIPLIED = (GL.GL_ZERO, GL.GL_SRC_COLOR)


@dataclass(frozen=True, eq=False)
class Mode:
    """How what is drawn reaches its target. depth: the comparison, or None for no test; write: whether it leaves its
    depth; blend: factors of source and target, or None; cull: whether back faces are left out; scissor: whether only
    a rectangle is drawn into; srgb: whether targets of that kind take linear light; clamp: whether what lies before
    or behind the depths there are is drawn nevertheless."""

    depth: int | None = None
    write: bool = False
    blend: tuple[int, int] | None = None
    cull: bool = False
    scissor: bool = False
    srgb: bool = False
    clamp: bool = False

    def calls(self) -> dict:
        """(function, arguments) that set it, by what they are about."""
        switches = {
            GL.GL_DEPTH_TEST: self.depth is not None,
            GL.GL_BLEND: self.blend is not None,
            GL.GL_CULL_FACE: self.cull,
            GL.GL_SCISSOR_TEST: self.scissor,
            GL.GL_FRAMEBUFFER_SRGB: self.srgb,
            GL.GL_DEPTH_CLAMP: self.clamp,
        }
        found = {what: (calls.glEnable if on else calls.glDisable, (what,)) for what, on in switches.items()}
        found["write"] = calls.glDepthMask, (self.write,)
        if self.depth is not None:
            found["depth"] = calls.glDepthFunc, (self.depth,)
        if self.blend is not None:
            found["blend"] = calls.glBlendFunc, self.blend
        return found


_now: dict = {}  # "mode", "program", "vertices", "unit" and (unit, target) of textures → what is set
_ways: dict[tuple[Mode | None, Mode], list] = {}  # from one mode to another: the calls that differ


def forget() -> None:
    """Take nothing for granted: what is asked for next is set, whatever was."""
    _now.clear()


def set_mode(mode: Mode) -> None:
    """Draw like this from now on."""
    before = _now.get("mode")
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
