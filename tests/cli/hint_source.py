"""What a named test types and looks at, read from its source."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TYPES = frozenset(
    {
        *("typed", "say", "sparing", "types", "main", "Typed", "beside", "run", "worker"),
        *("choices", "repair_of", "fetched", "record", "unpriced", "role_backend", "do", "opened"),
    }
)
"""Functions with which a test types a command, or asks for what a command would do."""


class FollowedHint(NamedTuple):
    words: str
    """The test's source with that of its module's functions that it names."""
    typed: tuple[int, ...]
    """Lines in which something is typed."""
    looked: int
    """The last line that asserts something."""


def followed_in(test: str) -> FollowedHint:
    file, _, name = test.partition("::")
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    assert name in functions, f"{test} is not there"
    body = functions[name]
    named = {_name(one) for one in ast.walk(body)} & {*functions}
    words = "\n".join(ast.unparse(functions[one]) for one in (name, *sorted(named)))
    calls = [one for one in ast.walk(body) if isinstance(one, ast.Call)]
    typed = sorted(one.lineno for one in calls if _called(one.func) in TYPES | named)
    asserts = [one.end_lineno or 0 for one in ast.walk(body) if isinstance(one, ast.Assert)]
    return FollowedHint(words, tuple(typed), max(asserts, default=0))


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "arg", None) or ""
