"""How the panels look: quiet, dark or light, with an amber accent, Roboto and Font Awesome, crisp at any density.

The colours of this module change with `choose`; who keeps what is made of them names it in `KEPT`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import imgui_bundle
from imgui_bundle import imgui, implot

SIZE = 15.0  # points

Colour = tuple[float, float, float]
Ink = tuple[float, float, float, float]


@dataclass(frozen=True)
class Palette:
    """Colours of a theme; contrasts of letters on paper are 4.5 and more, of the edges of boxes 3."""

    paper: tuple[Colour, Colour, Colour, Colour]  # behind everything, panels, controls, controls that are pointed at
    ink: Ink  # letters
    faint: Ink  # letters that matter less
    accent: Ink  # what is chosen, and the current character
    edge: Colour  # of boxes
    good: Ink
    warn: Ink
    bad: Ink
    series: tuple[Colour, ...]  # labels, lanes and curves: told apart by lightness, too


_DARK = Palette(
    ((0.086, 0.094, 0.110), (0.110, 0.120, 0.139), (0.145, 0.157, 0.180), (0.200, 0.215, 0.243)),
    (0.900, 0.910, 0.925, 1.0),
    (0.560, 0.590, 0.635, 1.0),
    (0.930, 0.620, 0.290, 1.0),
    (0.420, 0.440, 0.480),
    (0.420, 0.760, 0.520, 1.0),
    (0.950, 0.780, 0.350, 1.0),
    (0.960, 0.440, 0.400, 1.0),
    (
        *((0.93, 0.62, 0.29), (0.36, 0.63, 0.86), (0.38, 0.74, 0.58), (0.86, 0.52, 0.70)),
        *((0.88, 0.80, 0.42), (0.60, 0.56, 0.86), (0.70, 0.53, 0.43), (0.56, 0.76, 0.84)),
    ),
)
_LIGHT = Palette(
    ((0.860, 0.868, 0.880), (0.945, 0.950, 0.957), (0.870, 0.878, 0.892), (0.790, 0.802, 0.822)),
    (0.090, 0.100, 0.120, 1.0),
    (0.360, 0.385, 0.430, 1.0),
    (0.720, 0.370, 0.040, 1.0),
    (0.520, 0.540, 0.580),
    (0.050, 0.430, 0.180, 1.0),
    (0.540, 0.360, 0.000, 1.0),
    (0.720, 0.110, 0.090, 1.0),
    (
        *((0.78, 0.44, 0.08), (0.12, 0.44, 0.72), (0.10, 0.52, 0.34), (0.72, 0.30, 0.52)),
        *((0.60, 0.52, 0.08), (0.40, 0.34, 0.74), (0.52, 0.34, 0.24), (0.20, 0.52, 0.64)),
    ),
)
# Okabe and Ito, Color universal design (2008): blue, yellow and vermilion instead of green, yellow and red.
_SAFE = (
    *((0.90, 0.62, 0.00), (0.34, 0.71, 0.91), (0.00, 0.62, 0.45), (0.94, 0.89, 0.26)),
    *((0.00, 0.45, 0.70), (0.84, 0.37, 0.00), (0.80, 0.47, 0.65), (0.60, 0.60, 0.60)),
)

# Of a walk along a path in the scene, near to it, off it and far off: usual, and safe for colour-blind people.
_PATH = (0.20, 0.62, 0.36), (0.93, 0.66, 0.18), (0.84, 0.24, 0.20)
_SAFE_PATH = (0.00, 0.45, 0.70), (0.94, 0.89, 0.26), (0.84, 0.37, 0.00)


@dataclass(frozen=True)
class Lanes:
    """Colours of the graph's lanes and matrices."""

    paper: Colour
    bar: Colour  # a clip without labels
    tail: Colour  # what can only be played to its clip's end
    walk: Colour
    start: Colour  # where the walk starts
    minimum: Colour  # of a matrix, whose paper is light in both themes


_NIGHT = Lanes((0.075, 0.082, 0.097), (0.46, 0.50, 0.57), (0.62, 0.22, 0.19), (0.36, 0.86, 0.47), (0.32, 0.62, 1.0),
               (0.10, 0.66, 0.30))  # fmt: skip
_DAY = Lanes((0.985, 0.988, 0.993), (0.62, 0.65, 0.70), (0.86, 0.45, 0.41), (0.04, 0.52, 0.22), (0.10, 0.36, 0.80),
             (0.10, 0.66, 0.30))  # fmt: skip

