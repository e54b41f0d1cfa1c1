"""The table of what was tried by running: each line has a test that is there and names its id.

Covers: K4
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import coverage

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "requirements.md").read_text("utf-8")
HEADING = "## What was tried by running, and the test that holds it\n"
KNOWN = {entry.id for entry in coverage.requirements(PAGE)}
_TEST = re.compile(r"`(tests/[\w./]+\.py)::(\w+)`")


def lines() -> list[list[str]]:
    table = PAGE.partition(HEADING)[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return rows[1:]


def claimed(file: str, name: str) -> set[str]:
    """The ids that a test names, itself or through its module."""
    text = (ROOT / file).read_text("utf-8")
    assert f"def {name}(" in text, f"{file} has no {name}"
    found = coverage.claims(file, text, KNOWN)
    return {one.id for one in found if one.test in (file, f"{file}::{name}")}


def test_the_table_is_there() -> None:
    """Otherwise the one below proves nothing."""
    assert len(lines()) > 40


@pytest.mark.parametrize("row", lines(), ids=lambda row: row[1][:40])
def test_a_line_has_a_test_for_each_of_its_ids(row: list[str]) -> None:
    """K4"""
    ids, what, tests = row
    assert what
    named = _TEST.findall(tests)
    assert named, row
    covered = {one for file, name in named for one in claimed(file, name)}
    assert set(ids.split(", ")) <= covered, f"{ids}: only {sorted(covered)} by {named}"
