"""Asking for files: the system's own dialogs, or a small browser of our own where the system has none.

What is asked, of which clip, is settled when the dialog opens; the answer becomes a command when it comes. Until then
nothing else can be done: dialogs of the system run beside the loop, so a line of ours stands in their place.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from imgui_bundle import portable_file_dialogs as pfd  # pyright: ignore[reportMissingModuleSource] - compiled

from motiongraph.app import commands as do
from motiongraph.app.command import Command
from motiongraph.app.library.entries import Entry
from motiongraph.app.state import AppState
from motiongraph.app.walk.results import current_result
from motiongraph.formats.save import files_written
from motiongraph.viewer import browser

Line = tuple[str, Path, bool]  # label, path, whether it is a folder

_READ = "*.bvh *.BVH *.amc *.AMC *.glb *.gltf *.vrm *.npz *.toml *.mgproj *.mgraph *.obj *.OBJ"
_MOTION = ("Motion capture", _READ, "All files", "*")


@dataclass(frozen=True)
class Question:
    """What is asked with a dialog."""

    kind: str  # open, folder or save
    title: str
    answer: Callable[[list[Path], int], Command]  # from the files and the number of the clip it is about
    filters: tuple[str, ...] = ("All files", "*")  # pairs of a name and patterns
    name: str = ""  # a file to propose, {} for the name of the clip
    ending: str = ""  # for a file that is saved with none
    about: Callable[[AppState], Entry | None] | None = None  # the entry it is about


def _saving(
    title: str,
    command: Callable[..., Command],
    filters: tuple[str, ...],
    name: str,
    about: Callable[[AppState], Entry | None] | None = None,
) -> Question:
    """command: (path) → command, or (path, number) where it is about a clip."""
    answer = (lambda paths, number: command(paths[0], number)) if about else (lambda paths, number: command(paths[0]))
    return Question("save", title, answer, filters, name, Path(name).suffix, about)


def _clip(state: AppState) -> Entry | None:
    return state.entry


_SKELETON = ("Skeleton", "*.asf *.ASF")
_EXPORTED = ("Motion", "*.bvh *.amc *.glb")
QUESTIONS = {
    "load path": Question(
        "open",
        "Open a path: x,z in metres on each line",
        lambda paths, _: do.LoadPath(paths[0]),
        ("Path", "*.csv *.txt"),
    ),
    "save path": _saving("Save the path as", do.SavePath, ("Path", "*.csv"), "path.csv"),
    "open files": Question("open", "Open clips", lambda paths, _: do.OpenPaths(tuple(paths)), _MOTION),
    "skeleton": Question(
        "open",
        "Choose the skeleton (.asf) of this motion",
        lambda paths, number: do.ReadAgain(number, skeleton=paths[0]),
        _SKELETON,
        about=_clip,
    ),
    "skeleton of folder": Question(
        "open",
        "Choose the skeleton (.asf) of all AMC files of this folder",
        lambda paths, number: do.ReadAgain(number, skeleton=paths[0], folder=True),
        _SKELETON,
        about=_clip,
    ),
    "load weights": Question(
        "open", "Open weights of joints", lambda paths, _: do.LoadWeights(paths[0]), ("Weights", "*.toml")
    ),
    "load mesh": Question(
        "open",
        "Open a mesh that stands as the rest pose does",
        lambda paths, _: do.LoadMesh(paths[0]),
        ("Mesh", "*.obj"),
    ),
    "load bones": Question(
        "open", "Open a map of bones", lambda paths, _: do.LoadBones(paths[0]), ("Map of bones", "*.toml")
    ),
    "save bones": _saving("Save the map of bones as", do.SaveBones, ("Map of bones", "*.toml"), "bones.toml"),
    "missing skeleton": Question(
        "open",
        "Choose the skeleton (.asf) of the motions that lack theirs",
        lambda paths, _: do.GiveSkeleton(paths[0]),
        _SKELETON,
    ),
    "open folder": Question("folder", "Open a folder of clips", lambda paths, _: do.OpenPaths(tuple(paths))),
    "save project": _saving("Save the project as", do.SaveProject, ("Project", "*.mgproj"), "motion.mgproj"),
    "save and quit": _saving(
        "Save the project as",
        lambda path: do.SaveProject(path, quit=True),
        ("Project", "*.mgproj"),
        "motion.mgproj",
    ),
    "open graph": Question(
        "open", "Open a graph", lambda paths, _: do.OpenGraph(paths[0]), ("Motion graph", "*.mgraph")
    ),
    "save graph": _saving("Save the graph as", do.SaveGraph, ("Motion graph", "*.mgraph"), "motion.mgraph"),
    "export graph": _saving(
        "Export the graph as .png, .dot, .graphml or .json",
        do.ExportGraph,
        ("Picture or graph", "*.png *.dot *.graphml *.json"),
        "graph.png",
    ),
    "save labels": _saving(
        "Save labels as", lambda path: do.SaveLabels(path, force=True), ("Labels", "*.toml"), "labels.toml"
    ),
    "export": _saving(
        "Export the clip as .bvh, .amc or .glb",
        lambda path, number: do.SaveClip(number, path),
        _EXPORTED,
        "{}.bvh",
        _clip,
    ),
    "save result": _saving(
        "Save the motion as .bvh, .amc or .glb",
        lambda path, number: do.SaveClip(number, path),
        _EXPORTED,
        "{}.bvh",
        current_result,
    ),
    "save log": _saving(
        "Save which pieces were played as",
        lambda path, number: do.SaveLog(number, path),
        ("Text", "*.txt"),
        "{}.txt",
        current_result,
    ),
    **{
        f"matrix {kind}": _saving(
            title, lambda path, kind=kind: do.ExportMatrix(path, kind), (name, f"*{suffix}"), f"matrix{suffix}"
        )
        for kind, title, name, suffix in (
            ("view", "Save the view of the matrix as", "Picture", ".png"),
            ("figure", "Save the figure of the matrix as", "Picture", ".png"),
            ("cells", "Save the matrix, one pixel a cell, as", "Picture", ".png"),
            ("numbers", "Save the numbers of the matrix as", "Numpy", ".npz"),
            ("table", "Save the numbers of the matrix as", "Text", ".csv"),
        )
    },
    "record": _saving(
        "Save the video as",
        lambda path, number: do.RecordVideo(path, clip=number),
        ("Video", "*.mp4 *.gif"),
        "{}.mp4",
        _clip,
    ),
}
_ANYWHERE = (
    "save labels",
    "save project",
    "save and quit",
)  # they go where the user says, not among the captured files by default


def has_native() -> bool:
    """Whether the system can show a dialog of its own."""
    if not sys.platform.startswith("linux"):
        return True
    return any(shutil.which(name) for name in ("zenity", "kdialog", "matedialog", "qarma"))


@dataclass(eq=False)
class Dialogs:
    """The dialog that is open, if any."""

    native: bool = field(default_factory=has_native)  # use the system's dialogs
    pending: pfd.open_file | pfd.save_file | pfd.select_folder | None = None  # that of the system
    question: Question | None = None  # what is being asked
    number: int = 0  # number and name of the clip it is about
    subject: str = ""
    folder: Path = Path()  # what our own browser shows
    text: str = ""
    chosen: set[Path] = field(default_factory=set)
    doubtful: Path | None = None  # a file that must not be written before someone has said so
    there: list[Path] = field(default_factory=list)  # what would be replaced then
    opened: bool = False  # whether the popup of this step was opened
    _listed: tuple[Any, list[Line]] = (None, [])

    @property
    def asked(self) -> Question:
        """What is being asked; there must be something."""
        assert self.question is not None
        return self.question

    def ask(self, name: str, state: AppState) -> None:
        """Open the dialog called `name`, in place of one that is open."""
        self.close()
        question = self.question = QUESTIONS[name]
        settings = state.settings
        chosen = settings.save_in if question.kind == "save" else settings.open_in
        folder = Path(chosen or (Path.home() if name in _ANYWHERE else settings.folder or Path.home())).expanduser()
        self.folder = folder if os.path.isdir(folder) else Path.home()
        entry = question.about(state) if question.about else None
        self.number, self.subject = (entry.number, entry.name) if entry else (0, "")
        self.text = question.name.format(self.subject.replace(os.sep, "_") or "clip")
        self._open()

    def _open(self) -> None:
        self.chosen, self.pending, self.doubtful, self.opened = set(), None, None, False
        question = self.asked
        if not self.native:
            return
        if question.kind == "open":
            options = pfd.opt.multiselect
            self.pending = pfd.open_file(question.title, str(self.folder), list(question.filters), options)
        elif question.kind == "folder":
            self.pending = pfd.select_folder(question.title, str(self.folder))
        else:
            self.pending = pfd.save_file(question.title, str(self.folder / self.text), list(question.filters))

    def poll(self, state: AppState) -> None:
        """Show what is being asked, and pass on the answer."""
        if self.question is None:
            return
        if self.doubtful is not None:
            browser.replace(self, self.doubtful, state)
        elif self.pending is None:
            browser.browse(self, state)
        else:
            browser.wait(self, state)

    def found(self) -> list[Path] | None:
        """What the system's dialog answered: None while it is open, nothing where it was given up."""
        if self.pending is None or not self.pending.ready(0):
            return None
        found = self.pending.result()
        return [Path(path) for path in ([found] if isinstance(found, str) else found or ()) if path]

    def answer(self, state: AppState, paths: list[Path]) -> None:
        """These files were chosen; one that would be written over is asked about, unless the system has done so."""
        question = self.asked
        if question.kind != "save" or not paths:
            self.finish(state, paths)
            return
        path = paths[0] if paths[0].suffix else paths[0].with_suffix(question.ending)
        asked = [path] if self.pending is not None and path == paths[0] else []
        self.there = [file for file in files_written(path) if os.path.exists(file) and file not in asked]
        if self.there:
            self.doubtful, self.opened = path, False
        else:
            self.finish(state, [path])

    def again(self) -> None:
        """Ask for another name."""
        if self.doubtful is not None:
            self.folder, self.text = self.doubtful.parent, self.doubtful.name
        self._open()

    def finish(self, state: AppState, paths: list[Path]) -> None:
        """The end of it: the command, where there is an answer."""
        question, self.question, self.pending, self.doubtful = self.asked, None, None, None
        if not paths:
            return
        if question.about and state.library.get(self.number) is None:
            state.say(f"{self.subject} was removed meanwhile: nothing was written to {paths[0].name}", "error")
            return
        state.issue(question.answer(paths, self.number))

    def close(self) -> None:
        """Ask no longer; a dialog of the system goes away."""
        if self.pending is not None:
            self.pending.kill()
        self.question = self.pending = self.doubtful = None

    def listing(self) -> list[Line]:
        """What our own browser lists, looked up again every second."""
        key = self.folder, self.asked, int(time.monotonic())
        if self._listed[0] != key:
            self._listed = key, list_folder(self.folder, self.asked)
        return self._listed[1]


def list_folder(folder: Path, question: Question) -> list[Line]:
    """(label, path, whether it is a folder) of folders, then of the files the question is about; nothing where the
    folder cannot be read."""
    endings = tuple(pattern.lstrip("*").lower() for pattern in question.filters[1].split())
    try:
        with os.scandir(folder) as scanned:
            found = [(entry.name, entry.is_dir()) for entry in scanned if not entry.name.startswith(".")]
    except OSError:
        return []
    found = [
        (name, inside)
        for name, inside in found
        if inside or (question.kind != "folder" and name.lower().endswith(endings))
    ]
    found.sort(key=lambda item: (not item[1], item[0].lower()))
    return [(f"{name}/" if inside else name, folder / name, inside) for name, inside in found]
