"""Contacts of feet that are given by hand instead of found (Kovar 2002, 3): dragged in the timeline, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motiongraph.app.command import command
from motiongraph.app.library.clips import clip_part, with_planted
from motiongraph.errors import MotionError
from motiongraph.model.labels import Span

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState


def contacts_of(entry: Entry) -> dict[str, list[Span]]:
    """Name of each foot joint, heel and toe of one foot after the other → the stretches in which it stands."""
    names = [entry.clip.skeleton.names[joint] for joint in entry.prepared.feet.tolist()]
    found: dict[str, list[Span]] = {name: [] for name in names}
    for _, _, foot, start, stop in entry.prepared.prints.tolist():
        found[names[int(foot)]].append((int(start), int(stop)))
    return found


def dragged(spans: list[Span], begun: int, at: int, opposite: bool = False) -> tuple[Span, ...]:
    """The stretches after a drag from frame `begun` to `at`: what holds at `begun` is carried along, so that the ends
    of a contact move; opposite: its opposite, which makes contacts and removes them."""
    first, last = min(begun, at), max(begun, at) + 1
    inside = any(start <= begun < stop for start, stop in spans)
    cut = [part for start, stop in spans for part in ((start, min(stop, first)), (max(start, last), stop))]
    return tuple((a, b) for a, b in cut if a < b) + (((first, last),) if inside != opposite else ())


@command(undo=clip_part, edit="contacts")
class SetContacts:
    """The stretches in which a foot joint of a clip stands; the others stand as they did."""

    clip: int
    joint: str
    spans: tuple[Span, ...]

    def apply(self, state: AppState) -> None:
        entry = state.library[self.clip]
        if entry.made is not None:
            raise MotionError("the contacts of a result are those of the clips it was made of; correct them there")
        given = contacts_of(entry) | {self.joint: list(self.spans)}
        clip = entry.clip.with_contacts(given)
        state.library.put(with_planted(entry, clip.planted))


@command(undo=clip_part, edit="contacts")
class FindContacts:
    """Forget what was said of the contacts of a clip: they are found in its motion again."""

    clip: int

    def apply(self, state: AppState) -> None:
        state.library.put(with_planted(state.library[self.clip], None))
