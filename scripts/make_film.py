#!/usr/bin/env python
"""Makes the film and the window's pictures of the README: the story that the tests tell, told to an audience.

    scripts/make_film.py [FOLDER]        writes film.mp4 and window_*.png, into assets/images by default

Needs Xvfb and xdotool, as the tests do. The program runs on a screen of its own, one frame of the film at a time, so
that the film is smooth however slow the machine.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "gl"))
import person  # noqa: E402
from story import whole_story  # noqa: E402

SIZE = (1280, 800)
RATE = 20  # frames a second
LARGEST = 2_900_000  # bytes of the film
_ARROW = np.array([(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12)])
_KEYS = {"ctrl": "Ctrl", "shift": "Shift", "Return": "Enter"}


class Narrator(person.Person):
    """A person whose every frame is filmed."""

    def begin(self, film: Path, pictures: Path) -> None:
        """From here on; film: a file without loss, encoded well afterwards; pictures: folder for `keep`."""
        self.pictures, self.text, self.at, self.shown, self.held = pictures, "", (640, 400), 0, []
        self.font = ImageFont.load_default(26)
        self.writer = imageio_ffmpeg.write_frames(
            str(film), SIZE, fps=RATE, codec="libx264", output_params=["-qp", "0", "-preset", "ultrafast"],
            pix_fmt_in="rgb24", pix_fmt_out="yuv444p", macro_block_size=1,
        )  # fmt: skip
        self.writer.send(None)
        self.filming = True

    filming = False

    def frames(self, count: int = 2) -> dict:
        if not self.filming:
            return super().frames(count)
        for _ in range(count):
            self.ask(step=1.0 / RATE)
            status = self.ask()  # answered when the frame is on the screen
            self.shoot()
        return status

    def until(self, wanted, what: str = "", **question) -> dict:
        if not self.filming:
            return super().until(wanted, what, **question)
        self.ask(**question)
        for _ in range(60 * RATE):
            status = self.frames(1)
            if wanted(status):
                return status
        raise AssertionError(f"never: {what}")

    def shoot(self) -> None:
        """A frame of the film: the screen, the arrow of the mouse, what is told."""
        picture = Image.fromarray(self.picture()[: SIZE[1], : SIZE[0]])
        draw = ImageDraw.Draw(picture, "RGBA")
        draw.polygon([tuple(p) for p in (_ARROW + self.at).tolist()], fill="white", outline="black")
        if self.text:
            wide = draw.textlength(self.text, self.font)
            x, y = (SIZE[0] - wide) / 2, SIZE[1] - 178
            draw.rounded_rectangle((x - 18, y - 10, x + wide + 18, y + 40), 10, fill=(20, 22, 28, 225))
            draw.text((x, y), self.text, (240, 240, 245), self.font)
        self.writer.send(np.ascontiguousarray(np.asarray(picture)[..., :3]))
        self.shown += 1

    def keep(self, name: str) -> None:
        """The window as it is, as a picture of the README."""
        Image.fromarray(self.picture()[: SIZE[1], : SIZE[0]]).save(self.pictures / f"window_{name}.png", optimize=True)

    def tells(self, text: str) -> None:
        chapters = {"Point": "graph", "A greedy": "matrix", "Draw": "walk", "Scrub": "path"}
        for begins, name in chapters.items():
            if text.startswith(begins):
                self.keep(name)
        self.text = text
        self.frames(RATE // 2)

    def waits(self, seconds: float) -> None:
        self.frames(round(seconds * RATE))

    def move(self, x, y) -> None:
        """On the way, not at once."""
        if self.filming and not self.held:
            way = np.array([x, y]) - self.at
            steps = int(np.clip(np.linalg.norm(way) / 90.0, 0, 10))
            for step in range(1, steps):
                share = step / steps
                share = share * share * (3.0 - 2.0 * share)
                between = self.at + share * way
                super().move(*between)
                self.at, before = tuple(between), self.at
                self.frames(1)
                self.at = before
        super().move(x, y)
        self.at = (x, y)

    def key(self, *keys) -> None:
        for key in keys:
            if self.filming and "+" in key and key != "ctrl+a":
                told, self.text = self.text, "+".join(_KEYS.get(k, k.upper()) for k in key.split("+"))
                super().key(key)
                self.frames(RATE // 4)
                self.text = told
            else:
                super().key(key)

    def xdotool(self, *words) -> str:
        if words[:1] == ("mousedown",):
            self.held = [words[1]]
        elif words[:1] == ("mouseup",):
            self.held = []
        return super().xdotool(*words)


def encoded(source: Path, target: Path, frames: int) -> None:
    """Twice over the film: the first pass says where the bits are needed."""
    rate = int(8 * LARGEST * RATE / frames)
    ffmpeg = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-v", "error", "-i", str(source), "-c:v", "libx264"]
    ffmpeg += ["-preset", "slow", "-b:v", str(rate), "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    with tempfile.TemporaryDirectory() as folder:
        log = ["-passlogfile", f"{folder}/log"]
        subprocess.run([*ffmpeg, "-pass", "1", *log, "-f", "null", "-"], check=True)
        subprocess.run([*ffmpeg, "-pass", "2", *log, str(target)], check=True)


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "assets" / "images").resolve()
    out.mkdir(parents=True, exist_ok=True)
    person.SCREEN = SIZE
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "out").mkdir()
        screen = person.Screen()
        narrator = Narrator(screen, folder, size=SIZE, samples=4, quality="best")
        try:
            narrator.ready(18)
            narrator.begin(folder / "film.mkv", out)
            whole_story(
                narrator,
                ROOT / "assets" / "captured",
                folder / "out",
                left_out=("jump", "jump_forward"),
                order=("walk_left", "turn_right"),
                mirror=True,
            )
            narrator.waits(0.5)
            narrator.writer.close()
        finally:
            narrator.close()
            screen.close()
        encoded(folder / "film.mkv", folder / "film.mp4", narrator.shown)
        (out / "film.mp4").write_bytes((folder / "film.mp4").read_bytes())
    size = (out / "film.mp4").stat().st_size
    print(f"{out / 'film.mp4'}: {narrator.shown / RATE:.0f} s, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
