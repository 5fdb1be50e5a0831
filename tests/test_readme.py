"""Everything the README shows is run: its commands print what it says, its Python works, its links lead somewhere.

A ```console block holds commands after "$ " and, below each, what it prints; a ```python block is a program. They
run in order in one folder that has the bundled samples where a checkout has them. After a change of the samples
or the program, `python tests/test_readme.py` writes into the README what its commands print now.
"""

import contextlib
import io
import os
import re
import shlex
import tempfile
from pathlib import Path

import pytest

from motiongraph.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"(?<=^```python\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TIME = re.compile(r"(\bin |compute seconds +)[0-9.]+ s\b")

# What cannot be run here: setting up a checkout from within its own tests, and the network (test_fetch.py).
ELSEWHERE = ("scripts/", "motiongraph fetch")


def printed(command: str) -> str:
    """What a command prints, trailing spaces and empty lines left out; it must succeed."""
    program, *arguments = shlex.split(command)
    assert program == "motiongraph"
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text), pytest.raises(SystemExit) as exit:
        main(arguments)
    assert not exit.value.code, text.getvalue()
    lines = "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines() if line.strip())
    return TIME.sub(r"\1… s", lines)  # how long things take differs from run to run


def as_run(readme: str) -> str:
    """The README with what its commands print when run now, in a new folder."""

    def run(match):
        command, shown = match.groups()
        return f"$ {command}\n{shown if command.startswith(ELSEWHERE) else printed(command)}"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.symlink(ROOT / "assets", "assets")
        return BLOCK.sub(lambda block: COMMAND.sub(run, block[0]), readme)


@pytest.mark.long
def test_commands_print_what_it_says():
    readme = README.read_text("utf-8")
    assert sum(len(COMMAND.findall(block)) for block in BLOCK.findall(readme)) >= 5
    assert as_run(readme).splitlines() == readme.splitlines()


def test_programs_run(tmp_path, monkeypatch):
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    programs = PROGRAM.findall(README.read_text("utf-8"))
    assert programs
    for number, program in enumerate(programs):
        exec(compile(program, f"README.md, program {number}", "exec"), {})


@pytest.mark.parametrize("link", re.findall(r"\]\((?!https?://|#)([^)]+)\)", README.read_text("utf-8")))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()


if __name__ == "__main__":
    README.write_text(as_run(README.read_text("utf-8")), "utf-8")
