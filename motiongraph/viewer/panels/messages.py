"""What the program has to say: all messages, newest first; and the line at the bottom with running jobs."""

from itertools import islice, takewhile

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import OVERLAY, icons, note, tooltip

_ICONS = {
    "info": icons.ICON_FA_CIRCLE_INFO,
    "warning": icons.ICON_FA_TRIANGLE_EXCLAMATION,
    "error": icons.ICON_FA_CIRCLE_XMARK,
}
_ALWAYS, _TEXT, _PADDING = int(imgui.Cond_.always), int(imgui.Col_.text), int(imgui.StyleVar_.frame_padding)
_FRESH = 8.0  # seconds a remark stays in the status line; what went wrong stays until it is seen
_LISTED = 100  # messages in the panel; "Copy all" has all of them


def messages_panel(state, ui) -> None:
    if not state.messages:
        note("Nothing to report.")
        return
    if imgui.button("Clear"):
        state.issue(do.DismissMessages())
    imgui.same_line()
    if imgui.button("Copy all"):
        imgui.set_clipboard_text("\n".join(f"{m.when} {m.level}: {m.text}" for m in state.messages))
    ui.seen.all(state.messages)
    imgui.begin_child("list")
    for message in islice(state.messages, _LISTED):
        imgui.text_disabled(message.when)
        imgui.same_line()
        imgui.text_colored(theme.LEVELS[message.level], _ICONS[message.level])
        imgui.same_line()
        imgui.push_text_wrap_pos(0.0)
        imgui.text_unformatted(message.text) if message.level == "info" else imgui.text_colored(
            theme.LEVELS[message.level], message.text
        )
        imgui.pop_text_wrap_pos()
    if len(state.messages) > _LISTED:
        note(f"{len(state.messages) - _LISTED} older ones: Copy all has them.")
    imgui.end_child()


class Seen:
    """What of the messages was seen. last: the newest of those that were; problem: the newest warning or error that
    was not."""

    def __init__(self):
        self.last = self.problem = self._newest = None

    def all(self, messages) -> None:
        self.last, self.problem = messages[0], None

    def worth_showing(self, messages, clock: float):
        """The message for the status line: what went wrong, for as long as it is new; then what was said since; then
        what went wrong until it is seen. None: there is nothing to say."""
        newest = messages[0] if messages else None
        if newest is not self._newest:
            self._newest = newest
            unseen = takewhile(lambda message: message is not self.last, messages)
            self.problem = next((message for message in unseen if message.level != "info"), None)
        problem = self.problem
        if newest is None or (problem is not None and clock - problem.age <= _FRESH):
            return problem
        return newest if newest is not self.last and clock - newest.age <= _FRESH else problem


def status_bar(state, ui) -> None:
    """Running jobs with their progress at the left, what there is to say at the right."""
    jobs = _jobs(state, ui)
    message = ui.seen.worth_showing(state.messages, state.clock)
    if message is not None:
        _message(message, state, ui)
    elif not jobs:
        _at_rest(state)


def status_overlay(state, ui) -> None:
    """The same in a corner of the scene, while the panels are hidden; nothing where there is nothing to say."""
    message = ui.seen.worth_showing(state.messages, state.clock)
    if message is None and not any(map(_shown, state.jobs.running)):
        return
    x, y, width, height = ui.scene
    imgui.set_next_window_pos((x + ui.px(14), y + height - ui.px(14)), _ALWAYS, (0.0, 1.0))
    imgui.set_next_window_size_constraints((0.0, 0.0), (max(width - ui.px(28), 1.0), max(height, 1.0)))
    imgui.set_next_window_bg_alpha(0.9)
    imgui.begin("status", None, OVERLAY)
    _jobs(state, ui)
    if message is not None:
        _message(message, state, ui)
    else:
        imgui.new_line()
    imgui.end()


def _shown(job) -> bool:
    return not job.quiet and not job.cancelled.is_set()


def _jobs(state, ui) -> bool:
    """The first jobs in a row, whether there are any; what follows stands beside them."""
    jobs = [job for job in state.jobs.running if _shown(job)]
    for job in jobs[:3]:
        _job(job.title, job.share, job.what, ui)
        imgui.same_line()
        if imgui.small_button(f"cancel##{job.number}"):
            state.issue(do.CancelJob(job.number))
        imgui.same_line(0, ui.px(16))
    return bool(jobs)


def _message(message, state, ui) -> None:
    if message is ui.seen.problem:  # it stays until someone says that it was read
        if imgui.small_button(icons.ICON_FA_XMARK):
            ui.seen.all(state.messages)
        tooltip("seen")
        imgui.same_line()
    imgui.push_style_color(_TEXT, theme.LEVELS[message.level])
    more = f"  (+{len(state.messages) - 1})" if len(state.messages) > 1 else ""
    imgui.text_unformatted(f"{_ICONS[message.level]}  {message.text}{more}")
    imgui.pop_style_color()
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"{message.text}\n\nclick for all messages")
    if imgui.is_item_clicked():
        state.issue(do.ShowPanel("messages", True))


def _at_rest(state) -> None:
    entry = state.entry
    words = f"{entry.name} · {entry.words}" if entry and entry.words else entry.name if entry else "drop clips here"
    imgui.text_disabled(words)


def _job(title: str, share: float | None, what: str, ui) -> None:
    imgui.text_unformatted(title)
    imgui.same_line()
    style = imgui.get_style()
    imgui.push_style_var(_PADDING, (style.frame_padding.x, 0))
    imgui.progress_bar(-1.0 * imgui.get_time() if share is None else share, (ui.px(140), imgui.get_font_size()), "")
    imgui.pop_style_var()
    if what:
        imgui.same_line()
        imgui.text_disabled(what if len(what) < 42 else f"{what[:40]}…")
