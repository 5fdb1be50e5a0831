"""What all OpenGL objects share: a number that is valid until `release`, and a count of those that live."""

from collections import Counter

_LIVE: Counter = Counter()


def live() -> dict[str, int]:
    """How many objects of each kind have been made and not released yet."""
    return {kind: count for kind, count in sorted(_LIVE.items()) if count}


class Owned:
    """An OpenGL object. Whoever made it releases it, once; after that any use of it raises."""

    kind = "object"

    def __init__(self, number: int):
        self._number = int(number)
        _LIVE[self.kind] += 1

    @property
    def number(self) -> int:
        """Its name in OpenGL."""
        if self._number is None:
            raise RuntimeError(f"this {self.kind} was released and cannot be used any more")
        return self._number

    def release(self) -> None:
        """Give it back; the second time is a mistake and raises."""
        number, self._number = self.number, None
        _LIVE[self.kind] -= 1
        self._delete(number)

    def _delete(self, number: int) -> None:
        raise NotImplementedError
