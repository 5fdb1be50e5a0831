"""Pictures as a video: ffmpeg takes them one by one; the file has its name once ffmpeg says that it is whole."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from threading import Thread

import imageio_ffmpeg
import numpy as np

from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.progress import SILENT, Progress

VIDEOS = (".mp4", ".gif")
_PALETTE = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"
# The colours of an MP4 are named: without that, players guess another matrix for small pictures.
_COLOURS = [word for what in ("-colorspace", "-color_primaries", "-color_trc") for word in (what, "bt709")]
_HOW = {
    ".gif": ["-vcodec", "gif", "-pix_fmt", "pal8", "-filter_complex", _PALETTE, "-loop", "0", "-f", "gif"],
    ".mp4": [
        *("-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", "17", "-movflags", "+faststart"),
        *("-vf", "scale=out_color_matrix=bt709", *_COLOURS, "-f", "mp4"),
    ],
}


def write_video(
    path: Path,
    pictures: Iterable[np.ndarray],
    count: int,
    fps: float,
    size: tuple[int, int],
    progress: Progress = SILENT,
) -> None:
    """Write pictures (height, width, 3), `count` of them as they come, whole or not at all; size: width, height."""
    form = ["-f", "rawvideo", "-vcodec", "rawvideo", "-s", f"{size[0]}x{size[1]}", "-pix_fmt", "rgb24"]
    rate = str(Fraction(fps).limit_denominator())
    with writing(path) as file:
        # Into the file that is there already, under a name of ours: beside the video, where there must be room anyway.
        command = [_ffmpeg(), "-y", *form, "-r", rate, "-i", "-", *_HOW[path.suffix.lower()], "-v", "error", file.name]
        quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
        try:
            # A session of its own: Ctrl-C is for us, who end it.
            process = subprocess.Popen(command, stdin=pipe, stdout=quiet, stderr=pipe, start_new_session=True)
        except OSError as problem:
            raise MotionError(f"videos need ffmpeg, which could not be started: {problem}") from problem
        assert process.stdin is not None
        said: list[bytes] = []
        listener = Thread(target=lambda: said.extend(process.stderr or ()), daemon=True)
        listener.start()  # so that a talkative ffmpeg never waits for us
        try:
            with suppress(BrokenPipeError):  # it ended by itself: its status tells
                for done, pixels in enumerate(pictures):
                    progress(done, count, f"frame {done + 1} of {count}")
                    process.stdin.write(np.ascontiguousarray(pixels).data)
            with suppress(BrokenPipeError):
                process.stdin.close()
            status = process.wait()
        finally:
            process.kill()
            process.wait()
            listener.join()
        if status:
            words = said[-1].decode(errors="replace").strip() if said else f"status {status}"
            raise MotionError(f"{path}: the video could not be made: ffmpeg says {words[:200]}")
        if not os.path.getsize(file.name):
            raise MotionError(f"{path}: the video could not be made: ffmpeg wrote nothing")
    progress(count, count, "done")


def _ffmpeg() -> str:
    """The program: the one that comes with imageio, or the one of the system; never one that lies beside clips."""
    try:
        found = shutil.which(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as problem:
        raise MotionError(f"videos need ffmpeg, which could not be started: {problem}") from problem
    if found is None or not os.path.isabs(found):
        raise MotionError("videos need ffmpeg, and there is none that could be started")
    return found
