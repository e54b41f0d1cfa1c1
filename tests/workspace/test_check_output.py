"""The output of a check is cut to what matters.

Covers: H7
"""

from __future__ import annotations

from sparing.workspace.checks.run import trim


def test_long_output_keeps_the_first_failure_and_the_end() -> None:
    lines = [f"line {n}" for n in range(2000)]
    lines[500] = "FAIL: test_first"
    lines[900] = "FAIL: test_second"
    text = trim("\n".join(lines))
    assert len(text) <= 6_000
    assert text.splitlines()[:3] == ["… 499 lines left out …", "line 499", "FAIL: test_first"]
    assert "test_second" not in text
    assert text.endswith("line 1999")


def test_long_output_without_a_failure_keeps_the_end() -> None:
    text = trim("\n".join(f"line {n}" for n in range(2000)))
    assert text.splitlines()[0] == "… 1970 lines left out …"
    assert len(text.splitlines()) == 31


def test_one_endless_line_is_cut() -> None:
    assert len(trim("x" * 1_000_000)) <= 6_010
