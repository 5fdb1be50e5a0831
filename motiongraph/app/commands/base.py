"""How a command is made and carried out."""

from dataclasses import dataclass
from functools import singledispatch


@singledispatch
def apply(command, state) -> None:
    """Carry out a command."""
    raise TypeError(f"no one carries out {command!r}")


def command(cls):
    """A frozen record whose fields are what was asked."""
    return dataclass(frozen=True)(cls)
