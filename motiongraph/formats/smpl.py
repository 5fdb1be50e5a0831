"""AMASS and other motion of SMPL bodies (.npz): rotation vectors of the joints and the way of the pelvis.

The body is SMPL's mean one, since its shape is in a model file that nobody may pass on: all that a file says of its
shape (betas, gender) is left out, and hands, jaw and eyes with it. The offsets are those of the neutral model's rest
joints, to a tenth of a millimetre, as published in many places: `SMPL_BODY_BONES` of HybrIK (Li et al., CVPR 2021)
and, turned to z up, the bodies of `smpl_humanoid.xml` in NVIDIA's ProtoMotions.
"""

import warnings
import zipfile
from pathlib import Path

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import FormatError, FormatWarning
from motiongraph.files import open_plain
from motiongraph.formats import guess
from motiongraph.formats.motion import UPRIGHT, Source
from motiongraph.formats.scanner import LARGEST, quoted
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

# Names and order of SMPL's first 22 joints, which SMPL, SMPL-H and SMPL-X share: (name, parent, offset in metres).
_JOINTS = (
    ("pelvis", -1, (-0.0018, -0.2233, 0.0282)),
    ("left_hip", 0, (0.0695, -0.0914, -0.0068)),
    ("right_hip", 0, (-0.0677, -0.0905, -0.0043)),
    ("spine1", 0, (-0.0025, 0.1090, -0.0267)),
    ("left_knee", 1, (0.0343, -0.3752, -0.0045)),
    ("right_knee", 2, (-0.0383, -0.3826, -0.0089)),
    ("spine2", 3, (0.0055, 0.1352, 0.0011)),
    ("left_ankle", 4, (-0.0136, -0.3980, -0.0437)),
    ("right_ankle", 5, (0.0158, -0.3984, -0.0423)),
    ("spine3", 6, (0.0015, 0.0529, 0.0254)),
    ("left_foot", 7, (0.0264, -0.0558, 0.1193)),
    ("right_foot", 8, (-0.0254, -0.0481, 0.1233)),
    ("neck", 9, (-0.0028, 0.2139, -0.0429)),
    ("left_collar", 9, (0.0788, 0.1217, -0.0341)),
    ("right_collar", 9, (-0.0818, 0.1188, -0.0386)),
    ("head", 12, (0.0052, 0.0650, 0.0513)),
    ("left_shoulder", 13, (0.0910, 0.0305, -0.0089)),
    ("right_shoulder", 14, (-0.0960, 0.0326, -0.0091)),
    ("left_elbow", 16, (0.2596, -0.0128, -0.0275)),
    ("right_elbow", 17, (-0.2537, -0.0133, -0.0214)),
    ("left_wrist", 18, (0.2492, 0.0090, -0.0012)),
    ("right_wrist", 19, (-0.2553, 0.0078, -0.0056)),
)
_PELVIS = np.array(_JOINTS[0][2])  # from the model's origin, which a file's `trans` moves
_WIDTHS = {66: "22 body joints", 72: "SMPL", 156: "SMPL-H", 165: "SMPL-X"}
_RATES = ("mocap_framerate", "mocap_frame_rate", "framerate", "frame_rate", "fps")
_USUAL_RATE = 30.0
_MOST_FRAMES = 500_000


def skeleton() -> Skeleton:
    """SMPL's mean body, y up, in its rest pose (arms out)."""
    names, parents, offsets = zip(*_JOINTS)
    return Skeleton(names, np.array(parents), np.concatenate([np.zeros((1, 3)), np.array(offsets[1:])]))


# What zipfile raises where a file is no archive, or one of a kind that it does not know.
_NO_ARCHIVE = (OSError, zipfile.BadZipFile, EOFError, ValueError, RuntimeError)  # NotImplementedError is the last


def holds_motion(path: str | Path) -> bool:
    """Whether an .npz has the arrays of such a motion; other programs keep anything in them."""
    try:
        with open_plain(path) as file, zipfile.ZipFile(file) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
    except _NO_ARCHIVE:
        return False
    return ("poses" in names or "pose_body" in names) and bool({"trans", "transl"} & names)


