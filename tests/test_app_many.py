"""Many clips of the library at once."""

import pytest
from sessions import begin, said, tell

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.library.many import chosen_clips

pytestmark = pytest.mark.usefixtures("config")


def test_the_clips_that_cover_most_are_ticked():
    state = begin(("walk", "walk_left", "run", "idle"))
    numbers = tuple(entry.number for entry in state.library)
    tell(state, do.TickBest(numbers, 2))
    best = mg.choose_clips([entry.part for entry in state.library], 2)
    assert {entry.number for entry in state.library if entry.used} == {numbers[k] for k in best}
    assert "2 clips that cover" in said(state)[0]
    tell(state, do.TickBest(numbers, 0))
    assert "at least one clip" in said(state)[0]


def test_many_clips_are_chosen_ticked_labelled_trimmed_and_removed():
    state = begin(("walk", "jump", "walk_run", "run"))
    one, two, three, four = order = tuple(entry.number for entry in state.library)
    tell(state, do.SelectClip(one), do.ChooseClip(one), do.ChooseClip(three, "range", order))
    assert chosen_clips(state) == (one, two, three)
    tell(state, do.ChooseClip(two, "add"))
    assert chosen_clips(state) == (one, three)
    tell(state, do.TickClip(one, False))  # it stands for all that are chosen
    assert [state.library[n].used for n in order] == [False, True, False, True]
    tell(state, do.TickClip(four, False, order))  # with Shift: from the one ticked last
    assert not any(entry.used for entry in state.library)
    tell(state, do.UseClips((two,), True, only=True), do.UseClips((four,), True))
    assert [state.library[n].used for n in order] == [False, True, False, True]
    tell(state, do.LabelClips((one, three), "slow"))
    assert all("slow" in state.library[n].everywhere for n in (one, three))
    before = [state.library[n].stop for n in order]
    tell(state, do.TrimClips((one, three), 0.5, 0.25), dt=2.0)
    entry = state.library[one]
    assert (entry.start, entry.stop) == (round(0.5 * entry.clip.fps), before[0] - round(0.25 * entry.clip.fps))
    tell(state, do.Undo())
    assert [state.library[n].stop for n in order] == before
    tell(state, do.Undo())
    assert "slow" not in state.library[three].words
    tell(state, do.Redo(), do.LabelClips((one,), "slow", False))
    assert ("slow" in state.library[one].words, "slow" in state.library[three].words) == (False, True)
    tell(state, do.SelectClip(four))  # another one is active: what was chosen before is not meant
    assert chosen_clips(state) == (four,)
    tell(state, do.RemoveClips((one, three)))
    assert [entry.number for entry in state.library] == [two, four]
    assert state.library.chosen <= {two, four}
    assert state.library.found("jump")
    assert not state.library.found("no such clip")
