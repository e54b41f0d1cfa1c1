"""What an implementer reports, and the log the program keeps of it. Covers: D4."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.task_report import (
    LOG_TITLE,
    TaskReport,
    log_totals,
    read_report,
    with_entry,
)

HEADINGS = """Some talk before it.

## Implemented
The limiter.

## Tested
`pytest -q`: 3 passed

## Files Changed:
- `src/limit.py`: the limiter
- tests/test_limit.py, docs/limit.md
## Self-Review
fine
### Implementation Decisions
- token bucket
- one lock
## Deviations from plan
none
## Concerns
```
## Decisions
not this one
```
## Something else
left out
"""
LABELS = """**Implemented:** The limiter.
- **Files changed**: src/limit.py
Decisions: token bucket
  and one lock
__Concerns:__ clocks
"""


def test_headings_in_every_spelling() -> None:
    """D4: tolerant headers."""
    said = read_report(HEADINGS)
    assert said.implemented == "The limiter."
    assert said.files == ("src/limit.py", "tests/test_limit.py", "docs/limit.md")
    assert said.decisions == "- token bucket\n- one lock"
    assert (said.self_review, said.deviations) == ("fine", "none")
    assert "not this one" in said.concerns
    assert "left out" not in said.concerns


def test_labels_instead_of_headings() -> None:
    said = read_report(LABELS)
    assert said == TaskReport(
        implemented="The limiter.",
        files_changed="src/limit.py",
        decisions="token bucket\n  and one lock",
        concerns="clocks",
    )


def test_a_claim_that_nothing_was_to_do_is_seen() -> None:
    """D1: `already complete` is checked by the program."""
    assert read_report("All done: already complete, see tests/test_a.py").already_complete
    assert not read_report(HEADINGS).already_complete


@pytest.mark.parametrize("text", ["", "Done.", "{}"])
def test_an_empty_report_is_none(text: str) -> None:
    assert read_report(text).is_empty


def test_the_log_has_one_entry_a_task() -> None:
    """D4: header, heading, four bullets, missing = none; a repeated step adds nothing."""
    log = with_entry("", "1.1", "Add\nlimit", read_report(HEADINGS), ["src/limit.py"])
    assert log == (
        f"{LOG_TITLE}\n\n## Task 1.1: Add limit\n- **Files changed:** src/limit.py\n"
        "- **Decisions:** token bucket; one lock\n- **Deviations:** none\n"
        "- **Concerns:** ```; ## Decisions; not this one; ```\n"
    )
    twice = with_entry(log, "1.2", "Use it", TaskReport(), [])
    assert twice.endswith(
        "\n\n## Task 1.2: Use it\n- **Files changed:** none\n- **Decisions:** none\n"
        "- **Deviations:** none\n- **Concerns:** none\n"
    )
    assert with_entry(twice, "1.2", "Use it", TaskReport(), []) == twice


@given(st.text(), st.text())
def test_whatever_is_reported_stays_in_its_entry(words: str, title: str) -> None:
    """A report can't write another task's entry."""
    report = TaskReport(decisions=words, deviations=f"## Task 9: {words}", concerns=words)
    log = with_entry(with_entry("", "1", title, report, []), "2", "b", TaskReport(), [])
    assert log.count("\n## Task ") == 2


@given(st.text(alphabet="#*_ -:`~abdecisonf\n", max_size=300))
def test_every_text_is_read(text: str) -> None:
    read_report(text)


def test_how_it_ended() -> None:
    assert log_totals(["1", "2"], [], ["3"]) == "done: 1, 2; skipped: none; blocked: 3"
