"""Motion on bodies with other joints: which joint is which, by hand-made skeletons of every convention and by pairs of
real files; bones point where they pointed, and feet stand on the same floor."""

import json
from dataclasses import replace

import numpy as np
import pytest
from bodies import person, smooth_clip

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.cli import main
from motiongraph.errors import MotionError
from motiongraph.formats.labels_file import read_bones, write_bones
from motiongraph.formats.save import save
from motiongraph.formats.smpl import skeleton as smpl_skeleton
from motiongraph.graph.build import Options, build_graph
from motiongraph.model.bone_map import BoneMap, body_parts, bone_map, unrecognised
from motiongraph.model.retarget import can_retarget, transferred
from motiongraph.model.skeleton import Skeleton

# For each convention: hips, spine…, neck, head; then one side's leg and arm from the trunk outwards ("{}": the side).
CONVENTIONS = {
    "CMU ASF": ("lr", ["root", "lowerback", "upperback", "thorax", "lowerneck", "head"],
                ["{}hipjoint", "{}femur", "{}tibia", "{}foot", "{}toes"],
                ["{}clavicle", "{}humerus", "{}radius", "{}wrist", "{}hand"]),
    "CMU BVH": (("Left", "Right"), ["Hips", "LowerBack", "Spine", "Spine1", "Neck", "Head"],
                ["{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"], ["{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"]),
    "Mixamo": (("Left", "Right"), [f"mixamorig:{n}" for n in ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")],
               [f"mixamorig:{{}}{n}" for n in ("UpLeg", "Leg", "Foot", "ToeBase")],
               [f"mixamorig:{{}}{n}" for n in ("Shoulder", "Arm", "ForeArm", "Hand")]),
    "LAFAN1": (("Left", "Right"), ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
               ["{}UpLeg", "{}Leg", "{}Foot", "{}Toe"], ["{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"]),
    "Xsens": (("Left", "Right"), ["Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head"],
              ["{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toe"],
              ["{}Shoulder", "{}UpperArm", "{}ForeArm", "{}Hand"]),
    "Bip01": ("LR", ["Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Neck", "Bip01 Head"],
              ["Bip01 {} Thigh", "Bip01 {} Calf", "Bip01 {} Foot", "Bip01 {} Toe0"],
              ["Bip01 {} Clavicle", "Bip01 {} UpperArm", "Bip01 {} Forearm", "Bip01 {} Hand"]),
    "SMPL": (("left", "right"), ["pelvis", "spine1", "spine2", "spine3", "neck", "head"],
             ["{}_hip", "{}_knee", "{}_ankle", "{}_foot"], ["{}_collar", "{}_shoulder", "{}_elbow", "{}_wrist"]),
    "VRM": ("LR", [f"J_Bip_C_{n}" for n in ("Hips", "Spine", "Chest", "UpperChest", "Neck", "Head")],
            [f"J_Bip_{{}}_{n}" for n in ("UpperLeg", "LowerLeg", "Foot", "ToeBase")],
            [f"J_Bip_{{}}_{n}" for n in ("Shoulder", "UpperArm", "LowerArm", "Hand")]),
    "Unity": (("Left", "Right"), ["Hips", "Spine", "Chest", "Neck", "Head"],
              ["{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toes"], ["{}Shoulder", "{}UpperArm", "{}LowerArm", "{}Hand"]),
    "Rokoko": (("Left", "Right"), ["Hips", "Spine1", "Spine2", "Spine3", "Spine4", "Neck", "Head"],
               ["{}Thigh", "{}Shin", "{}Foot", "{}Toe"], ["{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"]),
    "Biovision": (("Left", "Right"), ["Hips", "Chest", "Neck", "Head"],
                  ["{}Hip", "{}Knee", "{}Ankle", "{}Toe"], ["{}Collar", "{}Shoulder", "{}Elbow", "{}Wrist"]),
}  # fmt: skip


def body(convention, slant=0.0, size=1.0):
    """A person in the names of a convention; slant: radians by which the arms hang lower than a T-pose's."""
    sides, trunk, leg, arm = CONVENTIONS[convention]
    names, parents, offsets = [trunk[0]], [-1], [[0.0, 0.0, 0.0]]

    def add(name, parent, offset):
        names.append(name)
        parents.append(parent)
        offsets.append(offset)
        return len(names) - 1

    above, spine = 0, trunk[1:-2]
    for name in spine:
        above = add(name, above, [0, 0.5 / len(spine), 0])
    chest = above
    neck = add(trunk[-2], chest, [0, 0.1, 0])
    head = add(trunk[-1], neck, [0, 0.1, 0.02])
    add(f"{trunk[-1]}_end", head, [0, 0.18, 0])
    for sign, side in zip((1.0, -1.0), sides):
        at, places = 0, [[sign * 0.1, -0.05, 0], [0, -0.42, 0], [0, -0.42, 0], [0, -0.06, 0.14]]
        for name, place in zip(leg, [[0.0, 0, 0]] * (len(leg) - 4) + places):
            at = add(name.format(side), at, place)
        add(f"{leg[-1].format(side)}_end", at, [0, -0.01, 0.06])
        at, down = chest, rot.rotate(rot.about("Z", np.array(-sign * slant)), np.array([sign, 0.0, 0.0]))
        for name, length in zip(arm, (0.06, 0.14, 0.28, 0.25, 0.08)):
            at = add(name.format(side), at, (length * down).tolist())
    return Skeleton(tuple(names), np.array(parents), size * np.array(offsets))


def directions(clip, parts):
    """Part → (F, 3) where the bone that begins there points."""
    places, found = clip.positions(), {}
    for side in ("left", "right"):
        for begin, end in (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist")):
            if f"{side} {begin}" in parts and f"{side} {end}" in parts:
                way = places[:, parts[f"{side} {end}"]] - places[:, parts[f"{side} {begin}"]]
                found[f"{side} {begin}"] = way / np.linalg.norm(way, axis=1, keepdims=True)
    return found


def bent(clip, result):
    """Degrees, the most that any limb of the result points elsewhere than the clip's."""
    ours, theirs = (directions(c, body_parts(c.skeleton)) for c in (result, clip))
    shared = set(ours) & set(theirs)
    assert len(shared) >= 4
    cosines = np.concatenate([np.sum(ours[part] * theirs[part], axis=1) for part in shared])
    return float(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max())


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_is_understood(convention):
    sides, trunk, leg, arm = CONVENTIONS[convention]
    skeleton = body(convention)
    parts = {part: skeleton.names[joint] for part, joint in body_parts(skeleton).items()}
    assert (parts["hips"], parts["chest"], parts["neck"], parts["head"]) == (trunk[0], *trunk[-3:])
    assert [parts[f"spine {k}"] for k in range(1, len(trunk) - 3)] == trunk[1:-3]
    for side, word in zip(sides, ("left", "right")):
        joints = [name.format(side) for name in leg[-4:]]
        assert [parts[f"{word} {part}"] for part in ("hip", "knee", "ankle", "toe")] == joints
        joints = [name.format(side) for name in arm[:4]]
        assert [parts[f"{word} {part}"] for part in ("collar", "shoulder", "elbow", "wrist")] == joints
    assert unrecognised(skeleton) == []


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_motion_goes_from_one_convention_to_another(convention):
    rng = np.random.default_rng(1)
    clip = smooth_clip(rng, body("Mixamo"), 60)
    target = body(convention, slant=0.8, size=1.2)
    result = clip.retargeted(target)
    assert result.skeleton == target
    assert bent(clip, result) < 1e-4
    assert result.name == clip.name
    assert result.fps == clip.fps
    # There and back is where it began: nothing was turned about its own bone, and strides came back to their length.
    again = result.retargeted(clip.skeleton)
    ours, theirs = (c.positions()[:, :1] - c.positions() for c in (again, clip))
    ends = [j for part, j in body_parts(clip.skeleton).items() if not part.startswith(("spine", "neck", "head"))]
    far = np.linalg.norm(ours - theirs, axis=-1)[:, ends].max()
    assert far < (0.02 if len(CONVENTIONS[convention][1]) == 6 else 0.3), "spines of other numbers bend otherwise"
    assert np.abs(again.root - clip.root)[:, [0, 2]].max() < 0.02


def test_hands_and_feet_keep_their_twist():
    """A palm that is turned, and a foot that points outwards, do so on a body whose arms hang at rest."""
    source, target = body("Mixamo"), body("Bip01", slant=1.2)
    rotations = np.tile(rot.IDENTITY, (2, len(source), 1))
    rotations[:, source.index("mixamorig:LeftHand")] = rot.about("X", np.array(0.7))
    rotations[:, source.index("mixamorig:LeftFoot")] = rot.about("Y", np.array(0.4))
    still = mg.Clip(source, np.tile([0.0, 1.0, 0.0], (2, 1)), np.tile(rot.IDENTITY, (2, len(source), 1)))
    before, after = (c.retargeted(target).orientations()[0] for c in (still, replace(still, rotations=rotations)))
    turned = rot.multiply(after, rot.conjugate(before))
    hand, foot = (turned[target.index(name)] for name in ("Bip01 L Hand", "Bip01 L Foot"))
    assert rot.angle_between(hand, rot.about("X", np.array(0.7))) < 1e-6
    assert rot.angle_between(foot, rot.about("Y", np.array(0.4))) < 1e-6


def test_rest_poses_that_do_not_stand_need_a_clip_that_does():
    flat = body("LAFAN1")
    flat = replace(flat, offsets=flat.bone_lengths[:, None] * np.array([1.0, 0.0, 0.0]))
    clip = smooth_clip(np.random.default_rng(0), body("Mixamo"), 5)
    with pytest.raises(MotionError, match="rest pose does not stand; give a clip of it that does"):
        clip.retargeted(flat)


def test_a_map_can_be_shown_corrected_and_kept():
    source, target = body("Mixamo"), smpl_skeleton()
    bones = bone_map(source, target)
    assert bones.pairs["left_knee"] == "mixamorig:LeftLeg"
    assert bones.parts["left_knee"] == "left knee"
    assert bones.without_source == ()
    assert set(bones.unused) == {name for name in source.names if name not in bones.pairs.values()}
    corrected = bones.with_pair("left_wrist", None).with_pair("head", "mixamorig:Neck")
    assert "left_wrist" in corrected.without_source
    assert "mixamorig:LeftHand" in corrected.unused
    kept = json.loads(json.dumps(corrected.to_plain()))
    assert BoneMap.from_plain(kept, source, target).pairs == corrected.pairs
    with pytest.raises(MotionError, match="no joint 'left_tail'"):
        BoneMap.from_plain({"left_tail": "mixamorig:Hips"}, source, target)
    clip = smooth_clip(np.random.default_rng(3), source, 20)
    ours, usual = transferred(clip, target, corrected), transferred(clip, target)
    wrist = target.index("left_wrist")
    assert np.abs(ours.rotations[:, wrist] - ours.rotations[0, wrist]).max() < 1e-9, "led by nothing, it keeps still"
    assert np.abs(usual.rotations[:, wrist] - usual.rotations[0, wrist]).max() > 1e-2


def test_what_cannot_be_recognised_is_named():
    clip = smooth_clip(np.random.default_rng(3), person(), 10)
    nameless = Skeleton(tuple(f"joint {j}" for j in range(4)), np.arange(4) - 1, np.ones((4, 3)))
    with pytest.raises(MotionError, match="the other skeleton has no hips, left hip, left knee, left ankle"):
        bone_map(clip.skeleton, nameless)
    with pytest.raises(MotionError, match="retargeting needs two skeletons with the same joints"):
        clip.retargeted(nameless)
    assert not can_retarget(clip.skeleton, nameless)


# ---- real files


@pytest.fixture(scope="module")
def real(mocap):
    folder = mocap / "wild"
    if not folder.is_dir():
        pytest.skip("no files of other sources beside CMU's")
    names = (
        "eggfryonrice__bvhUtils/dancing.bvh", "lucasvolkweis04__bhviewer/Male2_A6_BoxLift.bvh",
        "jerech33__haze/rifle_on.bvh", "VictorS-67__pybvh-ml/bvh_test2.bvh", "tapple__tavimator/sl_dance1.bvh",
        "YUANYUAN2222__BVH_prediction/round_gen_label_newdata_go_stop.bvh", "GAMES-105__GAMES-105/idle.bvh",
        "makehumancommunity__makehuman/zombieWalk1.bvh", "Fengleaf__Dance-Game/dance999.bvh",
    )  # fmt: skip
    clips = [mg.load(folder / name)[:240] for name in names]
    cmu = mocap / "cmu"
    return [*clips, mg.load(cmu / "bvh" / "16_15.bvh")[:240], mg.load(cmu / "asf_amc" / "16" / "16_15.amc")[:240]]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::motiongraph.errors.FormatWarning")
def test_every_pair_of_real_bodies(real):
    """Limbs point where they did, to a thousandth of a degree; the floor is the same to 6 cm, half of them to 1 mm."""
    floors, trunks = [], []
    for clip in real:
        for other in real:
            if other.skeleton.names == clip.skeleton.names:
                continue
            result = clip.retargeted(other.skeleton, standing=other)
            assert bent(clip, result) < 1e-3, (clip.name, other.name)
            floors.append(abs(result.floor - clip.floor))
            trunks.append(lean(clip, result))
    assert len(floors) == 110
    assert max(floors) < 0.06
    assert np.median(floors) < 0.001
    assert np.median(trunks) < 5.0
    assert max(trunks) < 20.0


def lean(clip, result):
    """Degrees, mean over frames, between the ways from hips to neck."""
    ways = []
    for c in (clip, result):
        parts = body_parts(c.skeleton)
        top = parts.get("neck", parts.get("head"))
        way = c.positions()[:, top] - c.positions()[:, parts["hips"]]
        ways.append(way / np.linalg.norm(way, axis=1, keepdims=True))
    return float(np.degrees(np.arccos(np.clip(np.sum(ways[0] * ways[1], axis=1), -1, 1))).mean())


def test_cmu_as_bvh_and_as_amc_is_one_motion(mocap):
    """Frame i of the AMC is frame i + 1 of the BVH; legs are the same bones, so that feet come to the same places."""
    cmu = mocap / "cmu"
    amc, bvh = mg.load(cmu / "asf_amc" / "16" / "16_15.amc"), mg.load(cmu / "bvh" / "16_15.bvh")
    result = amc.retargeted(bvh.skeleton, standing=bvh)
    ours, theirs = body_parts(bvh.skeleton), bvh.positions()[1:]
    feet = [ours[f"{side} {part}"] for side in ("left", "right") for part in ("knee", "ankle")]
    assert np.abs(result.positions()[:, feet] - theirs[:, feet]).max() < 0.03


def test_clips_of_other_bodies_and_rates_are_in_one_graph(mocap):
    cmu = mocap / "cmu"
    bvh, amc = mg.load(cmu / "bvh" / "16_15.bvh")[:300], mg.load(cmu / "asf_amc" / "16" / "16_16.amc")[:300]
    built = build_graph([bvh, amc.resampled(60)], Options(fps=60.0))
    assert built.left_out == ()
    assert {clip.fps for clip in built.graph.clips} == {60.0}
    assert len({clip.skeleton for clip in built.graph.clips}) == 1
    assert any("16_16 moved another body; the motion was put on this one bone by bone" in w for w in built.warnings)
    between = built.graph.candidates.table
    assert ((between["src"] == 0) & (between["dst"] == 1)).any(), "two walks of one man meet, whatever their files"


def test_maps_of_bones_are_corrected_in_graphs_and_files(tmp_path, capsys):
    rng = np.random.default_rng(2)
    most = [smooth_clip(rng, body("Mixamo"), 60, fps=30.0) for _ in range(2)]
    other = smooth_clip(rng, body("Rokoko", slant=0.5), 60, fps=30.0)
    clips = [replace(clip, name=f"clip{i}") for i, clip in enumerate([*most, other])]
    target, source = most[0].skeleton, other.skeleton
    found = mg.bone_map(source, target)
    left, right = (next(j for j, part in found.parts.items() if part == f"{side} elbow") for side in ("left", "right"))
    crossed = {left: found.pairs[right], right: "", "nobody": "nothing"}
    bones = mg.bone_map(source, target, crossed)
    assert bones.pairs[left] == found.pairs[right]
    assert right in bones.without_source
    plain, swapped = (build_graph(clips, Options(threshold=1.0, bones=b)).graph for b in ({}, crossed))
    expected = clips[2].retargeted(target, bones, clips[0])
    np.testing.assert_allclose(swapped.clips[2].rotations, expected.rotations, atol=1e-6)  # graphs keep float32
    assert np.abs(plain.clips[2].rotations - expected.rotations).max() > 0.1
    again = build_graph(clips, Options(threshold=1.0, bones=crossed), plain)
    assert again.compared == again.total, "another map, another motion"
    swapped.save(tmp_path / "g.mgraph", clips="referenced")
    loaded = mg.MotionGraph.load(tmp_path / "g.mgraph", clips)
    np.testing.assert_allclose(loaded.clips[2].rotations, expected.rotations, atol=1e-6)

    save(clips[0], tmp_path / "a.bvh")
    save(clips[2], tmp_path / "b.bvh")
    words = ["convert", str(tmp_path / "b.bvh"), str(tmp_path / "c.bvh"), "--onto", str(tmp_path / "a.bvh")]
    with pytest.raises(SystemExit) as status:
        main([*words, "--save-map", str(tmp_path / "bones.toml")])
    assert status.value.code == 0, capsys.readouterr().err
    written = read_bones(tmp_path / "bones.toml")
    assert {joint: led for joint, led in written.items() if led} == found.pairs
    write_bones(crossed, tmp_path / "mine.toml")
    with pytest.raises(SystemExit) as status:
        main([*words, "--force", "--map", str(tmp_path / "mine.toml")])
    said = capsys.readouterr().err
    assert status.value.code == 0, said
    assert right in said  # what keeps still is named
    (tmp_path / "mine.toml").write_text("[[bones]]\n")
    with pytest.raises(SystemExit) as status:
        main([*words, "--force", "--map", str(tmp_path / "mine.toml")])
    assert status.value.code == 1
    assert "expected [bones]" in capsys.readouterr().err


def test_rounded_offsets_and_rigid_ones_are_in_one_graph(tmp_path):
    """Position channels that vary by less than 0.1 mm are rounding, not sliding."""
    rng = np.random.default_rng(2)
    rigid = smooth_clip(rng, body("Mixamo"), 60, fps=30.0)
    wobble = 4e-5 * rng.uniform(-1, 1, (60, len(rigid.skeleton), 3))
    wobble[:, 0] = 0.0
    save(rigid, tmp_path / "rigid.bvh")
    save(replace(rigid, offsets=rigid.skeleton.offsets + wobble, source=None), tmp_path / "rounded.bvh")
    clips = [mg.load(tmp_path / f"{name}.bvh") for name in ("rigid", "rounded")]
    assert clips[1].offsets is None
    built = build_graph(clips, Options())
    assert built.left_out == ()
    assert len(built.graph.clips) == 2


def test_convert_puts_a_clip_on_another_body(tmp_path, capsys):
    rng = np.random.default_rng(2)
    save(smooth_clip(rng, body("Mixamo"), 20), tmp_path / "a.bvh")
    save(smooth_clip(rng, body("Rokoko", slant=0.5), 20), tmp_path / "b.bvh")
    with pytest.raises(SystemExit) as status:
        main(["convert", str(tmp_path / "a.bvh"), str(tmp_path / "c.bvh"), "--onto", str(tmp_path / "b.bvh")])
    assert status.value.code == 0, capsys.readouterr().err
    result, clip = mg.load(tmp_path / "c.bvh"), mg.load(tmp_path / "a.bvh")
    assert result.skeleton.names == mg.load(tmp_path / "b.bvh").skeleton.names
    assert bent(clip, result) < 1e-3
