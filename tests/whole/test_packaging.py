"""The wheel, installed where the checkout cannot be seen, does what the checkout does."""

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

from motiongraph import __version__
from motiongraph.errors import MotionError
from motiongraph.files import resource


def run(*command, **options):
    """The finished process; where it failed, with what it said."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built with the hatchling that is installed, so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """installed("motiongraph", ...) runs a program of a new environment that holds the wheel, in another folder.

    The dependencies are those of this environment: a .pth file adds them to the path, but the .pth file by which
    the checkout itself is installed for editing does not count there.
    """
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv/bin/python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    (site / "dependencies.pth").write_text("\n".join({sysconfig.get_path(k) for k in ("purelib", "platlib")}) + "\n")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MOTIONGRAPH"))}

    def call(program, *arguments):
        return run(folder / "venv/bin" / program, *arguments, cwd=elsewhere, env=environment)

    return call


def test_what_the_wheel_holds(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tracked = run(
        "git", "-C", ROOT, "ls-files", "motiongraph", "assets/captured", "assets/samples", "shaders"
    ).stdout.splitlines()
    for name in tracked:
        packed = name if name.startswith("motiongraph/") else f"motiongraph/_data/{name}"
        assert packed in names
    assert not [name for name in names if name.startswith(("tests/", "scripts/")) or name.endswith((".pyc", ".nbi"))]


def test_folders_of_the_wheel_come_with_a_clone():
    """Git keeps no empty folders, and hatchling refuses to install without one that it is to include."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for folder in settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]:
        assert run("git", "-C", ROOT, "ls-files", folder).stdout, f"no file of {folder}/ is in git"


def test_its_version(wheel):
    assert wheel.name == f"motiongraph-{__version__}-py3-none-any.whl"


def test_it_is_the_installed_one(installed):
    where = installed("python", "-c", "import motiongraph; print(motiongraph.__file__)").stdout
    assert str(ROOT) not in where
    assert "site-packages" in where


def test_info_of_the_bundled_samples(installed):
    result = installed("motiongraph", "info", "--json")
    report = json.loads(result.stdout)
    assert (result.stderr, report["failed"]) == ("", [])
    assert len(report["clips"]) >= 12
    assert all("_data" in clip["path"] and 1.4 < clip["height"] < 2.1 for clip in report["clips"])


def test_resources_of_the_checkout():
    assert resource("assets/samples") == ROOT / "assets/samples"
    with pytest.raises(MotionError, match="'assets/nothing' did not come with this installation"):
        resource("assets/nothing")
