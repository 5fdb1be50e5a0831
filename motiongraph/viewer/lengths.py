"""Lengths in words, in the units of the preferences. Costs stay in the units of their metric."""

_INCH, _FOOT = 2.54, 0.3048  # cm, m
_inches = False


def choose(units: str) -> None:
    """units: "cm" or "inch"."""
    global _inches
    _inches = units == "inch"


def short(metres: float, digits: int = 0) -> str:
    """A length in cm or inches."""
    return f"{100.0 * metres / _INCH:.{digits + 1}f} in" if _inches else f"{100.0 * metres:.{digits}f} cm"


def long(metres: float) -> str:
    """A length in m or feet."""
    return f"{metres / _FOOT:.1f} ft" if _inches else f"{metres:.1f} m"
