"""Who is on stage: the casts of the views are made anew when clips, layers or places change, and posed every frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.playback import visible_tracks
from motiongraph.app.scene.cast import Cast, record_of
from motiongraph.app.walk.results import results

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState

_HERE = (0.0, 0.0, 0.0)


def set_stage(state: AppState) -> None:
    """Pose the characters of every view for this moment."""
    tracks = visible_tracks(state)
    layers = state.scene.layers
    crowd = layers.crowd and state.scene.views == 1
    key = (
        tuple((t, state.tracks[t].clip) for t in tracks),
        state.library.version,
        state.scene.version,
        crowd,
    )
    if key != state.stage_key:
        state.stage_key = key
        state.casts = [Cast(_members(state, t, crowd)) for t in tracks]
    playback = state.playback
    for track, cast in zip(tracks, state.casts):
        moment = state.tracks[track].elapsed, playback.loop, playback.root, playback.direction
        if cast.moment != moment:
            cast.moment = moment
            cast.at(playback, state.tracks[track].elapsed)


def _members(state: AppState, track: int, crowd: bool) -> Iterator[tuple[Entry, np.ndarray, int]]:
    """(entry, record, tint) of the characters of a view: the track's clip first, then the crowd: all
    ticked clips, or all results where the first is one."""
    lead = state.library.get(state.tracks[track].clip)
    if lead is None:
        return
    places = state.scene.places
    yield lead, record_of(lead, places.get(lead.number, _HERE)), track
    if not crowd:
        return
    together = results(state) if lead.made else [entry for entry in state.library if entry.used]
    others = [entry for entry in together if entry is not lead]
    spots = _rows(len(others) + 1, state.scene.layers.rows)[1:]
    for i, (entry, (x, z)) in enumerate(zip(others, spots)):
        place = places.get(entry.number, _HERE)
        if state.scene.layers.rows > 0 and not _same_way(lead, entry):
            place = _beside(lead, entry, place[0], x, z)
        yield entry, record_of(entry, place), i + 1


def _same_way(a: Entry, b: Entry) -> bool:
    """Whether both were made to follow a path: then they are compared on it, not in rows."""
    return all(entry.made and entry.made.asked is not None for entry in (a, b))


def _rows(count: int, gap: float) -> np.ndarray:
    """(n, 2) x, z metres: places in rows, the first one in the middle of the front row, the others around it."""
    wide = int(np.ceil(np.sqrt(count)))
    column = np.arange(wide)
    column = np.where(column % 2 == 0, column // 2, -(column + 1) // 2)  # 0, −1, 1, −2, 2, …
    index = np.arange(count)
    return np.column_stack([column[index % wide], -(index // wide)]) * gap


def _beside(lead: Entry, entry: Entry, theta: float, x: float, z: float) -> tuple[float, float, float]:
    """(theta, x, z) that sets an entry's first frame x, z metres beside the lead's."""
    cosine, sine = np.cos(theta), np.sin(theta)
    own, to = entry.clip.root[entry.start], lead.clip.root[lead.start]
    turned = cosine * own[0] + sine * own[2], -sine * own[0] + cosine * own[2]
    return theta, float(to[0] + x - turned[0]), float(to[2] + z - turned[1])
