"""Asking for files: the system's own dialogs, or a small browser of our own where the system has none.

Dialogs of the system run beside the loop; their answers become commands when they come.
"""

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from imgui_bundle import imgui
from imgui_bundle import portable_file_dialogs as pfd

from motiongraph.app import commands as do
from motiongraph.app.results import in_hand

_MOTION = ["Motion capture", "*.bvh *.BVH *.amc *.AMC *.toml *.mgproj *.mgraph", "All files", "*"]


@dataclass(frozen=True)
class Question:
    """kind: open, folder or save; filters: pairs of a name and patterns; answer: (state, paths) → command."""

    kind: str
    title: str
    answer: object
    filters: tuple[str, ...] = ("All files", "*")
    name: str = ""


def _record(state, paths):
    return do.RecordVideo(_suffixed(paths[0], ".mp4"))


def _result(state) -> int:
    """The number of the result in hand; 0, which none has, where it was removed meanwhile."""
    entry = in_hand(state)
    return entry.number if entry else 0


def _suffixed(path: Path, suffix: str) -> Path:
    return path if path.suffix else path.with_suffix(suffix)


QUESTIONS = {
    "load path": Question(
        "open",
        "Open a path: x,z in metres on each line",
        lambda s, paths: do.LoadPath(paths[0]),
        ("Path", "*.csv *.txt"),
    ),
    "save path": Question(
        "save",
        "Save the path as",
        lambda s, paths: do.SavePath(_suffixed(paths[0], ".csv")),
        ("Path", "*.csv"),
        "path.csv",
    ),
    "open files": Question("open", "Open clips", lambda s, paths: do.OpenPaths(tuple(paths)), tuple(_MOTION)),
    "open folder": Question("folder", "Open a folder of clips", lambda s, paths: do.OpenPaths(tuple(paths))),
    "save project": Question(
        "save",
        "Save the project as",
        lambda s, paths: do.SaveProject(_suffixed(paths[0], ".mgproj")),
        ("Project", "*.mgproj"),
        "motion.mgproj",
    ),
    "open graph": Question(
        "open", "Open a graph", lambda s, paths: do.OpenGraph(paths[0]), ("Motion graph", "*.mgraph")
    ),
    "save graph": Question(
        "save",
        "Save the graph as",
        lambda s, paths: do.SaveGraph(_suffixed(paths[0], ".mgraph")),
        ("Motion graph", "*.mgraph"),
        "motion.mgraph",
    ),
    "export graph": Question(
        "save",
        "Export the graph as .png, .dot, .graphml or .json",
        lambda s, paths: do.ExportGraph(_suffixed(paths[0], ".png")),
        ("Picture or graph", "*.png *.dot *.graphml *.json"),
        "graph.png",
    ),
    "save labels": Question(
        "save",
        "Save labels as",
        lambda s, paths: do.SaveLabels(_suffixed(paths[0], ".toml"), force=True),
        ("Labels", "*.toml"),
        "labels.toml",
    ),
    "export": Question(
        "save",
        "Export the clip as .bvh, .amc or .glb",
        lambda s, paths: do.SaveClip(s.entry.number, _suffixed(paths[0], ".bvh")),
        ("Motion", "*.bvh *.amc *.glb"),
        "{clip}.bvh",
    ),
    "save result": Question(
        "save",
        "Save the motion as .bvh, .amc or .glb",
        lambda s, paths: do.SaveClip(_result(s), _suffixed(paths[0], ".bvh")),
        ("Motion", "*.bvh *.amc *.glb"),
        "{result}.bvh",
    ),
    "save log": Question(
        "save",
        "Save which pieces were played as",
        lambda s, paths: do.SaveLog(_result(s), _suffixed(paths[0], ".txt")),
        ("Text", "*.txt"),
        "{result}.txt",
    ),
    **{
        f"matrix {kind}": Question(
            "save",
            title,
            lambda s, paths, kind=kind, suffix=suffix: do.ExportMatrix(_suffixed(paths[0], suffix), kind),
            (name, f"*{suffix}"),
            f"matrix{suffix}",
        )
        for kind, title, name, suffix in (
            ("view", "Save the view of the matrix as", "Picture", ".png"),
            ("figure", "Save the figure of the matrix as", "Picture", ".png"),
            ("cells", "Save the matrix, one pixel a cell, as", "Picture", ".png"),
            ("numbers", "Save the numbers of the matrix as", "Numpy", ".npz"),
        )
    },
    "record": Question("save", "Save the video as", _record, ("Video", "*.mp4 *.gif"), "{clip}.mp4"),
}


def has_native() -> bool:
    """Whether the system can show a dialog of its own."""
    if not sys.platform.startswith("linux"):
        return True
    return any(shutil.which(name) for name in ("zenity", "kdialog", "matedialog", "qarma"))


