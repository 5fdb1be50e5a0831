"""Labels proposed from the motion, and clips chosen for what they cover."""

import json

import numpy as np
import pytest
from test_app_walks import empty, tell
from walking import sample

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.cli import main
from motiongraph.files import resource
from motiongraph.formats.labels_file import read_labels
from motiongraph.walks.auto_labels import KINDS

SHOWN = {
    "walk": "walk", "run": "run", "idle": "stand", "walk_left_90": "turn-left", "walk_right_90": "turn-right",
    "jump": "jump", "jump_forward": "jump", "sidestep": "sidestep", "run_left": "run",
}  # fmt: skip


def shares(clip):
    labels = mg.propose_labels(clip)
    assert set(labels) <= set(KINDS)
    return {word: labels.at(word)[clip.first :].mean() for word in labels}


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("name", SHOWN)
def test_samples_show_what_they_are(name, fps):
    found = shares(sample(name).resampled(fps))
    assert found.get(SHOWN[name], 0.0) > 0.15


def test_what_a_walk_is_not():
    found = shares(sample("walk"))
    assert found["walk"] > 0.7
    assert set(found) <= {"walk", "stand"}  # it begins and ends standing
    run = mg.propose_labels(sample("run"))  # it speeds up from standing
    assert run.at("run")[350:650].all()
    assert not run.at("walk")[350:650].any()


def test_a_walk_played_backwards_goes_backwards():
    clip = sample("walk")
    back = mg.Clip(clip.skeleton, clip.root[::-1].copy(), clip.rotations[::-1].copy(), fps=clip.fps)
    found = shares(back)
    assert found["backwards"] > 0.7
    assert "walk" not in found


def test_mirrored_turns_are_turns_to_the_other_side():
    left, right = shares(sample("walk_left_90")), shares(sample("walk_left_90").mirrored())
    assert left["turn-left"] == pytest.approx(right["turn-right"], abs=0.05)
    assert "turn-right" not in left


def test_one_frame_and_a_body_without_feet():
    clip = sample("walk")
    assert len(mg.propose_labels(clip[:1]).mask) == 1
    stick = mg.Skeleton(("root", "end"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    still = mg.Clip(stick, np.zeros((60, 3)), np.tile([1.0, 0, 0, 0], (60, 2, 1)), fps=30.0)
    assert list(mg.propose_labels(still)) == ["stand"]


def test_chosen_clips_cover_most():
    names = ["walk", "walk", "run", "walk_left_90", "walk_right_90", "run"]
    chosen = mg.choose_clips([sample(name) for name in names], 4)
    assert len(set(chosen)) == 4
    assert {names[k] for k in chosen[:3]} == {"run", "walk_left_90", "walk_right_90"}
    assert chosen == mg.choose_clips([sample(name) for name in names], 4)
    assert len(mg.choose_clips([sample("idle")], 3)) == 1
    with pytest.raises(mg.MotionError, match="at least one"):
        mg.choose_clips([sample("idle")], 0)


def test_command(tmp_path, capsys):
    files = [resource(f"assets/samples/{name}.bvh") for name in ("walk", "run", "idle")]
    target = tmp_path / "labels.toml"
    with pytest.raises(SystemExit) as exit:
        main(["labels", *map(str, files), "-o", str(target), "--json"])
    assert not exit.value.code
    found = {row["name"]: row["labels"] for row in json.loads(capsys.readouterr().out)["clips"]}
    assert [word for word, *_ in found["idle"]] == ["stand"]
    lines = read_labels(target)
    assert {words for line in lines for words in line.labels} >= {"walk", "run", "stand"}
    for name in ("walk", "run", "idle"):
        own = [line for line in lines if line.file.endswith(f"/{name}.bvh")]
        ends = [line.frames for line in own if line.frames]
        assert not ends or (ends[0][0], ends[-1][1]) == (0, len(mg.load(resource(f"assets/samples/{name}.bvh"))))
    with pytest.raises(SystemExit) as exit:
        main(["labels", *map(str, files), "-o", str(target)])
    assert exit.value.code
    assert "there" in capsys.readouterr().err


def test_proposals_wait_until_they_are_accepted():
    state = empty()
    entry = state.library[1]
    before = entry.clip.labels
    tell(state, do.ProposeLabels(None))
    assert set(state.library.proposed) == {e.number for e in state.library}
    assert state.library[1].clip.labels == before
    words = set(state.library.proposed[1])
    assert "walk" in words
    tell(state, do.AcceptLabels(1))
    assert 1 not in state.library.proposed
    assert set(state.library[1].clip.labels) == set(before) | words
    tell(state, do.Undo())
    assert state.library[1].clip.labels == before
    number = next(e.number for e in state.library if e.name == "run")
    tell(state, do.DismissLabels(number, "run"))
    assert "run" not in state.library.proposed.get(number, ())
    tell(state, do.DismissLabels(number))
    assert number not in state.library.proposed
    tell(state, do.AcceptLabels(number))
    assert "no labels are proposed" in state.messages[0].text
