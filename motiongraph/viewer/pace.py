"""How finely the scene is drawn and how long the loop sleeps, so that the window is smooth without a graphics card.

A graphics card always draws at its best. Where the processor draws, what moves is drawn with one sample of each pixel
and few taps of the shadow map, with fewer pixels while frames run late, and once more at its best when all stands
still. A window in which nothing happens waits for something to happen.
"""

from motiongraph.viewer.draw.targets import Detail

STEPS = (1.0, 0.85, 0.75, 0.67)  # resolutions, from the finest to the coarsest
QUICK_TAPS, SOFTWARE_TAPS = (4, 6), (6, 12)  # of what moves, and of what stands still where the processor draws
SHADOW, SOFTWARE_SHADOW = 2048, 1024  # texels along an edge of the shadow map
SOFTWARE_RATE = 60  # frames a second at the most where the processor draws: it has other work, too

_LATE = 1.0 / 30.0  # seconds of a frame
_ROOM = 0.7  # of that: frames this quick could be finer
_STILL = 0.3  # seconds without a change or an event until the scene is drawn at its best
_LINGER = 0.8  # the same until the loop waits for events; a tooltip takes half a second to come
_FIRST, _LAST = 45, 2400  # quick frames before a finer resolution is tried, at first and at the most


def is_quick(quality: str, software: bool) -> bool:
    """Whether speed comes before looks; quality: one of `settings.QUALITIES`."""
    return quality == "fast" or (quality == "auto" and software)


class Pace:
    """Remembers what moved when, and how long frames took. Times are seconds of one clock."""

    def __init__(self, quick: bool, samples: int = 4):
        self.quick = quick
        self.best = Detail(samples, taps=SOFTWARE_TAPS) if quick else Detail(samples)
        self.active = 0.0  # when something last changed or happened
        self._shown = self.best  # how finely what is seen was drawn
        self._step, self._mean = 0, 0.0  # of STEPS; seconds of a frame, on average
        self._frames, self._patience = 0, _FIRST  # since the last change of step; how many until a finer one is tried
        self._tried = False  # whether the last change was to a finer one

    def detail(self, changed: bool, happened: bool, now: float) -> Detail:
        """How finely to draw the scene; changed: it is another one; happened: there were events."""
        if changed or happened:
            self.active = now
        if not self.quick or now - self.active > _STILL:
            self._shown = self.best
        elif changed:
            self._shown = Detail(1, STEPS[self._step], QUICK_TAPS)
        return self._shown

    def took(self, seconds: float) -> None:
        """A frame in which the scene was drawn took this long, without sleep: choose the resolution of the next."""
        if self._shown is self.best:
            return
        self._frames += 1
        self._mean = seconds if self._frames == 1 else 0.8 * self._mean + 0.2 * seconds
        if self._frames > 5 and self._mean > _LATE and self._step < len(STEPS) - 1:
            if self._tried and self._frames < _FIRST:  # it was too much: wait longer before the next try
                self._patience = min(2 * self._patience, _LAST)
            self._step, self._frames, self._tried = self._step + 1, 0, False
        elif self._frames > self._patience and self._mean < _ROOM * _LATE and self._step > 0:
            self._step, self._frames, self._tried = self._step - 1, 0, True

    def at_rest(self, now: float) -> bool:
        """Whether nothing has happened for so long that nothing will by itself."""
        return now - self.active > _LINGER
