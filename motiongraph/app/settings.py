"""What is remembered from one start to the next, in the user's config folder: window, recent files, choices."""

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from motiongraph.errors import MotionError
from motiongraph.files import writing

RECENT = 12
QUALITIES = ("auto", "best", "fast")
# Sizes of videos, in pixels; 0 is that of the view.
FILM_SIZES = {"view": (0, 0), "720p": (1280, 720), "1080p": (1920, 1080), "square": (1080, 1080)}


def config_folder() -> Path:
    """Where settings and the dock layout live; MOTIONGRAPH_CONFIG names another place."""
    named = os.environ.get("MOTIONGRAPH_CONFIG")
    return Path(named) if named else user_config_path("motiongraph", appauthor=False)


@dataclass
class Settings:
    """What is remembered from one start to the next."""

    width: int = 1440  # of the window, screen coordinates
    height: int = 860
    maximized: bool = False
    zoom: float = 1.0  # of text and controls
    rate: int = 120  # frames a second to aim at
    vsync: bool = False
    samples: int = 4  # of a pixel, for smooth edges
    quality: str = "auto"  # "best", "fast" or "auto": fast where no graphics card draws
    day: bool = True  # bright surroundings
    light: bool = False  # bright panels
    safe_colours: bool = False  # for people who confuse red and green
    units: str = "cm"  # of lengths in the panels, or "inch"
    keys: dict[str, str] = field(default_factory=dict)  # name of an action → the chord chosen for it, "" for none
    cache: int = 2  # gigabytes that distances kept on disk may take
    open_in: str = ""  # folder in which dialogs for opening begin; "" for the last one
    save_in: str = ""  # the same for saving
    hint: bool = True  # the first-run hint is still shown
    autosave: int = 1  # minutes between copies of the work, 0 for none
    autoplay: bool = True  # what is opened plays at once
    film_size: str = "view"  # of videos, one of FILM_SIZES
    film_rate: int = 60  # frames a second of videos
    shown: list[str] | None = None  # the panels that are open, None for the usual ones
    recent: list[str] = field(default_factory=list)  # paths opened, newest first
    folder: str = ""  # where the next dialog begins

    def opened(self, path: Path) -> None:
        """`path` was opened just now."""
        name = str(path)
        self.recent = [name, *(other for other in self.recent if other != name)][:RECENT]
        self.folder = str(path if os.path.isdir(path) else path.parent)

    @classmethod
    def load(cls, path: Path | None = None) -> "Settings":
        """The settings of last time; fields that are missing or no longer make sense have their defaults.

        Raises MotionError where the file cannot be understood at all.
        """
        path = path or config_folder() / "settings.json"
        try:
            found = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError) as problem:
            raise MotionError(f"{path} cannot be read, so settings begin anew: {problem}") from problem
        settings = cls()
        for name, value in found.items() if isinstance(found, dict) else ():
            if name in _KINDS and isinstance(value, _KINDS[name]) and isinstance(value, bool) == (_KINDS[name] is bool):
                setattr(settings, name, value)
        return settings.sane()

    def sane(self) -> "Settings":
        """Within what a window can be."""
        self.width, self.height = min(max(self.width, 320), 16384), min(max(self.height, 240), 16384)
        self.zoom, self.rate = min(max(float(self.zoom), 0.5), 3.0), min(max(self.rate, 10), 1000)
        self.film_size = self.film_size if self.film_size in FILM_SIZES else "view"
        self.film_rate, self.autosave = min(max(self.film_rate, 1), 240), min(max(self.autosave, 0), 60)
        self.units, self.cache = "inch" if self.units == "inch" else "cm", min(max(self.cache, 1), 1000)
        self.quality = self.quality if self.quality in QUALITIES else "auto"
        self.samples = min(max(self.samples, 1), 16)
        self.keys = {name: key for name, key in self.keys.items() if isinstance(name, str) and isinstance(key, str)}
        self.recent = [name for name in self.recent if isinstance(name, str)][:RECENT]
        self.shown = self.shown and [name for name in self.shown if isinstance(name, str)]
        return self

    def save(self, path: Path | None = None) -> None:
        path = path or config_folder() / "settings.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise MotionError(f"{path}: cannot be written: {problem.strerror or problem}") from problem
        with writing(path, "w", encoding="utf-8") as file:
            json.dump(asdict(self), file, indent=2)


_KINDS: dict[str, Any] = {f.name: (int, float) if f.type is float else f.type for f in fields(Settings)}
_KINDS["recent"] = _KINDS["shown"] = list
_KINDS["keys"] = dict