def read_smpl(path: str | Path, unit: guess.Unit | None = None, up: str = "z") -> Clip:
    """An .npz with `poses` (F, 66 | 72 | 156 | 165) radians, `trans` (F, 3) metres and a rate, as a clip.

    AMASS has z up and metres; `up` and `unit` (of `trans`) say otherwise. Raises FormatError with the wrong array.
    """
    path = Path(path)
    notes = []
    try:
        with open_plain(path) as plain, zipfile.ZipFile(plain) as archive:
            file = _Arrays(path, archive)
            poses, trans = _poses(file), file.array("trans" if "trans" in file else "transl")
            rate = next((file.number(name) for name in _RATES if name in file), None)
    except FormatError:
        raise
    except _NO_ARCHIVE as problem:
        raise FormatError(path, f"cannot be read as .npz: {getattr(problem, 'strerror', None) or problem}") from problem
    if trans.shape != (len(poses), 3):
        raise FormatError(path, f"trans: expected shape ({len(poses)}, 3), found {trans.shape}")
    if rate is None:
        notes.append(f"does not say its frame rate; {_USUAL_RATE:g} Hz was taken")
    body, basis, scale = skeleton(), UPRIGHT[up], unit or guess.Unit("m", 1.0)
    rotations = rot.from_vector(poses)
    rotations[:, 0] = rot.multiply(basis, rotations[:, 0])
    for note in notes:
        warnings.warn(f"{path}: {note}", FormatWarning, stacklevel=3)
    return Clip(
        body,
        rot.rotate(basis, trans * scale.metres + _PELVIS),
        rotations,
        fps=rate or _USUAL_RATE,
        name=path.stem,
        file=str(path),
        source=Source(
            path=str(path),
            format="npz",
            scale=scale.metres,
            unit=scale.name,
            unit_from="given" if unit else "file",
            up=up,
            up_from="file" if up == "z" else "given",
            stature=guess.stature(body),
            motion=None,
            values=None,
            fps=rate or _USUAL_RATE,
            timing="",
            notes=tuple(notes),
        ),
    )


def _poses(file: "_Arrays") -> np.ndarray:
    """(F, 22, 3) rotation vectors, radians: of `poses`, or of `root_orient` and `pose_body` as SMPL-X keeps them."""
    if "poses" in file:
        poses = file.array("poses")
        poses = poses.reshape(len(poses), int(np.prod(poses.shape[1:])))
        if poses.shape[1] not in _WIDTHS:
            known = ", ".join(f"{width} ({what})" for width, what in _WIDTHS.items())
            raise FormatError(file.path, f"poses: expected {known} numbers a frame, found {poses.shape[1]}")
    elif "pose_body" in file:
        parts = [file.array("root_orient"), file.array("pose_body")]
        if parts[0].shape[1:] != (3,) or parts[1].shape != (len(parts[0]), 63):
            found = f"{parts[0].shape} and {parts[1].shape}"
            raise FormatError(file.path, f"root_orient, pose_body: expected shapes (F, 3) and (F, 63), found {found}")
        poses = np.concatenate(parts, axis=1)
    else:
        raise FormatError(file.path, f"holds no poses: it has {', '.join(sorted(file.names)[:8]) or 'no arrays'}")
    if not len(poses):
        raise FormatError(file.path, "poses: expected at least one frame")
    return poses[:, : 3 * len(_JOINTS)].reshape(len(poses), len(_JOINTS), 3)


class _Arrays:
    """The arrays of an .npz, each looked at before it is read: a small file can say that it unfolds to a large one."""

    def __init__(self, path: Path, archive: zipfile.ZipFile):
        self.path, self._archive = path, archive
        self.names = {name.removesuffix(".npy") for name in archive.namelist()}

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def array(self, name: str) -> np.ndarray:
        """An array of frames, as finite float64."""
        values = self._read(name, _MOST_FRAMES * max(_WIDTHS))
        if values.ndim not in (2, 3) or len(values) > _MOST_FRAMES:
            raise FormatError(self.path, f"{name}: expected frames of numbers, at most {_MOST_FRAMES:,}")
        if not (np.abs(values) <= LARGEST).all():
            raise FormatError(self.path, f"{name}: expected finite numbers of at most {LARGEST:g}")
        return values

    def number(self, name: str) -> float:
        """A single positive number."""
        value = self._read(name, 1)
        if value.size != 1 or not (np.isfinite(value).all() and 0.1 <= value.flat[0] <= 10_000.0):
            raise FormatError(self.path, f"{name}: expected frames a second, found {value.tolist()!r:.40}")
        return float(value.flat[0])

    def _read(self, name: str, most: int) -> np.ndarray:
        if name not in self.names:
            raise FormatError(self.path, f"expected an array {quoted(name)}")
        try:
            with self._archive.open(f"{name}.npy") as member:
                version = np.lib.format.read_magic(member)
                header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
                shape, _, dtype = header[version](member)
            if dtype.kind not in "fiu" or int(np.prod([int(n) for n in shape], dtype=object)) > most:
                raise FormatError(self.path, f"{name}: expected at most {most:,} numbers, found {dtype} of {shape}")
            with self._archive.open(f"{name}.npy") as member:
                return np.lib.format.read_array(member, allow_pickle=False).astype(np.float64)
        except FormatError:
            raise
        except Exception as problem:  # what the decoders of zipfile and numpy raise is their own affair: zlib.error, …
            raise FormatError(self.path, f"{name}: cannot be read: {quoted(str(problem), 200)[1:-1]}") from problem
