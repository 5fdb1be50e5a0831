"""Where everything is: menu and status lines, the timeline, docked panels, and the scene in what is left."""

from imgui_bundle import imgui

from motiongraph.app import commands as do
from motiongraph.app.state import AppState
from motiongraph.viewer.containment import contained, contained_panel
from motiongraph.viewer.panels import playback
from motiongraph.viewer.panels.graph import graph_aside, graph_panel
from motiongraph.viewer.panels.help import fetch_window, hint_overlay, scene_overlay, shortcuts_window
from motiongraph.viewer.panels.library import clip_panel, library_panel
from motiongraph.viewer.panels.matrix import matrix_aside, matrix_panel
from motiongraph.viewer.panels.menu import menu_bar
from motiongraph.viewer.panels.names import names_overlay
from motiongraph.viewer.panels.path import path_panel, tool_bar
from motiongraph.viewer.panels.preferences import preferences_window
from motiongraph.viewer.panels.scene import camera_panel, scene_panel
from motiongraph.viewer.panels.unsaved import quit_question, unsaved_window
from motiongraph.viewer.panels.walk import walk_panel
from motiongraph.viewer.panels.why import why_window
from motiongraph.viewer.panels.widgets import icons
from motiongraph.viewer.panels.window import film_window, messages_panel, stats_panel, status_bar, status_overlay
from motiongraph.viewer.ui import Ui

# Name in the state → title, content, and where it is docked at first.
DOCKED = {
    "library": ("Library", library_panel, "left"),
    "clip": ("Clip", clip_panel, "left below"),
    "scene": ("Scene", scene_panel, "left below"),
    "camera": ("Camera", camera_panel, "left below"),
    "matrix": ("Matrix", matrix_panel, "right"),
    "graph": ("Graph", graph_panel, "right"),
    "walk": ("Walk", walk_panel, "right"),
    "path": ("Path", path_panel, "right"),
    "stats": ("Stats", stats_panel, "right"),
    "messages": ("Messages", messages_panel, "right"),
}
_FLOATING = {
    "shortcuts": shortcuts_window,
    "fetch": fetch_window,
    "film": film_window,
    "unsaved": unsaved_window,
    "preferences": preferences_window,
}
_BAR = int(
    imgui.WindowFlags_.no_scrollbar
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_scroll_with_mouse
    | imgui.WindowFlags_.no_docking
)
_ROUNDING, _LEAST = int(imgui.StyleVar_.window_rounding), int(imgui.StyleVar_.window_min_size)
_PADDING, _NOTHING = int(imgui.StyleVar_.window_padding), imgui.ImVec2(1.0, 1.0)
_DOWN = imgui.Dir.down
_PANEL = int(imgui.WindowFlags_.no_collapse)
_RETURNING = _PANEL | int(imgui.WindowFlags_.no_focus_on_appearing)
_WHOLE = int(
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_saved_settings
)
_DOCKS = int(imgui.DockNodeFlags_.passthru_central_node | imgui.DockNodeFlags_.no_docking_over_central_node)
# Without the first of these its background covers the scene.
_ALIVE = int(imgui.DockNodeFlags_.passthru_central_node | imgui.DockNodeFlags_.keep_alive_only)
_SPACE = 0x6D6F74  # the number of the dock space: any, but always the same one, so that layouts are found again


