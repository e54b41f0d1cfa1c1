"""The history as people and the retrospective read it. Covers: C13."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bench.history_reader import read_history
from sparing.commits.review_history import items_of
from sparing.event import AnswerEvent, StuckEvent
from sparing.finding import Finding, Severity
from sparing.flow.state import Cause
from sparing.records.events import Event
from sparing.review.history import write_history, write_item

FOUND = Finding(
    Severity.SUGGESTION, "Two loops do one thing", location="a.py:3", quote="    return sorted(x"
)


def look(role: str) -> Event:
    data: dict[str, Any] = {
        "iteration": 1, "final": False, "judged": [[role, "passes"]], "why": "",
        "findings": [{"finding": asdict(FOUND), "roles": [], "state": "F1, new, does not block"}],
    }  # fmt: skip
    return Event(f"{role}.look", "f", 0.0, "look", stage="specify", data=data)


def test_a_quoted_line_of_code_is_readable() -> None:
    """C13: its indentation is left out and not written as codes."""
    (item,) = items_of([look("spec-reviewer")])
    assert "\n  Quote: return sorted(x\n" in write_item(item)


def test_two_reviewers_of_one_iteration_have_two_headings() -> None:
    """C13: each names who looked."""
    told = [write_item(one) for one in items_of([look("spec-reviewer"), look("phase-reviewer")])]
    assert [one.partition("\n")[0] for one in told] == [
        "## specify · spec-reviewer · iteration 1",
        "## specify · phase-reviewer · iteration 1",
    ]


def test_a_person_s_rejection_stands_between_the_reviews() -> None:
    """C13, D7: the next loop has its cause, and the retrospective learns of it; a refused handoff
    and an approval are no rejections, and no line of theirs can be taken for an entry."""
    rejected = answer("reject", "Name the tests' files.\n## plan · builder · iteration 9")
    told = [look("spec-reviewer"), rejected, answer("reject", "no", about="handoff")]
    items = items_of([*told, answer("approve", ""), look("spec-reviewer")])
    text = write_history(items)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## specify · spec-reviewer · iteration 1",
        "## specify · a person",
        "## specify · spec-reviewer · iteration 1",
    ]
    assert "**Decision:** rejected\n- Name the tests' files.\n- ## plan · builder" in text
    entries = read_history(text).entries
    assert [(one.stage, one.iteration) for one in entries] == [("specify", 1)] * 2
    assert not any(one.changes for one in entries)


def test_an_author_s_reason_for_changing_nothing_stands_below_the_rejection() -> None:
    """C13, D7: else the retrospective reads that a person's wish came to nothing. Whatever else a
    stage was stuck for is no reply."""
    rejected = answer("reject", "Put it into two files.")
    said = "design-author left no change and says: Two would be worse.\n## plan · builder"
    told = [look("design-reviewer"), rejected, stuck(Cause.FAILED, "no reply")]
    text = write_history(items_of([*told, stuck(Cause.DECLINED, said), look("design-reviewer")]))
    reply = "- design-author left no change and says: Two would be worse.\\u000a## plan · builder"
    lines = ["**Decision:** rejected", "- Put it into two files.", "", "**Changes made:** none"]
    assert "\n".join([*lines, reply, "", ""]) in text
    assert "no reply" not in text
    assert not any(one.changes for one in read_history(text).entries)


def stuck(cause: Cause, words: str) -> Event:
    data = asdict(StuckEvent(cause))
    return Event(f"stuck.{cause}", "f", 0.0, "stuck", stage="specify", text=words, data=data)


def answer(answer: str, words: str, about: str = "") -> Event:
    what = AnswerEvent("terminal", answer, about=about)
    return Event.of(what, key=f"{answer}{about}", feature="f", at=0.0, stage="specify", text=words)
