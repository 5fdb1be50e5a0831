"""The three parsers under mutated and made-up files: they load, or raise FormatError, and nothing else.

MOTIONGRAPH_FUZZ=100 runs 160 times as many examples as usual.
"""

import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats.load import load
from motiongraph.formats.save import save

DATA = Path(__file__).parents[1] / "data"
MOCAP = os.environ.get("MOTIONGRAPH_MOCAP")
TIMES = float(os.environ.get("MOTIONGRAPH_FUZZ", "0.6"))
NASTY = """
0 -0 1 -1 3 6 7 1e9 1000000000 99999999999999999999 1e38 -1e38 1e39 1e400 1e-400 1e-310 5e-324 nan inf -inf .5 5.
. +1 --1 1e 0x10 1_000 1,5 1e5 1e-5 2147483648 { } ( ) # : :root :units :bonedata :hierarchy begin end root ROOT JOINT
End Site OFFSET CHANNELS MOTION Frames: Frame Time: HIERARCHY Xrotation Yposition XYZ ZYX rx ry rz tx l dof axis
name length direction limits ltibia Hips ٣ ü
""".split()  # noqa: SIM905


def budget(examples):
    return settings(
        max_examples=max(int(examples * TIMES), 1),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
    )


def frames_of(path, frames):
    """The head of a real file with its first frames."""
    lines = path.read_bytes().split(b"\n")
    if path.suffix == ".bvh":
        return b"\n".join(lines[: next(i for i, x in enumerate(lines) if x.startswith(b"Frame Time")) + 1 + frames])
    starts = [i for i, line in enumerate(lines) if line.strip().isdigit()]
    return b"\n".join(lines[: starts[frames]]) + b"\n"


def samples(kind):
    names = {"bvh": ["person", "mixed", "static_root", "z_up"], "asf": ["everything", "simple"]}
    found = [(DATA / f"{n}.{kind}").read_bytes() for n in names.get(kind, names["asf"])]
    if MOCAP:
        cmu = Path(MOCAP) / "cmu"
        real = {"bvh": ["bvh/07_01.bvh"], "asf": ["asf_amc/16/16.asf"], "amc": ["asf_amc/16/16_15.amc"]}[kind]
        found += [(cmu / n).read_bytes() if kind == "asf" else frames_of(cmu / n, 3) for n in real]
    return found


@st.composite
def mutated(draw, kind):
    """One of the samples with a few things gone wrong; and its number, so that an ASF finds its AMC."""
    bases = samples(kind)
    which = draw(st.integers(0, len(bases) - 1))
    data = bases[which]
    for _ in range(draw(st.integers(1, 4))):
        data = draw(MUTATIONS)(data, draw)
    return which, data


def place(data, draw):
    return draw(st.integers(0, max(len(data) - 1, 0)))


def flip(data, draw):
    at = place(data, draw)
    return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]


def cut(data, draw):
    at = place(data, draw)
    return data[:at] + data[at + draw(st.integers(1, 200)) :]


def truncate(data, draw):
    return data[: place(data, draw)]


def duplicate(data, draw):
    at = place(data, draw)
    piece = data[at : at + draw(st.integers(1, 300))]
    return data[:at] + piece * draw(st.integers(2, 5)) + data[at:]


def words(data):
    return [m.span() for m in re.finditer(rb"\S+", data)] or [(0, len(data))]


