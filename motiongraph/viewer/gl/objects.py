"""What all OpenGL objects share: a number that is valid until `release`, and a count of those that live."""

from collections import Counter

from motiongraph.viewer.gl import state

_LIVE: Counter = Counter()


def live() -> dict[str, int]:
    """How many objects of each kind have been made and not released yet."""
    return {kind: count for kind, count in sorted(_LIVE.items()) if count}


class Owned:
    """An OpenGL object; `number` is its name there. Whoever made it releases it, once; after that any use raises."""

    kind = "object"

    def __init__(self, number: int):
        self.number = int(number)
        _LIVE[self.kind] += 1
        state.forget()

    def __getattr__(self, name: str):
        # Asked for only what is not there: a plain attribute that goes away is the cheapest check.
        if name == "number":
            raise RuntimeError(f"this {self.kind} was released and cannot be used any more")
        raise AttributeError(f"a {type(self).__name__} has no {name!r}")

    def release(self) -> None:
        """Give it back; the second time is a mistake and raises."""
        number = self.number
        del self.number
        _LIVE[self.kind] -= 1
        state.forget()
        self._delete(number)

    def _delete(self, number: int) -> None:
        raise NotImplementedError
