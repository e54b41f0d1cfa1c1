"""Where `policy = "seed"` differs from the original: one table, each row shown by something.

Covers: B1
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADING = "## Where `seed` differs from the original on purpose\n"
_SHOWN = re.compile(r"`((?:src|tests)/[\w./-]+)::([^`]+)`")


def table() -> list[list[str]]:
    text = (ROOT / "docs" / "requirements.md").read_text("utf-8")
    _, _, after = text.partition(HEADING)
    rows = [line for line in after.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in rows]


@cache
def names(path: Path) -> frozenset[str]:
    """What a module defines: functions, classes, methods, constants."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Assign():
                found |= {one.id for one in node.targets if isinstance(one, ast.Name)}
            case ast.AnnAssign(target=ast.Name() as target):
                found.add(target.id)
            case _:
                pass
    return frozenset(found)


def missing(shown: str) -> str:
    """What of a row's last cell is not there; empty if all is."""
    places = _SHOWN.findall(shown)
    if not places:
        return "no test and no place in the code"
    for path, name in places:
        file = ROOT / path
        if not file.is_file():
            return f"there is no {path}"
        there = name in names(file) if file.suffix == ".py" else name in file.read_text("utf-8")
        if not there:
            return f"{path} has no {name}"
    return ""


def test_every_row_says_what_differs_why_and_what_shows_it() -> None:
    """B1: a row more or less is a decision, and belongs into the changelog."""
    titles, *rows = table()
    assert titles == ["The original", "Under `seed` here", "Why", "Shown by"]
    assert len(rows) > 40
    assert [row for row in rows if len(row) != 4 or not all(cell.strip() for cell in row)] == []
    assert len({row[0] for row in rows}) == len(rows)


@pytest.mark.parametrize("row", table()[1:], ids=lambda row: row[0][:40])
def test_what_a_row_names_is_there(row: list[str]) -> None:
    """B1: a test that is renamed or a place that moves takes its row along."""
    assert missing(row[-1]) == ""


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("nothing", "no test and no place in the code"),
        ("`src/sparing/nowhere.py::x`", "there is no src/sparing/nowhere.py"),
        (
            "`src/sparing/dispatch_policy.py::nobody`",
            "src/sparing/dispatch_policy.py has no nobody",
        ),
        ("`src/sparing/dispatch_policy.py::Order`", ""),
    ],
)
def test_a_row_that_shows_nothing_is_seen(shown: str, said: str) -> None:
    """B1"""
    assert missing(shown) == said
