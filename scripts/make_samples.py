"""Makes the bundled sample clips from formulas: BVH files, two of them as ASF/AMC too, and labels.toml.

python scripts/make_samples.py [--out FOLDER]
"""

import argparse
from pathlib import Path

from samples.clips import SAMPLES

import motiongraph as mg
from motiongraph.files import writing

BUNDLED = Path(__file__).resolve().parent.parent / "assets" / "samples"
AS_AMC = ("walk", "jump")
HEADER = """\
# The bundled sample clips, made by scripts/make_samples.py. walk and jump are here as ASF/AMC too, the same motion,
# and so not listed a second time.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUNDLED, help="folder to write to (default: assets/samples)")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    entries = [HEADER]
    for sample in SAMPLES:
        clip = sample.clip()
        mg.save(clip, out / f"{sample.name}.bvh")
        if sample.name in AS_AMC:
            mg.save(clip, out / f"{sample.name}.amc")
        words = ", ".join(f'"{word}"' for word in sample.labels)
        entries.append(f'[[clip]]\nfile = "{sample.name}.bvh"\nlabels = [{words}]\n')
        print(f"{sample.name:15} {clip.duration:5.2f} s  {', '.join(sample.labels)}")
    with writing(out / "labels.toml", "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(entries))


if __name__ == "__main__":
    main()
