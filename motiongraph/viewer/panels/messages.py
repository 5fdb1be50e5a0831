"""What the program has to say: all messages, newest first; and the line at the bottom with running jobs."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.viewer import theme
from motiongraph.viewer.panels.widgets import icons, note, tooltip

_ICONS = {
    "info": icons.ICON_FA_CIRCLE_INFO,
    "warning": icons.ICON_FA_TRIANGLE_EXCLAMATION,
    "error": icons.ICON_FA_CIRCLE_XMARK,
}
_FRESH = 8.0  # seconds a remark stays in the status line; what went wrong stays until it is seen


def messages_panel(state, ui) -> None:
    if not state.messages:
        note("Nothing to report.")
        return
    if imgui.button("Clear"):
        state.issue(do.DismissMessages())
    imgui.same_line()
    if imgui.button("Copy all"):
        imgui.set_clipboard_text("\n".join(f"{m.when} {m.level}: {m.text}" for m in state.messages))
    ui.texts["seen"] = _named(state.messages[0])
    imgui.begin_child("list")
    for message in state.messages:
        imgui.text_disabled(message.when)
        imgui.same_line()
        imgui.text_colored(theme.LEVELS[message.level], _ICONS[message.level])
        imgui.same_line()
        imgui.push_text_wrap_pos(0.0)
        imgui.text_unformatted(message.text) if message.level == "info" else imgui.text_colored(
            theme.LEVELS[message.level], message.text
        )
        imgui.pop_text_wrap_pos()
    imgui.end_child()


def _named(message) -> str:
    return f"{message.age} {message.text}"


def status_bar(state, ui) -> None:
    """Running jobs with their progress at the left, the newest message at the right."""
    jobs = [job for job in state.jobs.running if not job.quiet and not job.cancelled.is_set()]
    recording = ui.recorder
    if recording is not None:
        _job(f"recording {recording.path.name}", recording.share, recording.what, ui)
        if _cancel(ui, "recording"):
            recording.cancelled = True
        imgui.same_line(0, ui.px(16))
    for job in jobs[:3]:
        _job(job.title, job.share, job.what, ui)
        if _cancel(ui, str(job.number)):
            state.issue(do.CancelJob(job.number))
        imgui.same_line(0, ui.px(16))
    message = state.messages[0] if state.messages else None
    old = message is not None and state.clock - message.age > _FRESH
    if message is None or (old and (message.level == "info" or ui.texts.get("seen") == _named(message))):
        if not jobs and recording is None:
            _at_rest(state)
        return
    imgui.push_style_color(imgui.Col_.text, theme.LEVELS[message.level])
    more = f"  (+{len(state.messages) - 1})" if len(state.messages) > 1 else ""
    imgui.text_unformatted(f"{_ICONS[message.level]}  {message.text}{more}")
    imgui.pop_style_color()
    tooltip(f"{message.text}\n\nclick for all messages")
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
    imgui.push_style_var(imgui.StyleVar_.frame_padding, (style.frame_padding.x, 0))
    imgui.progress_bar(-1.0 * imgui.get_time() if share is None else share, (ui.px(140), imgui.get_font_size()), "")
    imgui.pop_style_var()
    if what:
        imgui.same_line()
        imgui.text_disabled(what if len(what) < 42 else f"{what[:40]}…")


def _cancel(ui, name: str) -> bool:
    imgui.same_line()
    return imgui.small_button(f"cancel##{name}")
