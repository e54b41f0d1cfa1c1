"""`implementation-log.md` as the program keeps it. Covers: D4, D5."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparing.change import FileChange
from sparing.context.documents.task_report import TaskReport
from sparing.implement.evidence import red_words
from sparing.implement.facts import Checked
from sparing.implement.log import LogEntry, with_divergences, with_log_entries
from sparing.task_progress import TaskProgress
from sparing.workspace.checks.run import CheckResult

FILES = (FileChange("a.py", 3, 1), FileChange("b.py", 2, 0))
WORDS = st.text("abc #-*\n`:", max_size=40)


def entry(number: str, decisions: str = "") -> LogEntry:
    return LogEntry(number, f"Title {number}", TaskReport(decisions=decisions), ("a.py",))


def test_totals_are_last_and_always_new() -> None:
    """D4: files changed from git; tasks done, skipped, blocked."""
    text = with_log_entries("", [entry("1")], TaskProgress(done=("1",)), FILES[:1])
    text = with_log_entries(
        text, [entry("2")], TaskProgress(done=("1",), skipped=(("2", "x"),)), FILES
    )
    assert text.count("## Totals") == 1
    assert text.endswith(
        "## Totals\n- files changed by the tasks: 2 (+5 -1)\n- done: 1; skipped: 2; blocked: none\n"
    )
    assert text.index("## Task 1: ") < text.index("## Task 2: ") < text.index("## Totals")


def test_what_was_accepted_stays_when_tasks_are_written_anew() -> None:
    """D5"""
    text = with_divergences(
        with_log_entries("", [entry("1")], TaskProgress(), ()), ["test_deep (t.T)"]
    )
    text = with_divergences(text, ["test_deep (t.T)", "test_more"])
    text = with_log_entries(text, [entry("1", "changed")], TaskProgress(), ())
    assert "## Divergences accepted\n- test_deep (t.T)\n- test_more\n\n## Totals" in text
    assert "- **Decisions:** changed" in text


@given(WORDS, WORDS)
def test_a_step_that_is_played_again_writes_the_same(first: str, second: str) -> None:
    """H3: whatever an agent put into its report."""
    once = with_log_entries("", [entry("1", first), entry("2", second)], TaskProgress(), FILES)
    assert (
        with_log_entries(once, [entry("1", first), entry("2", second)], TaskProgress(), FILES)
        == once
    )
    assert once.count("## Totals") == 1


def test_a_test_that_hangs_is_said_to() -> None:
    """Bad input: nobody has to guess why it took so long."""
    hung = CheckResult("test", "make test", False, "it did not end; stopped after 600 s", "")
    assert red_words(Checked((hung,), None)) == (
        "checks are red: test (it did not end; stopped after 600 s)"
    )