KEPT: list[Callable[[], None]] = []  # called when the colours change, to forget what was made of the old ones
PAPER, INK, FAINT, ACCENT, EDGE = _DARK.paper, _DARK.ink, _DARK.faint, _DARK.accent, _DARK.edge
GOOD, WARN, BAD, SERIES = _DARK.good, _DARK.warn, _DARK.bad, _DARK.series
PATH, LANES = _PATH, _NIGHT
ON_ACCENT: Ink = (0.040, 0.045, 0.055, 1.0)  # letters on the accent
LEVELS = {"info": INK, "warning": WARN, "error": BAD}


def choose(light: bool, safe: bool) -> None:
    """Take a palette; safe: colours that people who confuse red and green tell apart."""
    global PAPER, INK, FAINT, ACCENT, EDGE, GOOD, WARN, BAD, SERIES, LEVELS, PATH, LANES
    p = _LIGHT if light else _DARK
    PAPER, INK, FAINT, ACCENT, EDGE = p.paper, p.ink, p.faint, p.accent, p.edge
    GOOD, WARN, BAD, SERIES = p.good, p.warn, p.bad, p.series
    PATH, LANES = _SAFE_PATH if safe else _PATH, _DAY if light else _NIGHT
    if safe:
        # Labels have every hue there is: a walk is told from them by being white, or black.
        walk = (0.08, 0.08, 0.10) if light else (0.96, 0.97, 0.98)
        LANES = replace(LANES, walk=walk, tail=(0.84, 0.37, 0.00), minimum=(0.00, 0.45, 0.85))
        GOOD = (0.00, 0.36, 0.60, 1.0) if light else (0.34, 0.71, 0.91, 1.0)
        BAD = (0.50, 0.06, 0.00, 1.0) if light else (0.96, 0.52, 0.18, 1.0)
        WARN = (0.47, 0.41, 0.00, 1.0) if light else (0.94, 0.89, 0.26, 1.0)
        SERIES = tuple((0.75 * r, 0.75 * g, 0.75 * b) for r, g, b in _SAFE) if light else _SAFE
    LEVELS = {"info": INK, "warning": WARN, "error": BAD}
    for forget in KEPT:
        forget()


def cost_colour(share: float) -> tuple[float, float, float]:
    """r g b of a cost as a share of what is allowed: green up to 1, paler the nearer it comes; yellow to red beyond."""
    (r, g, b), (r1, g1, b1), t = (
        (GOOD[:3], WARN[:3], 0.35 * share) if share <= 1.0 else (WARN[:3], BAD[:3], share - 1.0)
    )
    t = min(max(t, 0.0), 1.0)
    return (1.0 - t) * r + t * r1, (1.0 - t) * g + t * g1, (1.0 - t) * b + t * b1


@dataclass
class Fonts:
    """Fonts besides the one that everything is written in."""

    bold: imgui.ImFont


def load_fonts() -> Fonts:
    """Roboto with the icons merged in; Dear ImGui's own font where they did not come with imgui-bundle."""
    folder = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
    atlas, loaded = imgui.get_io().fonts, []
    icons = folder / "Font_Awesome_6_Free-Solid-900.otf"
    for name in ("Roboto-Regular.ttf", "Roboto-Bold.ttf"):  # the first is what all is written in
        file = folder / "Roboto" / name
        if not file.exists():
            loaded.append(atlas.add_font_default())
            continue
        loaded.append(atlas.add_font_from_file_ttf(str(file), SIZE))
        if icons.exists():
            config = imgui.ImFontConfig()
            config.merge_mode = True
            config.glyph_min_advance_x = SIZE * 1.2  # icons take the same room, so that menus align
            config.glyph_offset = imgui.ImVec2(0.0, 1.0)
            atlas.add_font_from_file_ttf(str(icons), SIZE * 0.86, config)
    return Fonts(loaded[1])


