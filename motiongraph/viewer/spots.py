"""Where the controls are on the screen, for tests and films that press them as a person would. Off unless watched.

A control is known by the window it is in and by its label: "Graph/Auto", "##MainMenuBar/File", "Library/walk". Docked
panels' tabs are known as "tab/Graph".
"""

from functools import wraps

from imgui_bundle import imgui

_CONTROLS = (
    *("button", "small_button", "invisible_button", "radio_button", "checkbox", "selectable", "menu_item"),
    *("begin_menu", "begin_combo", "collapsing_header", "tree_node_ex", "slider_float", "slider_int"),
    *("drag_float", "drag_float2", "drag_float3", "drag_int", "drag_int_range2"),
    *("input_int", "input_text", "input_text_with_hint"),
)


class Spots:
    """Listens to Dear ImGui's controls as they are drawn. found: name → x, y, width, height in screen coordinates, of
    the controls of the last frame; of several with one name the first."""

    def __init__(self):
        self.found: dict[str, tuple[float, float, float, float]] = {}
        self._now: dict[str, tuple[float, float, float, float]] = {}
        for name in _CONTROLS:
            setattr(imgui, name, self._watched(getattr(imgui, name)))
        imgui.begin = self._begun(imgui.begin)

    def turn(self) -> None:
        """A frame is over."""
        self.found, self._now = self._now, {}

    def _watched(self, control):
        @wraps(control)
        def watched(label, *rest, **options):
            result = control(label, *rest, **options)
            # Inside an open menu or list the last item is not the control itself any more.
            if control.__name__ not in ("begin_menu", "begin_combo") or not result:
                self._note(label)
            return result

        return watched

    def _note(self, label: str) -> None:
        window = imgui.internal.get_current_window()
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        if imgui.is_item_visible():
            name = f"{window.root_window.name.split('###')[-1]}/{label.split('##')[0] or label}"
            self._now.setdefault(name, (corner.x, corner.y, size.x, size.y))

    def _begun(self, begin):
        @wraps(begin)
        def begun(title, *rest, **options):
            result = begin(title, *rest, **options)
            window = imgui.internal.get_current_window()
            if window.dock_node is not None:
                rect = window.dc.dock_tab_item_rect
                self._now[f"tab/{title}"] = rect.min.x, rect.min.y, rect.max.x - rect.min.x, rect.max.y - rect.min.y
            return result

        return begun
