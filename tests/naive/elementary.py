"""Sine, cosine and arc tangent from their definitions, in the standard library's arithmetic with fifty digits."""

from decimal import Decimal, getcontext

getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def sin(x: float) -> float:
    """Taylor's series of the angle brought between −π and π."""
    angle = Decimal(x) % (2 * PI)
    term = total = angle
    for n in range(1, 60):
        term = -term * angle * angle / (2 * n * (2 * n + 1))
        total += term
    return float(total)


def cos(x: float) -> float:
    angle = Decimal(x) % (2 * PI)
    term = total = Decimal(1)
    for n in range(1, 60):
        term = -term * angle * angle / ((2 * n - 1) * 2 * n)
        total += term
    return float(total)


def arctan2(y: float, x: float) -> float:
    """Halving the angle until its series is short: atan t = 2 atan(t / (1 + √(1 + t²)))."""
    a, b = Decimal(abs(x)), Decimal(abs(y))
    t, swapped = (b / a, False) if b <= a else (a / b, True)
    halvings = 6
    for _ in range(halvings):
        t = t / (1 + (1 + t * t).sqrt())
    power, total = t, t
    for n in range(1, 40):
        power = -power * t * t
        total += power / (2 * n + 1)
    angle = total * 2**halvings
    angle = PI / 2 - angle if swapped else angle
    angle = PI - angle if x < 0 else angle
    return float(-angle if y < 0 else angle)
