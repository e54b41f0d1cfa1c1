"""A reply that is no verdict: one repair turn, then a person, and never an author. Covers: C14."""

from __future__ import annotations

from pathlib import Path

from tests.engine.quoting_reviewer import SCRIPT, start


def test_prose_that_quotes_an_approval_and_refuses_goes_to_a_person(tmp_path: Path) -> None:
    """C14: no approval, one repair turn, no author's turn; then it goes on from there."""
    quoting = start(tmp_path, SCRIPT)
    found = quoting.say("run", "1", "--auto")
    assert found.code == 2
    assert "001 waits: no verdict: prd-reviewer was asked twice; " in found.err
    assert "The goal has no measure at all. I do not approve." in found.err
    assert "sparing resume 001" in found.err
    asked = [("prd-author", "write"), ("prd-reviewer", "review"), ("prd-reviewer", "repair_reply")]
    assert (quoting.asked(), quoting.passed()) == (asked, [("prd-reviewer", False)])
    fixed = SCRIPT.replace('role = "prd-reviewer"', 'role = "nobody"')
    (tmp_path / "script.toml").write_text(fixed)
    assert quoting.say("resume", "1").code == 0
    again = quoting.say("run", "1", "--no-input")
    assert "001 waits: your approval of brainstorm" in again.err
    more = [("prd-reviewer", "review"), ("readiness-reviewer", "review")]
    assert quoting.asked() == [*asked, *more]
