"""People who share a database: each by name, and gates that need two of them.

Covers: A7, I5
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.workers import Fleet
from tests.terminal import Said, sparing


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    yield made
    made.end()


def test_the_last_gate_is_another_persons(fleet: Fleet) -> None:
    """A7: the one who started it is refused in two lines, `--auto` and `--yes` stop there, a
    colleague's approval is recorded by name."""

    def typed(person: str, *words: str) -> Said:
        mine = {"SPARING_STATE__PERSON": person, "SPARING_FLOW__OTHER_PERSON": "done"}
        return sparing(fleet.home, *words, environ={**fleet.environ("home"), **mine})

    assert typed("ada", "start", "Make a file", "--flow", "L1").code == 0
    assert typed("ada", "run", "1", "--auto").code == 2
    assert typed("ada", "run", "1", "--yes").code == 2
    shown = typed("bob", "show", "1").out
    assert "started by ada" in shown
    assert "it needs the approval of somebody other than the person who started it" in " ".join(
        shown.split()
    )
    refused = typed("ada", "approve", "1")
    assert (refused.code, refused.complaint) == (
        1,
        (
            "error: ada started feature 001, so somebody else must approve done",
            "fix: ask a colleague to type: sparing approve 001",
        ),
    )
    assert typed("bob", "approve", "1").code == 0
    assert typed("ada", "run", "1").code == 0
    assert fleet.rows("select answered_by from gates where stage = 'done'") == [("bob",)]
