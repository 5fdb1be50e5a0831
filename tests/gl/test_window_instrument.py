"""The whole instrument as a person meets it: one long story on the samples and on real captures, and another day."""

import pytest
from person import Person
from story import whole_story

from motiongraph.files import resource


def tell(screen, folder, tmp_path, **options):
    """The story, then the same project opened again by a new run of the program."""
    out = tmp_path / "out"
    out.mkdir()
    someone = Person(screen, tmp_path, size=(1280, 800))
    try:
        someone.ready(18)
        someone.lightly()
        before = whole_story(someone, folder, out, **options)
        assert someone.quit() == 0
    finally:
        someone.close()
    assert not list((tmp_path / "config").glob("autosave*"))
    from motiongraph.formats.load import load

    assert len(load(out / "story.bvh")) == before["lasts"][2]
    again = Person(screen, tmp_path, "view", out / "story.mgproj", size=(1280, 800))
    try:
        after = again.until(lambda s: s["ready"] and s["graph"] and s["clips"] and not s["jobs"], "everything again")
        for name in ("results", "path", "tracks", "parts", "views", "active"):
            assert after[name] == before[name], name
        assert [c for c in before["clips"] if "→" not in c] == after["clips"]
        for name in ("clips", "transitions", "limits", "candidates"):
            assert after["lanes"][name] == before["lanes"][name]
        for name in ("yaw", "pitch", "distance"):
            assert after["camera"][name] == pytest.approx(before["camera"][name]), name
        assert again.quit() == 0
    finally:
        again.close()


def test_the_story_on_the_samples(screen, tmp_path):
    tell(screen, resource("assets/samples"), tmp_path, left_out=("jump", "sneak"), mirror=True)


def test_the_story_on_captures(screen, tmp_path, mocap):
    tell(screen, mocap / "cmu" / "asf_amc" / "16", tmp_path, pair=("16_15", "16_31"), order=("16_15", "16_31"))
