"""The loop: poll → commands → collect jobs → advance time → sample poses → upload → draw → panels → swap → sleep."""

import gc
import os
import sys
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter, sleep

from imgui_bundle import imgui, implot

from motiongraph.app import commands as do
from motiongraph.app.jobs import failure_sentence
from motiongraph.app.playback import visible_tracks
from motiongraph.app.project import autosave
from motiongraph.app.project.session import window_title
from motiongraph.app.settings import Settings, config_folder
from motiongraph.app.state import AppState
from motiongraph.app.update import carry_out, update, warm_up
from motiongraph.app.window import FLOATING, limit_cache
from motiongraph.errors import MotionError
from motiongraph.viewer import lengths, theme
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw.frame import DAY, NIGHT, Rect, SceneFrame
from motiongraph.viewer.draw.graph_canvas import Canvases
from motiongraph.viewer.draw.heat_map import Heats
from motiongraph.viewer.draw.renderer import Pane, Renderer
from motiongraph.viewer.driving import Driving
from motiongraph.viewer.ending import Signals, lost_display
from motiongraph.viewer.keys import Keys, bind, go_to_typed, heard_letter
from motiongraph.viewer.layout import Layout
from motiongraph.viewer.memory import look_through
from motiongraph.viewer.pace import SOFTWARE_RATE, Pace, is_quick
from motiongraph.viewer.pointer import Pointer
from motiongraph.viewer.recorder import record, take_screenshots
from motiongraph.viewer.remote import Remote
from motiongraph.viewer.scenery import Scenery, camera_of
from motiongraph.viewer.ui import Ui
from motiongraph.viewer.window import Window

_BEAT, _BLINK = 4.0, 0.5  # seconds between frames while nothing happens, and while a text cursor blinks
_WORKING = 0.03  # the same while jobs run
_PASSES, _SOME_TIME = 64, 0.05  # of the panels in one frame, and seconds for them, where many events came at once
_LOOK, _ANSWER = 0.25, 0.01  # seconds between looks for signals, and for questions of tests
_TITLE = 0.4  # seconds between looks whether there is unsaved work
_IDLE = 0.1  # seconds between looks while there is nothing to draw into
_SHORTEST = 0.0015  # seconds of spare time in which to look for garbage
_LONGEST = 120  # frames without that after which it is looked for all the same
_THOROUGH = 30.0  # seconds between looks through everything, which cost a tenth of a second