def apply_theme(scale: float) -> None:
    """Set colours and sizes; scale: of text and controls."""
    style: Any = imgui.get_style()  # takes pairs of numbers for sizes, which its stubs do not say
    for name, value in vars_of(imgui.Style()):  # sizes are scaled from what they are at first, not once more
        setattr(style, name, value)
    style.font_size_base = SIZE
    style.font_scale_dpi = scale
    style.window_padding, style.frame_padding = (10, 8), (8, 4)
    style.item_spacing, style.item_inner_spacing = (8, 6), (6, 4)
    style.cell_padding = (6, 3)
    style.indent_spacing, style.scrollbar_size, style.grab_min_size = 16, 12, 10
    style.window_rounding = style.popup_rounding = style.child_rounding = 6
    style.frame_rounding = style.grab_rounding = style.tab_rounding = 4
    style.scrollbar_rounding = 6
    style.window_border_size = style.popup_border_size = 1
    style.frame_border_size, style.tab_border_size = 1, 0
    style.tab_bar_border_size, style.tab_bar_overline_size = 1, 2
    style.docking_separator_size = 2
    style.docking_node_has_close_button = False
    style.window_menu_button_position = imgui.Dir.none
    style.window_title_align = (0.0, 0.5)
    style.separator_text_border_size = 1
    style.separator_text_padding = (4, 4)
    style.disabled_alpha = 0.45
    style.hover_delay_normal, style.hover_delay_short = 0.45, 0.2
    style.scale_all_sizes(scale)
    for name, colour in _colours().items():
        style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*colour))
    plots: Any = implot.get_style()
    plots.plot_padding, plots.plot_border_size = (6, 4), 0
    plots.set_color_(implot.Col_.plot_bg, imgui.ImVec4(0, 0, 0, 0.18))
    plots.set_color_(implot.Col_.frame_bg, imgui.ImVec4(0, 0, 0, 0))


def vars_of(style: imgui.Style) -> Iterator[tuple[str, int | float | imgui.ImVec2]]:
    """(name, value) of every number and size in a style."""
    for name in dir(style):
        value = getattr(style, name)
        if not name.startswith("_") and isinstance(value, int | float | imgui.ImVec2):
            yield name, value


def _colours() -> dict[str, tuple[float, float, float, float]]:
    night, base, raised, high = ((*grey, 1.0) for grey in PAPER)
    accent = ACCENT[:3]

    def tint(alpha: float) -> tuple[float, float, float, float]:
        return (*accent, alpha)

    return {
        "text": INK,
        "text_disabled": FAINT,
        "text_link": ACCENT,
        "text_selected_bg": tint(0.35),
        "window_bg": base,
        "child_bg": (0, 0, 0, 0),
        "popup_bg": (*PAPER[1], 0.98),
        "border": (*EDGE, 1.0),
        "frame_bg": (*PAPER[2], 1.0),
        "frame_bg_hovered": high,
        "frame_bg_active": high,
        "title_bg": night,
        "title_bg_active": night,
        "title_bg_collapsed": night,
        "menu_bar_bg": night,
        "scrollbar_bg": (0, 0, 0, 0),
        "scrollbar_grab": high,
        "scrollbar_grab_hovered": (*EDGE, 0.7),
        "scrollbar_grab_active": (*EDGE, 1.0),
        "check_mark": ACCENT,
        "checkbox_selected_bg": (*PAPER[2], 1.0),
        "slider_grab": (*accent, 0.85),
        "slider_grab_active": ACCENT,
        "button": raised,
        "button_hovered": high,
        "button_active": tint(0.55),
        "header": tint(0.20),
        "header_hovered": tint(0.30),
        "header_active": tint(0.40),
        "separator": (*PAPER[3], 0.7),
        "separator_hovered": tint(0.6),
        "separator_active": ACCENT,
        "resize_grip": (0, 0, 0, 0),
        "resize_grip_hovered": tint(0.5),
        "resize_grip_active": ACCENT,
        "tab": night,
        "tab_hovered": high,
        "tab_selected": base,
        "tab_selected_overline": ACCENT,
        "tab_dimmed": night,
        "tab_dimmed_selected": base,
        "tab_dimmed_selected_overline": (0, 0, 0, 0),
        "docking_preview": tint(0.5),
        "docking_empty_bg": (0, 0, 0, 0),
        "plot_lines": ACCENT,
        "plot_histogram": (*accent, 0.9),
        "plot_histogram_hovered": ACCENT,
        "table_header_bg": night,
        "table_border_strong": (*PAPER[3], 0.7),
        "table_border_light": (*PAPER[3], 0.4),
        "table_row_bg": (0, 0, 0, 0),
        "table_row_bg_alt": (1, 1, 1, 0.018),
        "drag_drop_target": ACCENT,
        "nav_cursor": tint(0.8),
        "modal_window_dim_bg": (0, 0, 0, 0.4),
    }
