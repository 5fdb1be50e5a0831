"""Every command is one thing in one place: listed, explained, and able to do what it asks."""

import ast
import dataclasses
from pathlib import Path

import pytest
from conftest import ROOT

from motiongraph.app import commands
from motiongraph.app.command import Part


@pytest.mark.parametrize("kind", commands.COMMANDS, ids=lambda kind: kind.__name__)
def test_a_command_is_a_frozen_record_with_a_docstring_and_apply(kind):
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    assert (kind.__doc__ or "").strip()
    assert not kind.__doc__.startswith(f"{kind.__name__}(")
    assert callable(kind.apply)
    assert kind.__name__ != "_"
    assert getattr(commands, kind.__name__) is kind
    part = kind.undo_part
    assert part is None or isinstance(part, Part) or callable(part)
    assert bool(kind.edit_name) == (part is not None)


def decorated(path: Path) -> list[str]:
    """Names of the classes of a module that are commands."""
    found = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
            found += [node.name for mark in marks if isinstance(mark, ast.Name) and mark.id == "command"]
    return found


def test_all_commands_are_listed_once():
    names = [name for path in (ROOT / "motiongraph/app").rglob("*.py") for name in decorated(path)]
    assert sorted(names) == sorted(kind.__name__ for kind in commands.COMMANDS)
    assert len(set(names)) == len(names) > 130


def test_nothing_is_named_underscore():
    for path in (ROOT / "motiongraph").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == "_"), path


def test_no_two_modules_of_the_rooms_share_a_name():
    names = [path.stem for path in (ROOT / "motiongraph/app").rglob("*.py") if path.stem != "__init__"]
    assert len(set(names)) == len(names)