class Layout:
    """Draws all panels, and says where the scene is."""

    def __init__(self, fresh: bool):
        self._build, self._known = fresh, set()
        self._returning = not fresh  # the panels were hidden in the frame before, or there is none before
        self._homes: dict[str, int] = {}  # titles of panels that float → the dock they came from
        self._docks: dict[str, int] = {}  # title → the dock it is in
        self._scale = 0.0  # for which panels are as wide as they are
        self._front = 0  # frames until the first tab is brought to the front: all must be there by then

    def draw(self, state: AppState, ui: Ui) -> None:
        """Everything that surrounds the scene; ui.scene is where that is in the next frame."""
        view, shown = imgui.get_main_viewport(), state.window.shown
        if not state.window.panels:
            imgui.dock_space_over_viewport(_SPACE, view, _ALIVE)
            ui.scene = view.pos.x, view.pos.y, view.size.x, view.size.y
            self._returning = True
            self._floating(state, ui)
            return
        contained("menu", menu_bar, state, ui)
        padding = imgui.ImVec2(ui.px(10), ui.px(4))
        imgui.push_style_var(_PADDING, padding)
        shows = self._begin_bar("##status", view, imgui.get_font_size() + 2 * padding.y)
        imgui.pop_style_var()
        if shows:
            contained("status", status_bar, state, ui)
        imgui.end()
        if self._begin_bar("##timeline", view, playback.height(state, ui)):
            contained_panel("timeline", playback.timeline_panel, state, ui)
        imgui.end()
        if state.window.reset_layout or self._build:
            state.window.reset_layout = self._build = False
            _first_layout(view, ui, playback.height(state, ui) + imgui.get_frame_height())
            self._front = 8
        imgui.dock_space_over_viewport(_SPACE, view, _DOCKS)
        if self._scale != ui.scale:
            _widen(ui.scale / self._scale if self._scale else 1.0, view)
            self._scale = ui.scale
        node = imgui.internal.dock_builder_get_central_node(_SPACE)
        if node is not None:
            pos, size = node.pos, node.size
            ui.scene = pos.x, pos.y, size.x, size.y
        large = state.window.maximised
        for name in DOCKED:
            if name in shown:
                self._docked(name, name == large, state, ui)
        self._returning = False
        if self._front:
            self._front -= 1
            for title in ("Clip", "Graph"):
                imgui.set_window_focus(title)
        elif state.window.front:
            if state.window.front in DOCKED:
                imgui.set_window_focus(DOCKED[state.window.front][0])
            state.window.front = ""
        self._floating(state, ui)

    @staticmethod
    def _begin_bar(name: str, view: imgui.Viewport, height: float) -> bool:
        """A line along the bottom of the window, above those drawn before it; whether it is to be seen."""
        imgui.push_style_var(_ROUNDING, 0.0)
        imgui.push_style_var(_LEAST, _NOTHING)
        shows = imgui.internal.begin_viewport_side_bar(name, view, _DOWN, height, _BAR)
        imgui.pop_style_var(2)
        return shows

    def _docked(self, name: str, large: bool, state: AppState, ui: Ui) -> None:
        """A panel in its dock, floating, or filling the window: over its dock, which stays as it is."""
        title, content, _ = DOCKED[name]
        if title not in self._known:
            self._known.add(title)
            imgui.set_next_window_size((ui.px(300), ui.px(420)), imgui.Cond_.first_use_ever)
        out = name in state.window.pulled_out
        if out and title not in self._homes:
            x, y, wide, high = ui.scene
            imgui.set_next_window_pos((x + 0.06 * wide, y + 0.08 * high))  # which takes it out of its dock
            imgui.set_next_window_size((max(0.7 * wide, ui.px(420)), 0.8 * high))
            self._homes[title] = self._docks.get(title, 0)
        elif not out and title in self._homes:
            imgui.set_next_window_dock_id(self._homes.pop(title) or _SPACE)
        # Where all come back at once, the tab that was in front stays there.
        open_ = imgui.begin(title, None, _RETURNING if self._returning else _PANEL)[0]
        self._docks[title] = imgui.get_window_dock_id()
        _tab_menu(name, state)
        if large:
            imgui.end()
            view = imgui.get_main_viewport()
            imgui.set_next_window_pos(view.work_pos)
            imgui.set_next_window_size((view.work_size.x, max(ui.scene[1] + ui.scene[3] - view.work_pos.y, 100.0)))
            open_ = imgui.begin(f"{title}##whole", None, _WHOLE)[0]
            if imgui.button(f"{icons.ICON_FA_COMPRESS}  Back to the scene") or imgui.is_key_pressed(imgui.Key.escape):
                state.issue(do.MaximisePanel())
        if open_:
            contained_panel(title, content, state, ui)
        imgui.end()

    @staticmethod
    def _floating(state: AppState, ui: Ui) -> None:
        overlay = hint_overlay if state.window.panels else status_overlay
        for content in (names_overlay, scene_overlay, matrix_aside, graph_aside, why_window, tool_bar, overlay):
            contained(content.__name__, content, state, ui)
        for name, content in _FLOATING.items():
            if name in state.window.shown:
                contained(name, content, state, ui)
        contained("quit", quit_question, state, ui)
        contained("dialogs", lambda state, ui: ui.dialogs.poll(state), state, ui)


def _tab_menu(name: str, state: AppState) -> None:
    """What a tab offers: a double click fills the window, the right button has the rest. Comes just after `begin`."""
    if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
        state.issue(do.MaximisePanel(name))
    if imgui.begin_popup_context_item(f"tab {name}"):
        if imgui.menu_item_simple("Fill the window"):
            state.issue(do.MaximisePanel(name))
        if imgui.menu_item_simple("Dock again" if name in state.window.pulled_out else "Pull out"):
            state.issue(do.PullOutPanel(name))
        if imgui.menu_item_simple("Close"):
            state.issue(do.ShowPanel(name, False))
        imgui.end_popup()


def _widen(ratio: float, view: imgui.Viewport) -> None:
    """Make the panels beside the scene wider or narrower, as far as there is room."""
    done = set()
    for title, _, _ in DOCKED.values():
        window = imgui.internal.find_window_by_name(title)
        node = window and window.dock_node
        while (
            node is not None and node.parent_node is not None and node.parent_node.split_axis != imgui.internal.Axis.x
        ):
            node = node.parent_node
        if ratio != 1.0 and node and node.parent_node and node.id_ not in done:
            done.add(node.id_)
            size = min(node.size.x * ratio, 0.4 * view.size.x), node.size.y
            imgui.internal.dock_builder_set_node_size(node.id_, size)


def _first_layout(view: imgui.Viewport, ui: Ui, bars: float) -> None:
    """Library, clip and scene options at the left, what makes motion at the right; as wide as they need, not more."""
    build = imgui.internal
    build.dock_builder_remove_node(_SPACE)
    build.dock_builder_add_node(_SPACE, int(build.DockNodeFlagsPrivate_.dock_space))
    wide, high = max(view.work_size.x, 1.0), max(view.work_size.y - bars, 1.0)
    build.dock_builder_set_node_size(_SPACE, (wide, high))
    share, other = min(ui.px(272) / wide, 0.27), min(ui.px(420) / wide, 0.33)
    left = build.dock_builder_split_node(_SPACE, imgui.Dir.left, share)
    rest = left.id_at_opposite_dir
    right = build.dock_builder_split_node(rest, imgui.Dir.right, other / (1.0 - share))
    below = min(ui.px(364) / high, 0.62)
    left_parts = build.dock_builder_split_node(left.id_at_dir, imgui.Dir.down, below)
    nodes = {
        "left": left_parts.id_at_opposite_dir,
        "left below": left_parts.id_at_dir,
        "right": right.id_at_dir,
    }
    for title, _, where in DOCKED.values():
        build.dock_builder_dock_window(title, nodes[where])
    build.dock_builder_finish(_SPACE)
