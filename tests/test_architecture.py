"""The house rules of ARCHITECTURE.md, read from the source: which way the arrows point, and what no module may do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

# Each part and the parts it may use. Whatever is not named here may not be imported.
GROUND = {"errors", "progress", "files", "fetch"}  # standard library and each other only
STAIRS = [
    "kernels",
    "elementary",
    "rotations",
    "model",
    ("formats", "metric"),
    "graph",
    "walks",
    "synthesis",
    "app",
    "viewer",
]
WINDOW_LIBRARIES = {"OpenGL", "glfw", "imgui_bundle", "glm", "pyglm"}
LONGEST = 400  # lines


def allowed_parts() -> dict[str, set[str]]:
    """Part → the parts it may import; `cli` stands beside the viewer, `__main__` above all."""
    below, allowed = set(GROUND), {part: set(GROUND) for part in GROUND}
    for step in STAIRS:
        names = {step} if isinstance(step, str) else set(step)
        for name in names:
            allowed[name] = below | {name}
        below = below | names
    allowed["cli"] = below | {"cli"}  # the viewer from within functions only
    allowed["__main__"] = {"cli"}
    allowed["__init__"] = set()  # its names are loaded when first used
    return allowed


ALLOWED = allowed_parts()


def module_of(path: Path) -> tuple[str, ...]:
    """motiongraph/model/clip.py → ("motiongraph", "model", "clip"); a package is named without __init__."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts


def imports(tree: ast.AST, module: tuple[str, ...], package: bool):
    """(line, dotted name, at the top of the module) of everything imported, relative imports made absolute.

    What stands under `if TYPE_CHECKING:` is never imported: types may point up the stairs.
    """
    for_types = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    nested = {
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            if node.level:
                here = module if package else module[:-1]
                start = ".".join([*here[: len(here) - node.level + 1], *([start] if start else [])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            yield node.lineno, name, node not in nested


def complaints(source: str, path: Path) -> list[str]:
    """What is wrong with a module of ours, one sentence each."""
    module, tree = module_of(path), ast.parse(source)
    part, found = module[1], []

    def complain(line, sentence):
        found.append(f"{path.relative_to(ROOT)}:{line}: {sentence}")

    if part not in ALLOWED:
        complain(1, f"the part {part!r} has no place on the stairs; give it one in tests/test_architecture.py")
        return found
    for line, name, at_top in imports(tree, module, path.name == "__init__.py"):
        top, _, rest = name.partition(".")
        if top == "motiongraph":
            target = rest.partition(".")[0]
            if target == "__version__":
                continue
            if not target:
                if part != "cli":  # which uses the public names, loaded when first used
                    complain(line, "imports motiongraph as a whole, which hides what it needs")
            elif target not in ALLOWED[part]:
                complain(line, f"{part} may not import {target}: that arrow points down the stairs")
            elif part == "cli" and target == "viewer" and at_top:
                complain(line, "cli may import the viewer only within a function, so that headless use needs no GL")
        elif part in GROUND and top not in sys.stdlib_module_names:
            complain(line, f"{part} may use the standard library only, not {top}")
        elif top in WINDOW_LIBRARIES and part != "viewer":
            complain(line, f"only the viewer may import {top}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print" and part != "cli":
            complain(node.lineno, "print() belongs in cli; report through progress, warnings or errors")
        if isinstance(node, ast.ExceptHandler):
            if node.type is None:
                complain(node.lineno, "a bare except swallows everything")
                continue
            broad = {"Exception", "BaseException"} & {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
            if broad and all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body):
                complain(node.lineno, "a silent except of everything hides what went wrong")
    if (length := source.count("\n")) > LONGEST:
        complain(length, f"{length} lines; {LONGEST} is the limit")
    return found


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", sources("motiongraph"), ids=lambda p: str(p.relative_to(ROOT)))
def test_module_keeps_the_house_rules(path):
    assert complaints(path.read_text("utf-8"), path) == []


def test_references_import_nothing_of_ours():
    for path in sources("tests/naive"):
        for line, name, _ in imports(ast.parse(path.read_text("utf-8")), module_of(path), False):
            assert name.partition(".")[0] != "motiongraph", f"{path.name}:{line} imports the code under test"


@pytest.mark.parametrize("statement", ["import motiongraph", "import motiongraph.cli, motiongraph.__main__"])
def test_import_is_light(statement):
    """Neither the API nor the command line load a window, a compiler or numbers before they are used."""
    heavy = sorted({"OpenGL", "glfw", "imgui_bundle", "numba", "scipy", "numpy", "rich.table", "pygltflib"})
    code = f"import sys; {statement}; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/")
    assert (result.stdout.strip(), result.stderr) == ("[]", "")


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("model/clip.py", "from motiongraph.formats import bvh", "model may not import formats"),
        ("model/clip.py", "from ..formats.bvh import read", "model may not import formats"),
        ("model/__init__.py", "from ..graph import build", "model may not import graph"),
        ("model/__init__.py", "from .. import graph", "model may not import graph"),
        ("rotations.py", "def f():\n    from motiongraph.model.clip import Clip", "rotations may not import model"),
        ("formats/bvh.py", "import motiongraph.metric.cloud", "formats may not import metric"),
        ("metric/cloud.py", "import motiongraph.formats", "metric may not import formats"),
        ("graph/build.py", "from motiongraph.walks import greedy", "graph may not import walks"),
        ("app/state.py", "from motiongraph.viewer import window", "app may not import viewer"),
        ("viewer/window.py", "from motiongraph.cli import app", "viewer may not import cli"),
        ("cli/view.py", "from motiongraph.viewer import window", "only within a function"),
        ("model/clip.py", "import motiongraph as mg", "as a whole"),
        ("model/clip.py", "from motiongraph import load", "model may not import load"),
        ("__init__.py", "from motiongraph.model.clip import Clip", "__init__ may not import model"),
        ("app/state.py", "import OpenGL.GL as gl", "only the viewer may import OpenGL"),
        ("app/state.py", "from imgui_bundle import imgui", "only the viewer may import imgui_bundle"),
        ("synthesis/blend.py", "import glfw", "only the viewer may import glfw"),
        ("files.py", "import numpy as np", "standard library only, not numpy"),
        ("progress.py", "from motiongraph import rotations", "progress may not import rotations"),
        ("fetch.py", "from motiongraph.cli.console import bar", "fetch may not import cli"),
        ("tricks/a.py", "", "has no place on the stairs"),
        ("model/clip.py", "def f():\n    print('hello')", ":2: print() belongs in cli"),
        ("model/clip.py", "try:\n    f()\nexcept:\n    raise", ":3: a bare except"),
        ("model/clip.py", "try:\n    f()\nexcept Exception:\n    pass", ":3: a silent except"),
        ("model/clip.py", "try:\n    f()\nexcept (OSError, Exception) as e:\n    pass", ":3: a silent except"),
        ("model/clip.py", "x = 1\n" * 401, "401 lines; 400 is the limit"),
    ],
)
def test_the_checker_complains(module, source, complaint):
    found = complaints(source, ROOT / "motiongraph" / module)
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "graph/build.py",
            "from motiongraph.metric import cloud\nfrom motiongraph import rotations as rot\nimport numba",
        ),
        ("viewer/window.py", "from motiongraph.app import state\nimport glfw"),
        ("cli/walk.py", "import motiongraph as mg"),
        ("cli/view.py", "def view():\n    from motiongraph.viewer import window\n    print(window)"),
        ("fetch.py", "from motiongraph import __version__\nfrom motiongraph.errors import MotionError\nimport urllib"),
        (
            "model/clip.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from motiongraph.formats.motion import Source",
        ),
        ("model/clip.py", "from .skeleton import Skeleton\nfrom . import labels\nfrom ..errors import MotionError"),
        ("files.py", "try:\n    f()\nexcept OSError:\n    pass"),
        ("files.py", "try:\n    f()\nexcept BaseException:\n    g()\n    raise"),
    ],
)
def test_the_checker_lets_good_modules_be(module, source):
    assert complaints(source, ROOT / "motiongraph" / module) == []


def test_editors_see_the_public_names():
    """The stub lists what `__getattr__` would load, from the same modules, and nothing else."""
    import motiongraph as mg

    stub = ast.parse((ROOT / "motiongraph/__init__.pyi").read_text("utf-8"))
    listed = {
        alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert listed == mg._WHERE
    assert all(hasattr(mg, name) for name in mg.__all__)
    assert (ROOT / "motiongraph/py.typed").is_file()
