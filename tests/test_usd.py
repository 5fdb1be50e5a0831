"""The USD writer, read back with USD's own library: joints are where the clip has them."""

import sys

import numpy as np
import pytest
from bodies import person, random_clip, random_skeleton, smooth_clip
from pxr import Usd, UsdGeom, UsdSkel

import motiongraph as mg
from motiongraph.errors import MotionError

HUNDREDTH_OF_A_MM = 1e-5


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def posed(path, frames):
    """(F, J, 3) joint places in the world by UsdSkel's own evaluation."""
    stage = Usd.Stage.Open(str(path))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetDefaultPrim())
    assert cache.Populate(root, Usd.PrimDefaultPredicate)
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath(f"{root.GetPath()}/skeleton"))
    query = cache.GetSkelQuery(skeleton)
    assert query.GetAnimQuery()
    found = [query.ComputeJointSkelTransforms(frame) for frame in range(frames)]
    return np.array([[matrix.ExtractTranslation() for matrix in frame] for frame in found]), stage, skeleton


@pytest.mark.parametrize("ending", ["usda", "usdc"])
def test_joints_are_where_the_clip_has_them(tmp_path, rng, ending):
    for number, body in enumerate((person(), random_skeleton(rng, 20))):
        clip = smooth_clip(rng, body, 30, fps=60.0, name=f"a walk {number}", first=1)
        path = tmp_path / f"{number}.{ending}"  # the library keeps what it has read of a path
        mg.save(clip, path)
        places, stage, skeleton = posed(path, 30)
        assert np.abs(places - clip.positions()).max() < HUNDREDTH_OF_A_MM
        assert list(skeleton.GetJointNamesAttr().Get()) == list(body.names)
        assert (UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage)) == (1.0, "Y")
        assert (stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (60.0, 1, 29)
        assert stage.GetDefaultPrim().GetTypeName() == "SkelRoot"
        assert UsdSkel.Topology(skeleton.GetJointsAttr().Get()).Validate()[0]


def test_the_rest_pose_and_sliding_joints(tmp_path, rng):
    body = person()
    offsets = np.tile(body.offsets, (5, 1, 1)) + rng.normal(0, 0.05, (5, len(body), 3))
    clip = random_clip(rng, body, 5, offsets=offsets)
    mg.save(clip, tmp_path / "a.usdc")
    places, _, skeleton = posed(tmp_path / "a.usdc", 5)
    assert np.abs(places - clip.positions()).max() < HUNDREDTH_OF_A_MM
    bind = np.array([matrix.ExtractTranslation() for matrix in skeleton.GetBindTransformsAttr().Get()])
    assert np.abs(bind - body.rest).max() < 1e-12


def test_names_that_usd_does_not_allow(tmp_path, rng):
    body = mg.Skeleton(["mixamorig:Hips", "1 leg", "1.leg", "ü"], [-1, 0, 0, 1], rng.normal(size=(4, 3)))
    clip = random_clip(rng, body, 2, name="walk 01.a")
    mg.save(clip, tmp_path / "a.usda")
    places, _, skeleton = posed(tmp_path / "a.usda", 2)
    assert np.abs(places - clip.positions()).max() < HUNDREDTH_OF_A_MM
    assert list(skeleton.GetJointNamesAttr().Get()) == list(body.names)


def test_text_is_text_and_what_is_there_is_replaced_whole(tmp_path, rng):
    mg.save(random_clip(rng, person(), 2), tmp_path / "a.usda")
    assert (tmp_path / "a.usda").read_text().startswith("#usda 1.0")
    mg.save(random_clip(rng, person(), 2), tmp_path / "a.usdc")
    assert (tmp_path / "a.usdc").read_bytes().startswith(b"PXR-USDC")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.usda", "a.usdc"]


def test_without_the_library_one_sentence_says_how_to_get_it(tmp_path, rng, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pxr"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MotionError, match=r"needs the package usd-core: pip install motiongraph\[usd\]"):
        mg.save(random_clip(rng, person(), 2), tmp_path / "a.usda")
    assert not list(tmp_path.iterdir())
