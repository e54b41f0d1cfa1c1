"""What a gate shows of a red check: the lines that say what went wrong. Covers: A6, K1."""

from __future__ import annotations

from pathlib import Path

from sparing.desk.gates.branch import LAST_LINES, red_checks
from sparing.event import ChecksEvent, OutputsEvent
from sparing.records.events import Event

TABLE = """1..0
# time=4.984ms
----------|---------|----------|
File      | % Stmts | % Branch |
----------|---------|----------|
All files |       0 |        0 |
----------|---------|----------|
"""
MISSING = "Error: Cannot find module 'map.js'"


def tail(folder: Path, printed: str) -> tuple[str, ...]:
    file = folder / "output.txt"
    file.write_text(printed)
    told = (ChecksEvent(passed={"test": False}), OutputsEvent(paths={"test": str(file)}))
    (red,) = red_checks([Event.of(one, key="k", feature="f", at=1.0) for one in told])
    return red.tail


def test_the_end_is_shown_if_it_says_what_failed(tmp_path: Path) -> None:
    printed = f"{MISSING}\n" + "".join(f"line {n}\n" for n in range(9)) + "FAILED a.py::test_b\n"
    assert tail(tmp_path, printed) == (*(f"line {n}" for n in range(4, 9)), "FAILED a.py::test_b")


def test_a_table_at_the_end_does_not_hide_what_failed(tmp_path: Path) -> None:
    found = tail(tmp_path, f"TAP version 13\nok 1 - reports an error\n{MISSING}\n{TABLE}")
    assert found == (MISSING, *TABLE.splitlines()[1 - LAST_LINES :])
    assert len(found) == LAST_LINES


def test_a_failure_that_nothing_explains_shows_the_end(tmp_path: Path) -> None:
    assert tail(tmp_path, f"ok 1 - reports an error\n{TABLE}") == tuple(
        TABLE.splitlines()[-LAST_LINES:]
    )
