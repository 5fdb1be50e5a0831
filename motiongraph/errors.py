"""What can go wrong for a person, as one sentence each. Standard library only."""

from os import PathLike, fspath

_LETTERS = 320  # of a sentence about a file, which may quote what the file says


class MotionError(ValueError):
    """The request cannot be carried out; the message is one sentence that says why and what was expected."""


class Unreachable(MotionError):
    """No walk leads where it should, or none comes through an order of motions."""

    threshold: float | None  # at which the failed request would succeed, in the unit of the graph's metric

    def __init__(self, message: str, threshold: float | None = None):
        super().__init__(message)
        self.threshold = threshold


class FormatError(MotionError):
    """A file is not what it should be. `str()` gives `file:line:column: sentence`."""

    def __init__(self, path: str | PathLike, message: str, line: int | None = None, column: int | None = None):
        message = message if len(message) <= _LETTERS else message[: _LETTERS - 1] + "…"
        self.path, self.message, self.line, self.column = fspath(path), message, line, column
        place = "".join(f":{n}" for n in (line, column) if n is not None)
        super().__init__(f"{self.path}{place}: {message}")


class SkeletonError(FormatError):
    """The .asf of an .amc was not found, or is not the one it was captured with."""


class FormatWarning(UserWarning):
    """A file was read, but something in it was odd; the message names the file and what was done about it."""
