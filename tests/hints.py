"""Every command that the program's messages name, with where it is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import sparing
from sparing.cli.main import COMMANDS

ROOT = Path(sparing.__file__).parent
GAP = "\N{FULLWIDTH LOW LINE}"
"""Stands for what a message fills in."""
HINT = re.compile(
    rf"sparing ({'|'.join(COMMANDS)})((?: (?:--[a-z-]+|prompt|reviews|{GAP}|[A-Z]+))*)"
)
SPEAKING = (
    "goes on",
    "continues",
    "measures it",
    "recreates it",
    "does it",
    "does",
    "reads",
    "ends it here",
    "takes",
)
"""Words after a command that is only spoken of."""


class Hint(NamedTuple):
    file: str
    line: int
    function: str
    """The innermost function or class; `-` for a constant of the module."""
    words: str
    command: str
    given: tuple[str, ...]

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def name(self) -> str:
        """Where it is said and what, without a line number."""
        return f"{self.file} {self.function}: {self.command}"

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


def _function(tree: ast.AST, line: int) -> str:
    around = [
        (node.lineno, node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around)[1] if around else "-"


def hints() -> Iterator[Hint]:
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file == "cli/main.py":
            continue  # what commands do, in a line each
        tree = ast.parse(path.read_text("utf-8"))
        for line, text in strings(tree):
            for found in HINT.finditer(text):
                if not text[found.end() :].strip().startswith(SPEAKING):
                    yield Hint(
                        file=file,
                        line=line,
                        function=_function(tree, line),
                        words=found[0],
                        command=found[1],
                        given=tuple(found[2].split()),
                    )


HINTS = list(hints())
