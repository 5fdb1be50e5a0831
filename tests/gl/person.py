"""A person at the machine: starts the program on a screen of its own, presses keys, moves the mouse, looks.

What cannot be seen from outside is asked through the socket that MOTIONGRAPH_REMOTE opens.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

SCREEN = (1280, 800)
PATIENCE = 150.0  # seconds: a software renderer on a busy machine takes its time, and so does compiling everything


def screen_needed() -> None:
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


class Screen:
    """A virtual screen without anyone else on it."""

    def __init__(self):
        read, write = os.pipe()
        size = f"{SCREEN[0]}x{SCREEN[1]}x24"
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as answer:
            self.name = f":{answer.readline().strip()}"

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)


class Person:
    """One run of the program. program: how it is started; found: a folder whose programs are found before others."""

    def __init__(
        self,
        screen: Screen,
        folder: Path,
        *arguments,
        size=(900, 560),
        program=(sys.executable, "-m", "motiongraph"),
        found=None,
        **settings,
    ):
        self.folder, self.screen = folder, screen
        config = folder / "config"
        config.mkdir(exist_ok=True)
        if not (config / "settings.json").exists():
            chosen = {"width": size[0], "height": size[1], "samples": 1, "hint": False, "rate": 60} | settings
            (config / "settings.json").write_text(json.dumps(chosen))
        self.socket = folder / "remote"
        environment = {
            **os.environ,
            "DISPLAY": screen.name,
            "MOTIONGRAPH_CONFIG": str(config),
            "MOTIONGRAPH_REMOTE": str(self.socket),
            "XDG_PICTURES_DIR": str(folder / "pictures"),
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        environment.pop("WAYLAND_DISPLAY", None)
        if found is not None:
            environment["PATH"] = f"{found}{os.pathsep}{environment['PATH']}"
        self.log = folder / "log"
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [*map(str, program), *map(str, arguments)],
            env=environment,
            stdout=self.log.open("a"),
            stderr=subprocess.STDOUT,
            cwd=folder,
        )
        self._talk: socket.socket | None = None

    def close(self) -> None:
        if self._talk:
            self._talk.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(20)

    # Asking

    def ask(self, **question) -> dict:
        """What the program says of itself."""
        if self._talk is None:
            self._talk = self._connected()
        self._talk.sendall(json.dumps(question).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = self._talk.recv(1 << 20)
            if not part:
                raise AssertionError(f"the program is gone: {self.log.read_text()}")
            answer += part
        return json.loads(answer)

    def _connected(self) -> socket.socket:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"the program ended with {self.process.returncode}: {self.log.read_text()}")
            if self.socket.exists():
                talk = socket.socket(socket.AF_UNIX)
                try:
                    talk.connect(str(self.socket))
                    talk.settimeout(PATIENCE)
                    return talk
                except ConnectionRefusedError:
                    talk.close()
            time.sleep(0.02)
        raise AssertionError("no window came")

    def until(self, wanted, what: str = "", **question) -> dict:
        """The first status for which `wanted(status)` holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status = self.ask(**question)
            question = {}
            if wanted(status):
                return status
            time.sleep(0.02)
        raise AssertionError(f"never: {what or 'what was waited for'}; at last {status}")

    def ready(self, clips: int = 1) -> dict:
        """Everything compiled and loaded."""
        return self.until(lambda s: s["ready"] and len(s["clips"]) >= clips and not s["jobs"] and s["characters"])

    def lightly(self) -> None:
        """A scene that a processor draws quickly, for tests that are about something else."""
        self.ask(
            do=[["SetLayer", "shadows", False], ["SetLayer", "floor", "none"], ["SetLayer", "bone_style", "boxes"]]
        )

    def frames(self, count: int = 2) -> dict:
        """The status so many frames later."""
        now = self.ask()["frames"]
        return self.until(lambda s: s["frames"] >= now + count)

    # For an audience; see `scripts/make_film.py`

    def tells(self, text: str) -> None:
        """What comes next."""

    def waits(self, seconds: float) -> None:
        """Until what happened was seen."""

    # Doing

    def xdotool(self, *words) -> str:
        environment = {**os.environ, "DISPLAY": self.screen.name}
        result = subprocess.run(
            ["xdotool", *map(str, words)], env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def key(self, *keys) -> None:
        """Press and release keys or chords ("ctrl+o"), one after the other."""
        for key in keys:
            self.xdotool("key", key)
            self.frames(4)  # what happens at once is spread over several frames

    def move(self, x, y) -> None:
        self.xdotool("mousemove", round(x), round(y))

    def drag(self, start, stop, button=1, steps=4) -> None:
        self.move(*start)
        self.frames(2)
        self.xdotool("mousedown", button)
        self.frames(2)
        for step in range(1, steps + 1):
            share = step / steps
            self.move(*(a + share * (b - a) for a, b in zip(start, stop)))
            self.frames(1)
        self.xdotool("mouseup", button)
        self.frames(2)

    def click(self, x, y, button=1) -> None:
        self.drag((x, y), (x, y), button, 1)

    def labels(self, prefix: str = "") -> dict[str, tuple[float, float, float, float]]:
        """Controls in sight, name → x, y, width, height: "Graph/Auto", "tab/Walk", "hint/Build", and what is in an open
        menu or list as "list/walk". Icons in a label do not count."""

        def plain(label):
            window, _, text = label.partition("/")
            window = "list" if window.startswith(("##Combo", "Menu_", "##Popup")) else window
            return f"{window}/{''.join(c for c in text if not 0xE000 <= ord(c) < 0xF900).strip()}"

        spots = self.ask(watch=True)["spots"]
        found = {plain(label): tuple(rect) for label, rect in reversed(spots.items())}
        return {name: rect for name, rect in found.items() if name.startswith(prefix)}

    def spot(self, name: str) -> tuple[float, float, float, float]:
        """x, y, width, height of a control, once it is in sight and stays where it is."""
        end, last = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            here = self.labels().get(name)
            if here is not None and here == last:
                return here
            last = here
            self.frames(1)
        raise AssertionError(f"never: a control {name!r}; there are {sorted(self.labels())}")

    def press(self, name: str, button=1) -> None:
        """Click on a control."""
        x, y, width, height = self.spot(name)
        self.click(x + min(0.5 * width, 60.0), y + 0.5 * height, button)

    def choose(self, name: str) -> None:
        """Press a line of an open list, scrolling until it is wholly in sight."""
        before = None
        for _ in range(80):
            lines = sorted(self.labels("list/").items(), key=lambda line: line[1][1])
            names = [label for label, _ in lines]
            # The last line may be half hidden, unless there is nothing below it.
            if f"list/{name}" in (names if lines == before else names[:-1]):
                break
            before = lines
            if lines:
                x, y, _, height = lines[len(lines) // 2][1]
                self.move(x + 20, y + 0.5 * height)
                self.xdotool("click", "--repeat", 2, 5)
            self.frames(3)
        self.press(f"list/{name}")

    def answer(self, title: str, path) -> None:
        """Type a path into the file dialog of this title and confirm."""
        self.spot(f"{title}/Cancel")
        self.key("ctrl+a")
        self.xdotool("type", "--delay", 2, str(path))
        self.frames(4)
        self.key("Return")
        self.until(lambda s: f"{title}/Cancel" not in s["spots"], "the dialog closes")

    def stroke(self, points) -> None:
        """Draw through these places with the left button held."""
        self.move(*points[0])
        self.frames(2)
        self.xdotool("mousedown", 1)
        self.frames(2)
        for point in points[1:]:
            self.move(*point)
            self.frames(1)
        self.xdotool("mouseup", 1)
        self.frames(3)

    def rests(self) -> dict:
        """Once the camera has come to rest."""
        last = [None]

        def still(status):
            here, last[0] = last[0], status["camera"]["eye"]
            return here is not None and np.abs(np.subtract(here, last[0])).max() < 1e-3

        return self.until(still, "the camera rests")

    def middle(self, status=None) -> tuple[float, float]:
        """A point in the middle of the scene."""
        x, y, width, height = (status or self.ask())["scene"]
        return x + 0.5 * width, y + 0.5 * height

    def picture(self) -> np.ndarray:
        """(height, width, 3) uint8: what the screen shows, taken from the screen."""
        from PIL import ImageGrab

        return np.asarray(ImageGrab.grab(xdisplay=self.screen.name).convert("RGB"))

    def memory(self) -> int:
        """Bytes the program holds in memory."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return 1024 * int(line.split()[1])
        raise AssertionError("no such process")

    def quit(self) -> int:
        """Ctrl+Q, nothing is saved, and the exit status."""
        self.xdotool("mousemove", *map(round, self.middle()))
        self.frames(1)
        self.xdotool("key", "ctrl+q")
        # Whether it asks is its own affair, and it may be gone before it can answer another question.
        with suppress(ConnectionError, AssertionError):
            self.until(lambda s: s["asked"], "a question, unless it is gone")
            self.press("Save before closing?/Don't save")
        return self.process.wait(PATIENCE)
