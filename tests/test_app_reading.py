"""What the window says about a file: unit, up axis, skeleton; saying otherwise; undo, projects, files that moved."""

import shutil

import numpy as np
import pytest
from bodies import person, smooth_clip
from test_app_library import state as state
from test_app_library import tell

from motiongraph.app import commands as do
from motiongraph.app.library.reading import described
from motiongraph.app.state import AppState
from motiongraph.files import resource
from motiongraph.formats.save import save
from motiongraph.viewer.camera import Camera

SAMPLES = resource("assets/samples")


@pytest.fixture
def folder(tmp_path):
    """Two clips of one rig in one folder, a third in another."""
    rng = np.random.default_rng(5)
    for name in ("a/one", "a/two", "b/three"):
        file = tmp_path / f"{name}.bvh"
        file.parent.mkdir(exist_ok=True)
        save(smooth_clip(rng, person(), frames=60, fps=60.0), file)
    return tmp_path


def entry(state, name):
    return next(e for e in state.library if e.name == name)


def heights(state):
    return {e.name: round(e.clip.source.stature, 2) for e in state.library}


def test_what_was_guessed_is_said_when_a_clip_is_first_shown(state, folder):
    tell(state, do.OpenPaths((folder / "a",)))
    assert state.messages[0].text == "one: cm (guessed) · y up (guessed) · 1.66 m tall"
    assert described(entry(state, "two").clip) == "cm (guessed) · y up (guessed) · 1.66 m tall"


def test_a_body_that_fits_no_unit_is_said_once(state, folder):
    lines = (folder / "a/one.bvh").read_text().splitlines()
    for k, line in enumerate(lines):
        if line.strip().startswith("OFFSET"):
            lines[k] = "OFFSET " + " ".join(str(0.0029 * float(word)) for word in line.split()[1:])
    for name in ("one", "two"):
        (folder / f"a/{name}.bvh").write_text("\n".join(lines) + "\n")
    tell(state, do.OpenPaths((folder / "a",)))
    said = [m.text for m in state.messages if "no unit fits" in m.text]
    assert said == ["one.bvh: no unit fits its bones; it was scaled to 1.65 m, which the clip panel can change"]


def test_another_unit_and_axis_for_one_clip(state, folder):
    tell(state, do.OpenPaths((folder,)), do.SetLabels(1, ("walk",)), do.Trim(1, 10, 40))
    before = entry(state, "one").clip
    tell(state, do.ReadAgain(1, units="dm"), do.ReadAgain(1, up="z"))
    assert heights(state) == {"one": 16.64, "two": 1.66, "three": 1.66}
    now = entry(state, "one")
    assert (now.clip.source.up, now.clip.source.given) == ("z", {"units": "dm", "up": "z"})
    assert (now.start, now.stop, list(now.clip.labels)) == (10, 40, ["walk"])
    np.testing.assert_allclose(now.clip.root[:, 1], 10.0 * before.root[:, 2], atol=1e-6)  # z of the file is up now
    tell(state, do.Undo())  # two changes in one moment are one edit
    assert entry(state, "one").clip is before
    tell(state, do.Redo())
    assert heights(state)["one"] == 16.64
    tell(state, do.ReadAgain(1, units="auto", up="auto"))
    assert entry(state, "one").clip.source.given == {}
    assert heights(state)["one"] == 1.66


def test_a_folder_is_read_so_from_then_on(state, folder, tmp_path):
    tell(state, do.OpenPaths((folder,)), do.ReadAgain(1, units="inch", folder=True))
    assert heights(state) == {"one": 4.23, "two": 4.23, "three": 1.66}
    shutil.copy(folder / "a/one.bvh", folder / "a/late.bvh")
    tell(state, do.OpenPaths((folder / "a/late.bvh",)), do.SaveProject(tmp_path / "p.mgproj"))
    assert heights(state)["late"] == 4.23
    again = AppState(inline=True, camera=Camera())
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    assert heights(again) == heights(state)
    assert again.library.readings == state.library.readings
    assert not any("no longer" in m.text for m in again.messages)
    shutil.copy(folder / "a/one.bvh", folder / "a/later.bvh")
    tell(again, do.OpenPaths((folder / "a/later.bvh",)))
    assert heights(again)["later"] == 4.23


def test_a_file_that_changed_disturbs_nothing(state, folder):
    tell(state, do.OpenPaths((folder / "a",)))
    before = [e.clip for e in state.library]
    save(smooth_clip(np.random.default_rng(1), person(), frames=30), folder / "a/two.bvh")
    tell(state, do.ReadAgain(1, units="m", folder=True))
    assert [e.clip for e in state.library] == before
    assert state.library.readings == {}
    assert "is no longer what it was" in state.messages[0].text


def test_files_that_moved_are_found_by_their_content(state, folder, tmp_path):
    tell(state, do.OpenPaths((folder / "a",)), do.ReadAgain(1, units="m"), do.SaveProject(tmp_path / "p.mgproj"))
    (tmp_path / "elsewhere").mkdir()
    (folder / "a/one.bvh").rename(tmp_path / "elsewhere/one.bvh")
    (folder / "a/two.bvh").rename(tmp_path / "elsewhere/another name.bvh")
    again = AppState(inline=True, camera=Camera())
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    assert [e.path.name for e in again.library] == ["one.bvh", "another name.bvh"]
    assert all(e.clip.source is not None for e in again.library)  # they can be written back as they came
    assert heights(again) == heights(state)
    assert any("one.bvh and 1 more files moved: found in" in m.text for m in again.messages)


def test_another_skeleton_for_an_amc(state, tmp_path):
    amc, asf = sorted(SAMPLES.glob("*.amc"))[0], sorted(SAMPLES.glob("*.asf"))[0]
    shutil.copy(amc, tmp_path / "motion.amc")
    tell(state, do.OpenPaths((tmp_path / "motion.amc",)))
    assert len(state.library) == 0
    assert state.library.orphans == (tmp_path / "motion.amc",)
    assert "expected its skeleton motion.asf" in state.messages[0].text
    tell(state, do.GiveSkeleton(asf))
    assert [e.name for e in state.library] == ["motion"]
    assert state.library.orphans == ()
    assert state.library[1].clip.source.skeleton == str(asf)
    taller = tmp_path / "taller.asf"
    taller.write_text(asf.read_text().replace("length 0.45", "length 0.225"))
    tell(state, do.ReadAgain(1, skeleton=taller))
    assert state.library[1].clip.source.given == {"skeleton": str(taller)}
    tell(state, do.Undo())
    assert state.library[1].clip.source.skeleton == str(asf)
    tell(state, do.OpenPaths((tmp_path / "motion.amc",)))  # now there is one beside it
    assert state.library[1].clip.source.skeleton == str(taller)
    wrong = tmp_path / "wrong.asf"
    wrong.write_text(asf.read_text().replace("lfemur", "lthigh"))
    tell(state, do.ReadAgain(1, skeleton=wrong))
    assert "'lfemur' is not in the skeleton" in state.messages[0].text
    assert state.library[1].clip.source.skeleton == str(taller)
