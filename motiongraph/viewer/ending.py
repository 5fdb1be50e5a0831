"""Ends that nobody at the window asked for: signals, and an X server that closes. The work is kept first."""

import os
import signal
from contextlib import suppress
from types import FrameType

from motiongraph.app.project import autosave
from motiongraph.app.state import AppState
from motiongraph.errors import MotionError


class Signals:
    """SIGTERM and SIGHUP: the program ends between two frames, with its work kept for the next start."""

    def __init__(self):
        self.heard = 0  # the number of the signal that came

    def listen(self) -> None:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has but one of them
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
                signal.signal(number, self._hear)

    def _hear(self, number: int, _: FrameType | None) -> None:
        self.heard = number

    def obey(self, state: AppState) -> None:
        """End, if a signal came; where the work cannot be kept the window stays and says so."""
        number, self.heard = self.heard, 0
        if not number:
            return
        try:
            autosave.end_badly(state)
        except MotionError as problem:
            said = "motiongraph was asked to end but stays open, because what was not saved cannot be kept"
            state.say(f"{said}: {problem}", "error")
            return
        raise SystemExit(128 + number)


def lost_display(state: AppState) -> None:
    """The X server has closed, and Xlib would end the process: keep the work, then end it."""
    said = "the display is gone"
    try:
        autosave.end_badly(state)
        state.settings.save()
    except MotionError as problem:
        said = f"{said}, and not everything could be kept: {problem}"
    finally:
        with suppress(OSError):  # a terminal goes with its display
            os.write(2, f"motiongraph: {said}\n".encode(errors="replace"))
        os._exit(1)