def swap(data, draw):
    spans = words(data)
    (a, b), (c, d) = sorted(draw(st.sampled_from(spans)) for _ in range(2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:] if b <= c else data


def replace_word(data, draw):
    a, b = draw(st.sampled_from(words(data)))
    return data[:a] + draw(st.sampled_from(NASTY)).encode() + data[b:]


def replace_number(data, draw):
    spans = [m.span() for m in re.finditer(rb"(?<=\s)[-+.\d]\S*", data)] or words(data)
    a, b = draw(st.sampled_from(spans))
    return data[:a] + draw(st.sampled_from(NASTY)).encode() + data[b:]


def insert(data, draw):
    at = place(data, draw)
    return (
        data[:at]
        + draw(st.sampled_from([b" ", b"\n", b"\r", b"\t", b"\x0b"]))
        + draw(st.binary(max_size=5))
        + data[at:]
    )


def drop_line(data, draw):
    lines = data.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    return b"\n".join(lines[:at] + lines[at + 1 :])


def swap_lines(data, draw):
    lines = data.split(b"\n")
    a, b = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def other_newlines(data, draw):
    return data.replace(b"\n", draw(st.sampled_from([b"\r\n", b"\r", b"\n\n", b" ", b"\x0c"])))


MUTATIONS = st.sampled_from(
    [flip, cut, truncate, duplicate, swap, replace_word, replace_number, insert, drop_line, swap_lines, other_newlines]
)


def holds(path):
    """Load a file; if it loads, the clip is sound. Gives the clip, or None after a FormatError of the right form."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FormatWarning)
        try:
            clip = load(path)
        except FormatError as error:
            problem = error
        else:
            assert np.isfinite(clip.positions()).all()
            assert len(clip) >= 1
            assert np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1.0).max() < 1e-9
            assert clip.fps > 0
            assert 0 <= clip.first < len(clip)
            return clip
    assert "\n" not in problem.message
    assert len(problem.message) < 400
    assert problem.line is not None or problem.message == "the file is empty", problem
    return None


def survives_saving(clip, folder):
    """What loads can be saved, in both formats, and loads again."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FormatWarning)
        for name in ("again.bvh", "again.amc"):
            save(clip, folder / name)
            assert len(load(folder / name)) == len(clip)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@given(case=mutated("bvh"))
@budget(200)
def test_mutated_bvh_files(folder, case):
    (folder / "m.bvh").write_bytes(case[1])
    clip = holds(folder / "m.bvh")
    if clip is not None and np.abs(clip.positions()).max() < 1e6 and 1e-3 < clip.fps < 1e6:
        survives_saving(clip, folder)


def pair(folder, asf, amc):
    (folder / "m.asf").write_bytes(asf)
    (folder / "m.amc").write_bytes(amc)
    clip = holds(folder / "m.amc")
    if clip is not None and np.abs(clip.positions()).max() < 1e6:
        survives_saving(clip, folder)


@given(case=mutated("asf"))
@budget(150)
def test_mutated_asf_files(folder, case):
    pair(folder, case[1], samples("amc")[case[0]])


@given(case=mutated("amc"))
@budget(150)
def test_mutated_amc_files(folder, case):
    pair(folder, samples("asf")[case[0]], case[1])


@given(data=st.binary(max_size=300), head=st.sampled_from([b"", b"HIERARCHY\n", b":version 1.10\n", b"1\n"]))
@budget(60)
def test_any_bytes(folder, data, head):
    (folder / "b.bvh").write_bytes(head + data)
    holds(folder / "b.bvh")
    pair(folder, head + data, (DATA / "simple.amc").read_bytes())
    pair(folder, (DATA / "simple.asf").read_bytes(), head + data)


# Files made from the grammar: whatever they say, it is well said, so they must load and come back.
NUMBER = st.one_of(
    st.integers(-999, 999).map(str), st.floats(-500, 500).map(repr), st.floats(-50, 50).map(lambda x: f"{x:.3e}")
)
NAME = st.text(st.characters(blacklist_categories=["C", "Z"], blacklist_characters="{}()#:"), min_size=1, max_size=6)
NEWLINE = st.sampled_from(["\n", "\r\n", "\r"])
CHANNELS = ["Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"]


@st.composite
def any_bvh(draw):
    """A hierarchy of up to 12 joints with channels of any kind, and 1 to 4 frames."""
    total = 0
    case = draw(st.sampled_from([str, str.upper, str.lower]))

    def joint(keyword, depth):
        nonlocal total
        count = draw(st.integers(0, 6))
        channels = draw(st.permutations(CHANNELS))[:count]
        total += count
        name = draw(NAME)
        brace = draw(st.sampled_from(["\n{\n", " {\n", "{"]))
        lines = [f"{case(keyword)} {name}{brace}{case('OFFSET')} {' '.join(draw(NUMBER) for _ in range(3))}"]
        if count or draw(st.booleans()):
            lines.append(" ".join([case("CHANNELS"), str(count), *map(case, channels)]))
        for _ in range(draw(st.integers(0, 2)) if depth < 3 else 0):
            lines += joint("JOINT", depth + 1)
        for _ in range(draw(st.integers(0, 2))):
            lines.append(f"{case('End Site')}\n{{\n{case('OFFSET')} {' '.join(draw(NUMBER) for _ in range(3))}\n}}")
        return [*lines, "}"]

    lines = ["HIERARCHY", *joint("ROOT", 0)]
    if total == 0:
        return None
    frames = draw(st.integers(1, 4))
    lines += ["MOTION", f"Frames: {frames}", f"Frame Time: {draw(st.sampled_from(['.0083333', '0.04', '1e-2', '1']))}"]
    for _ in range(frames):
        gap = draw(st.sampled_from([" ", "\t", "\n", "  "]))
        lines.append(gap.join(draw(NUMBER) for _ in range(total)))
    newline = draw(NEWLINE)
    return "\n".join(lines).replace("\n", newline) + draw(st.sampled_from(["", newline, newline * 2]))


@given(text=any_bvh())
@budget(50)
def test_any_bvh_of_the_grammar_loads_and_comes_back(folder, text):
    if text is None:
        return
    path = folder / "g.bvh"
    path.write_bytes(text.encode())
    clip = holds(path)
    assert clip is not None
    comes_back(clip, folder)


@st.composite
def any_asf_amc(draw):
    """A skeleton of up to 8 bones with dofs of any kind, and 1 to 3 frames with bones in any order."""
    count = draw(st.integers(1, 8))
    names = draw(st.lists(NAME, min_size=count, max_size=count, unique_by=str.lower))
    names = [f"b{n}" if n.lower() in ("root", "end", "begin") or n[0] in "+-.0123456789" else n for n in names]
    if len({n.lower() for n in names}) < count:
        return None
    dofs, asf = {}, [":units", f"length {draw(st.sampled_from(['0.45', '1', '2.54e0']))}"]
    angle, degrees = draw(st.sampled_from(["deg", "rad"])), draw(st.booleans())
    asf += [f"angle {angle}", ":root", "order TX TY TZ RX RY RZ", f"axis {draw(st.permutations('XYZ').map(''.join))}"]
    asf += [f"position {draw(NUMBER)} 0 0", f"orientation {draw(NUMBER)} {draw(NUMBER)} 0", ":bonedata"]
    for name in names:
        dof = draw(st.permutations(["rx", "ry", "rz", "tx", "ty", "tz", "l"]))[: draw(st.integers(0, 7))]
        dofs[name] = dof
        asf += ["begin", f"name {name}", f"direction {' '.join(draw(NUMBER) for _ in range(3))}"]
        asf += [
            f"length {draw(NUMBER)}",
            f"axis {' '.join(draw(NUMBER) for _ in range(3))} {''.join(draw(st.permutations('XYZ')))}",
        ]
        asf += [f"dof {' '.join(dof)}"] if dof else []
        asf += ["end"]
    asf += [":hierarchy", "begin"]
    for i, name in enumerate(names):
        asf.append(f"{draw(st.sampled_from(['root', *names[:i]]))} {name}")
    asf.append("end")
    dofs["root"] = range(6)
    amc = [":DEGREES" if degrees else ":RADIANS"]
    for frame in range(draw(st.integers(1, 3))):
        amc.append(str(frame + 1))
        for name in draw(st.permutations([n for n in dofs if len(dofs[n])])):
            amc.append(" ".join([name, *(draw(NUMBER) for _ in dofs[name])]))
    newline = draw(NEWLINE)
    return newline.join(asf).encode(), newline.join(amc).encode()


@given(texts=any_asf_amc())
@budget(50)
def test_any_asf_and_amc_of_the_grammar_load_and_come_back(folder, texts):
    if texts is None:
        return
    (folder / "g.asf").write_bytes(texts[0])
    (folder / "g.amc").write_bytes(texts[1])
    clip = holds(folder / "g.amc")
    assert clip is not None
    comes_back(clip, folder)


def comes_back(clip, folder):
    """Written as it came, and moved, in both formats: every joint stays where it is, to a part in a million.

    What unit and up axis a file of such odd bodies would be guessed to have says nothing, so any may fit.
    """
    for made in (clip, clip.moved(1.0, 2.0, 3.0)):
        for name in ("back.bvh", "back.amc"):
            save(made, folder / name)
            scales = {clip.source.scale, 0.01, 1.0} if name == "back.bvh" else {"auto"}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FormatWarning)
                tries = [load(folder / name, up=up, units=units) for up in "yz" for units in scales]
            assert min(farthest(made, again) for again in tries) < 1e-6 * max(np.abs(clip.positions()).max(), 10.0)


def farthest(clip, again):
    """How far any joint is from the nearest joint of the copy that is there in all frames.

    A root that stands still above what moves is left out when a BVH is read, so it need not be there.
    """
    assert len(again) == len(clip)
    motion = again.source.motion
    gone = motion.record.names[: motion.folded] if again.source.format == "bvh" else ()
    kept = [j for j, name in enumerate(clip.skeleton.names) if name not in gone]
    gaps = clip.positions()[:, kept, None] - again.positions()[:, None]
    return np.linalg.norm(gaps, axis=-1).max(axis=0).min(axis=1).max()
