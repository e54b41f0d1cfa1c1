"""Every command that the program names in a message is one that can be typed as it stands.

All strings of the code are read, docstrings apart. A hint that names a feature has a place for it,
and its options exist. What the commonest hints repair is tried in `tests/engine/test_hints.py`.

Covers: A3, K1
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import sparing
from sparing.cli.main import COMMANDS, app

ROOT = Path(sparing.__file__).parent
GAP = "\N{FULLWIDTH LOW LINE}"
"""Stands for what a message fills in."""
HINT = re.compile(
    rf"sparing ({'|'.join(COMMANDS)})((?: (?:--[a-z-]+|prompt|reviews|{GAP}|[A-Z]+))*)"
)
SPEAKING = ("goes on", "makes it again", "does it", "does", "reads", "ends it here", "takes")
"""Words after a command that is only spoken of."""


class Hint(NamedTuple):
    where: str
    words: str
    command: str
    given: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        return [one for one in self.given if one.startswith("--")]

    @property
    def arguments(self) -> list[str]:
        return [one for one in self.given if not one.startswith("--")]


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts that are no docstrings, with gaps where something is filled in."""
    quiet = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    quiet |= {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    # Whoever only looks for a hint gives none.
    quiet |= {
        id(given)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        for given in node.args
        if node.func.attr == "startswith"
    }
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(one) for one in node.values}
            yield node.lineno, "".join(_piece(one) for one in node.values)
    for node in ast.walk(tree):
        told = isinstance(node, ast.Constant) and id(node) not in quiet | inner
        if told and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _piece(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else GAP


def hints() -> Iterator[Hint]:
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if where == "cli/main.py":
            continue  # what commands do, in a line each
        for line, text in strings(ast.parse(path.read_text("utf-8"))):
            for found in HINT.finditer(text):
                spoken = text[found.end() :].strip().startswith(SPEAKING)
                if not spoken:
                    given = tuple(found[2].split())
                    yield Hint(f"{where}:{line}", found[0], found[1], given)


HINTS = list(hints())


def command_of(name: str) -> click.Command:
    found = app.get_command(click.Context(app), name)
    assert found is not None
    return found


def test_there_are_many() -> None:
    """Otherwise the ones below prove nothing."""
    assert len(HINTS) > 100
    assert {"approve", "edit", "raise", "rerun", "resume", "trust"} <= {h.command for h in HINTS}


@pytest.mark.parametrize("hint", HINTS, ids=lambda one: f"{one.where} {one.words}")
def test_a_hint_can_be_typed(hint: Hint) -> None:
    """A3, K1: a feature where one is needed, and no option that the command does not have."""
    command = command_of(hint.command)
    if isinstance(command, click.Group) or "--help" in hint.options:
        return
    needed = [one for one in command.params if isinstance(one, click.Argument) and one.required]
    if needed and needed[0].name == "feature":
        assert hint.arguments, f"{hint.where}: '{hint.words}' names no feature"
    known = {option for one in command.params for option in one.opts}
    assert set(hint.options) <= known, hint.where