@dataclass(eq=False)
class Dialogs:
    """native: use the system's dialogs; pending: the one that is open."""

    native: bool = field(default_factory=has_native)
    pending: object = None
    question: Question | None = None
    folder: Path = Path()
    text: str = ""
    chosen: set[Path] = field(default_factory=set)
    opened: bool = False

    def ask(self, name: str, state) -> None:
        """Open the dialog called `name`, in place of one that is open."""
        if self.pending is not None:
            self.pending.kill()
        question = self.question = QUESTIONS[name]
        folder = Path(state.settings.folder or Path.home())
        if question.kind == "save" and name in ("save labels", "save project"):
            folder = Path.home()  # labels go where the user says, not among the captured files by default
        self.folder = folder if folder.is_dir() else Path.home()
        result = in_hand(state)
        self.text = question.name.format(
            clip=state.entry.name if state.entry else "clip", result=result.name if result else "result"
        )
        self.chosen, self.pending, self.opened = set(), None, False
        if not self.native:
            return
        if question.kind == "open":
            options = pfd.opt.multiselect
            self.pending = pfd.open_file(question.title, str(self.folder), list(question.filters), options)
        elif question.kind == "folder":
            self.pending = pfd.select_folder(question.title, str(self.folder))
        else:
            self.pending = pfd.save_file(question.title, str(self.folder / self.text), list(question.filters))

    def poll(self, state) -> None:
        """Pass on the answer of a system dialog; show our own."""
        if self.question is None:
            return
        if self.pending is None:
            _browse(self, state)
        elif self.pending.ready(0):
            found = self.pending.result()
            self.finish(state, [Path(found)] if isinstance(found, str) and found else [Path(p) for p in found or ()])

    def finish(self, state, paths: list[Path]) -> None:
        question, self.question, self.pending = self.question, None, None
        if paths:
            state.issue(question.answer(state, paths))


def _browse(dialog: Dialogs, state) -> None:
    """A folder with its clips, a line to type in, and two buttons."""
    question = dialog.question
    if not dialog.opened:
        imgui.open_popup(question.title)
        dialog.opened = True
    centre = imgui.get_main_viewport().get_center()
    size = imgui.get_font_size()
    imgui.set_next_window_pos(centre, imgui.Cond_.appearing, (0.5, 0.5))
    imgui.set_next_window_size((40 * size, 28 * size), imgui.Cond_.appearing)
    visible, kept = imgui.begin_popup_modal(question.title, True)
    if not visible:
        dialog.finish(state, [])
        return
    imgui.text_disabled(str(dialog.folder))
    imgui.begin_child("files", (0, -2.6 * imgui.get_frame_height_with_spacing()), imgui.ChildFlags_.borders)
    if imgui.selectable("..", False, imgui.SelectableFlags_.no_auto_close_popups)[0]:
        dialog.folder, dialog.chosen = dialog.folder.parent, set()
    for path in _listing(dialog.folder, question):
        label = f"{path.name}/" if path.is_dir() else path.name
        flags = imgui.SelectableFlags_.no_auto_close_popups
        if imgui.selectable(label, path in dialog.chosen, flags)[0]:
            if path.is_dir():
                dialog.folder, dialog.chosen = path, set()
                break
            several = question.kind == "open" and imgui.get_io().key_ctrl
            dialog.chosen = (dialog.chosen ^ {path}) if several else {path}
            dialog.text = path.name
    imgui.end_child()
    imgui.set_next_item_width(-1)
    if imgui.is_window_appearing():
        imgui.set_keyboard_focus_here()
    flags = imgui.InputTextFlags_.enter_returns_true
    hint = "a file or folder, typed or pasted"
    entered, dialog.text = imgui.input_text_with_hint("##path", hint, dialog.text, flags)
    word = {"open": "Open", "folder": "Open this folder", "save": "Save"}[question.kind]
    if imgui.button(word) or entered:
        typed = Path(dialog.text).expanduser()
        typed = typed if typed.is_absolute() else dialog.folder / typed
        chosen = sorted(dialog.chosen) if len(dialog.chosen) > 1 else [typed]
        if question.kind == "folder" and not dialog.text:
            chosen = [dialog.folder]
        imgui.close_current_popup()
        dialog.finish(state, chosen)
    imgui.same_line()
    if imgui.button("Cancel") or not kept or imgui.is_key_pressed(imgui.Key.escape):
        imgui.close_current_popup()
        dialog.finish(state, [])
    imgui.end_popup()


def _listing(folder: Path, question: Question) -> list[Path]:
    """Folders, then the files the question is about; nothing where the folder cannot be read."""
    endings = tuple(p.lstrip("*").lower() for p in question.filters[1].split())
    try:
        found = sorted(folder.iterdir(), key=lambda p: (not p.is_dir(), p.name.lower()))
    except OSError:
        return []
    keep = [p for p in found if not p.name.startswith(".") and (p.is_dir() or p.name.lower().endswith(endings))]
    return [p for p in keep if p.is_dir()] if question.kind == "folder" else keep