class Viewer:
    """The program with its window, as `start.open_viewer` opens it; `run` until someone quits, then `close`."""

    def __init__(
        self, window: Window, renderer: Renderer, camera: Camera, settings: Settings, paths: Iterable[Path] = ()
    ):
        self.state = state = AppState(settings=settings, camera=camera)
        self.window, self.renderer = window, renderer
        self.ui = self._start_imgui()
        self.keys, self.pointer, self.sceneries = Keys(), Pointer(), {}
        self.driving = Driving(window.glfw)
        self._take_pictures = partial(take_screenshots, self)
        self.title, self._title_due, self._told = "motiongraph", 0.0, None
        self._asked_at: float | None = None  # the question that was last drawn attention to
        self._busy, self._uncollected = True, 0
        self._frozen, self._anew = False, False  # a job ended since all was looked through; that emptied the scenes
        self._looked = perf_counter()  # when that was
        self._look, self._bound = None, {}  # what the theme and the keys were made for
        self._set_pace()
        limit_cache(settings)
        window.on_drop = lambda dropped: state.issue(do.OpenPaths(tuple(dropped)))
        window.on_text = lambda letter: heard_letter(letter, state, self.ui)
        window.on_key = self.keys.heard
        window.on_lost = lambda: lost_display(state)
        self.signals = Signals()
        autosave.look_for_lost(state)
        state.hint = "first" if state.settings.hint else ""
        self._to_open: tuple[Path, ...] | None = tuple(paths)
        self.remote = None
        if os.environ.get("MOTIONGRAPH_REMOTE"):
            self.remote = Remote(os.environ["MOTIONGRAPH_REMOTE"])

    def _start_imgui(self) -> Ui:
        imgui.create_context()
        implot.create_context()
        io = imgui.get_io()
        io.config_flags |= imgui.ConfigFlags_.docking_enable
        io.config_windows_move_from_title_bar_only = True
        self.layout_file = config_folder() / "layout.ini"
        io.set_ini_filename("")  # read and written by us, so that nothing is written while it runs
        fresh = not self.layout_file.exists()
        if not fresh:
            imgui.load_ini_settings_from_disk(str(self.layout_file))
        self.layout = Layout(fresh)
        context = self.renderer.context
        self._seen_events = 0
        ui = Ui(theme.load_fonts(), Heats(), Canvases(), context.renderer, context.software)
        imgui.backends.glfw_init_for_opengl(self.window.address, True)
        imgui.backends.opengl3_init("#version 330")
        return ui

    # One frame

    def run(self) -> None:
        """Frame after frame, as fast as asked for."""
        gc.collect()
        gc.freeze()
        gc.disable()  # garbage is looked for in spare time, see `_rest`
        sys.setswitchinterval(0.0005)  # a worker must not hold up a frame for long
        self.signals.listen()
        self._last = self._due = perf_counter()
        while not autosave.may_end(self.state):
            self.frame()
            self.signals.obey(self.state)

    def frame(self) -> None:
        """One turn of the loop; where time goes is written down for the frame graph."""
        state, ui, window = self.state, self.ui, self.window
        marks = [perf_counter()]
        window.poll()
        happened, self._seen_events = window.events != self._seen_events, window.events
        paced = self.remote.answer(self) if self.remote is not None else None
        if window.closing:
            window.closing = False
            autosave.ask_to_end(state)
        self._draw_attention()
        marks.append(perf_counter())
        dt, self._last = paced or marks[-1] - self._last, marks[-1]
        if window.hidden:
            update(state, dt)
            self._film()
            window.wait(_IDLE if state.window.recording is None else 0.001)
            return
        self._begin(dt)
        update(state, dt)
        marks.append(perf_counter())
        changed = self._upload(happened or paced is not None, marks[-1])
        marks.append(perf_counter())
        self.renderer.draw_uploaded()
        self._take_pictures(panels=False)
        marks.append(perf_counter())
        self._panels()
        imgui.render()
        marks.append(perf_counter())
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())
        self._take_pictures(panels=True)
        self._obey()
        window.swap(state.settings.vsync)
        marks.append(perf_counter())
        if self._to_open is not None:
            self._set_to_work()
        if changed:
            self.pace.took(marks[-1] - marks[0])
        self._rest(marks[-1])
        marks.append(perf_counter())
        ui.timings.add([1000.0 * (after - before) for before, after in pairwise(marks)])
        if self._nothing_happens(marks[-1]):
            self.look_through()
            self._wait()
            self._due = perf_counter()

    def _set_pace(self) -> None:
        settings = self.state.settings
        self.pace = Pace(is_quick(settings.quality, self.renderer.context.software), settings.samples)
        self._quality = settings.quality, settings.samples

    def _upload(self, happened: bool, now: float) -> bool:
        """Send what has changed of the scene; whether it is another one."""
        state, size = self.state, self.window.pixels
        if self._quality != (state.settings.quality, state.settings.samples):
            self.renderer.release()
            self.renderer = Renderer.of_quality(state.settings.quality, state.settings.samples)
            self._set_pace()
        panes = self._compose()
        changed = self.renderer.differs(panes, size)
        detail, self._anew = self.pace.detail(changed and not self._anew, happened, now), False
        self.renderer.upload(panes, size, self.pace.best if state.window.screenshots else detail)
        return changed

    def _panels(self) -> None:
        """Draw them; again as long as there are events left, for Dear ImGui takes one key or button at a time."""
        state, events = self.state, imgui.get_current_context().input_events_queue
        self.layout.draw(state, self.ui)
        end = perf_counter() + _SOME_TIME
        for _ in range(_PASSES):
            if not events.size() or perf_counter() > end:
                return
            imgui.end_frame()
            self._begin(0.0)
            carry_out(state)
            self.layout.draw(state, self.ui)

    def _begin(self, dt: float) -> None:
        """Tell Dear ImGui what happened, and make commands of what the scene and the keyboard got."""
        state, ui, settings = self.state, self.ui, self.state.settings
        scale = self.window.scale * settings.zoom
        look = scale, settings.light, settings.safe_colours, settings.units
        if look != self._look or not ui.panes:
            self._look, ui.scale = look, scale
            lengths.choose(settings.units)
            theme.choose(settings.light, settings.safe_colours)
            theme.apply_theme(scale)
        if self._bound != settings.keys:
            self._bound = settings.keys
            bind(settings.keys)
        ui.heats.turn()
        ui.canvases.turn()
        imgui.backends.opengl3_new_frame()
        self._tell_imgui(dt)
        imgui.new_frame()
        ui.panes = _panes(ui.scene, len(visible_tracks(state)))
        self.pointer.update(state, ui, dt)
        self.driving.update(state, ui, dt)
        self.keys.act(state, ui)
        go_to_typed(state, ui)

    def _tell_imgui(self, dt: float) -> None:
        """Size, time and the shape of the mouse, as the glfw backend's new frame would; that asks the window system
        for each of them anew, which costs more than all else here. Events reach Dear ImGui through its callbacks."""
        io, window = imgui.get_io(), self.window
        if self._told != (window.size, window.pixels):
            self._told = window.size, window.pixels
            io.display_size = imgui.ImVec2(*window.size)
            io.display_framebuffer_scale = imgui.ImVec2(window.density, window.density)
        io.delta_time = max(dt, 1e-6)
        window.set_cursor(int(imgui.get_mouse_cursor()))

    def _set_to_work(self) -> None:
        """Behind the first frame, so that the window is there at once: compile, and open what was asked for."""
        paths, self._to_open = self._to_open, None
        warm_up(self.state)
        self.state.issue(do.OpenPaths(paths) if paths else do.OpenSamples())

    def _compose(self) -> list[Pane]:
        """(scene, view) of every pane; before everything is compiled, an empty floor."""
        state, ui = self.state, self.ui
        density = self.window.density
        found = []
        for index, (track, rect) in enumerate(zip(visible_tracks(state), ui.panes)):
            x, y, wide, high = (round(density * value) for value in rect)
            if state.ready and index < len(state.casts):
                scene = self._scenery(track).compose(state, track, state.casts[index])
            else:
                scene = SceneFrame(backdrop=DAY if state.settings.day else NIGHT)
            found.append((scene, camera_of(state, track).view((x, y, wide, high), density * self.window.scale)))
        return found

    def _scenery(self, track: int) -> Scenery:
        if track not in self.sceneries:
            self.sceneries[track] = Scenery()
        return self.sceneries[track]

    def _rest(self, now: float) -> None:
        """Sleep until the next frame is due, having looked for garbage where there is time for it."""
        state = self.state
        step = 1.0 / min(state.settings.rate, SOFTWARE_RATE if self.pace.quick else state.settings.rate)
        self._due = now if state.settings.vsync else max(self._due + step, now - 0.5 * step)
        self._collect(self._due - now)
        left = self._due - perf_counter()
        if left > 0.0:
            sleep(left)

    def _nothing_happens(self, now: float) -> bool:
        """Whether the next frame would be like this one."""
        state, ui = self.state, self.ui
        asked = state.queue or state.window.screenshots or state.window.quit or state.window.recording or ui.typed
        driven = state.live is not None and self.driving.gamepad.name  # which wakes nobody up
        return self.pace.at_rest(now) and not asked and not driven and ui.dialogs.pending is None

    def _wait(self) -> None:
        """Until something happens, or a beat long; not if scenes are to be made anew first."""
        window, remote = self.window, self.remote
        beat = _WORKING if self.state.jobs.running else _BLINK if imgui.get_io().want_text_input else _BEAT
        end = perf_counter() + (0.0 if self._anew else beat)
        while window.events == self._seen_events and not self.signals.heard and (left := end - perf_counter()) > 0.0:
            if remote is not None and remote.waiting():
                self.pace.active = perf_counter()
                return
            window.wait(min(left, _LOOK if remote is None else _ANSWER))  # signals are noticed in between

    def _collect(self, spare: float) -> None:
        """Look for garbage, if there is time for it or it has not been looked for in a while.

        What jobs bring is there to stay (modules above all) and would take longer to look through than a frame lasts:
        it is left out from when they are done, and until then only what is new is looked at. Whatever of it goes after
        all, such as the clips of a project that was closed, is found by `look_through`.
        """
        busy, self._uncollected = bool(self.state.jobs.running), self._uncollected + 1
        if self._busy and not busy:
            gc.freeze()
            self._frozen = True
            if perf_counter() - self._looked > _THOROUGH:
                self.look_through()
        self._busy = busy
        if spare > _SHORTEST or self._uncollected > _LONGEST:
            gc.collect(1 if busy or self.ui.timings.count % 64 > self._uncollected else 2)
            self._uncollected = 0

    def look_through(self, always: bool = False) -> None:
        """Look for garbage in what was left out, too, if anything was since the last time. Scenes and panels work out
        anew what they show: what they remember may be of clips and results that are gone."""
        if self._frozen or always:
            self.sceneries.clear()
            look_through()
            self._frozen, self._anew, self._looked = False, True, perf_counter()

    # What the window is asked for

    def _obey(self) -> None:
        """Full screen, title, and the frames of a video."""
        state, window = self.state, self.window
        if state.window.full_screen != window.full_screen:
            self._remember_size()
            try:
                window.set_full_screen(state.window.full_screen)
            except MotionError as problem:
                state.window.full_screen = window.full_screen
                state.say(str(problem), "error")
        if state.clock >= self._title_due:
            self._title_due = state.clock + _TITLE
            title = window_title(state)
            if title != self.title:
                self.title = title
                window.set_title(title)
        self._film()

    def _draw_attention(self) -> None:
        asked = self.state.project.asked_at
        if asked is not None and asked != self._asked_at:
            self.window.ask_attention()
        self._asked_at = asked

    def _film(self) -> None:
        if self.state.window.recording is not None:
            record(self)

    # The end

    def stay(self) -> None:
        """Run until someone quits, and close. If the program fails, save what can be saved first."""
        try:
            self.run()
        except BaseException as problem:
            try:
                autosave.end_badly(self.state)
            finally:
                self.close()
            if not isinstance(problem, Exception) or os.environ.get("MOTIONGRAPH_DEBUG"):
                raise
            raise MotionError(failure_sentence(problem, "the window")) from problem
        self.close()

    def _remember_size(self) -> None:
        """That of the window, not of a screen it fills."""
        settings, window = self.state.settings, self.window
        if not window.full_screen:
            settings.maximized = window.maximized
            if not window.maximized and not window.hidden:
                settings.width, settings.height = window.size

    def _remember(self) -> None:
        """Settings and layout, for the next start."""
        settings = self.state.settings
        settings.shown = sorted(self.state.window.shown.difference(FLOATING))
        settings.save()
        imgui.save_ini_settings_to_disk(str(self.layout_file))

    def close(self) -> None:
        """Stop what runs, remember settings and layout, give everything back; work was seen to before."""
        state, window = self.state, self.window
        self.ui.dialogs.close()
        if self.ui.recorder is not None:
            self.ui.recorder.stop()
        state.jobs.close()
        gc.enable()
        try:
            self._remember_size()
            self._remember()
        finally:
            if self.remote is not None:
                self.remote.close()
            self.ui.heats.release()
            self.ui.canvases.release()
            self.renderer.release()
            imgui.backends.opengl3_shutdown()
            imgui.backends.glfw_shutdown()
            implot.destroy_context()
            imgui.destroy_context()
            window.close()


def _panes(scene: Rect, count: int) -> list[Rect]:
    """The scene's rectangle cut into so many, side by side, with a thin line between."""
    x, y, width, height = scene
    gap = 2.0 if count > 1 else 0.0
    each = (width - gap * (count - 1)) / count
    return [(x + i * (each + gap), y, each, height) for i in range(count)]
