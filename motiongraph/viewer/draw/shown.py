"""Pictures that panels show: what they take on the card is given back while nobody looks."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

_PATIENCE = 90  # frames in which a picture may be asked for by nobody before what it takes is given back


class Picture(Protocol):
    def forget(self) -> None: ...
    def release(self) -> None: ...


P = TypeVar("P", bound=Picture)


class Shown(Generic[P]):
    """Pictures by name, made at first use."""

    def __init__(self, make: Callable[[], P]):
        self._make = make
        self._pictures: dict[str, P] = {}
        self._asked: dict[str, int] = {}  # the frame in which each was last asked for, as long as it is not forgotten
        self._frame = 0

    def __getitem__(self, name: str) -> P:
        if name not in self._pictures:
            self._pictures[name] = self._make()
        self._asked[name] = self._frame
        return self._pictures[name]

    def turn(self) -> None:
        """A new frame: forget what nobody has asked for in a while. Programs stay, which take long to make."""
        self._frame += 1
        for name in [name for name, frame in self._asked.items() if self._frame - frame > _PATIENCE]:
            self.forget(name)

    def forget(self, name: str) -> None:
        if self._asked.pop(name, None) is not None:
            self._pictures[name].forget()

    def release(self) -> None:
        for one in self._pictures.values():
            one.release()
        self._pictures.clear()
        self._asked.clear()
