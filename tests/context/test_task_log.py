"""An implementation log, read back. Covers: D4, D6."""

from __future__ import annotations

from sparing.context.documents.task_report import Logged, TaskReport, read_log, with_entry


def test_what_the_program_logs_is_read_back() -> None:
    """D6: the hand-over lists decisions and deviations."""
    report = TaskReport(decisions="- a queue\n- no lock", deviations="none", concerns="slow")
    log = with_entry("", "1.1", "Build it", report, ["a.py"])
    log = with_entry(log, "1.2", "Use it", TaskReport(deviations="no cache"), [])
    assert read_log(log) == Logged(("1.1: a queue; no lock",), ("1.2: no cache",), ("1.1: slow",))


def test_hands_may_have_been_at_it() -> None:
    text = "## T3\n* Decision: keep it\nplain words\n- **Deviations**: None.\n- Files: a\n##\n"
    assert read_log(text) == Logged(("T3: keep it",))
    assert read_log("") == Logged()
