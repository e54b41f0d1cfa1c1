"""A reply that is no verdict, repaired in time or given by a judge. Covers: C14, F9"""

from __future__ import annotations

from pathlib import Path

from tests.engine.quoting_reviewer import REPAIRED, SCRIPT, start


def test_one_repair_turn_may_put_it_right(tmp_path: Path) -> None:
    """C14: the object alone counts, whichever way it goes."""
    quoting = start(tmp_path, REPAIRED + SCRIPT)
    assert quoting.say("run", "1", "--no-input").code == 2
    assert ("prd-reviewer", "repair_reply") in quoting.asked()
    assert quoting.passed() == [("prd-reviewer", True), ("readiness-reviewer", True)]


def test_a_judge_that_gives_no_verdict_sends_nobody_back(tmp_path: Path) -> None:
    """C14, F9: a tier's judge is held to the same; its builder is not asked again."""
    script = SCRIPT.replace("prd-author", "builder").replace("prd.md", "brainstorm.md")
    script = script.replace('"A wish."', r'"A wish.\n### HANDOFF\n- **Status**: completed"')
    quoting = start(tmp_path, script.replace("prd-reviewer", "judge"), "L3")
    found = quoting.say("run", "1", "--auto")
    assert found.code == 2
    assert "001 waits: no verdict: judge was asked twice; " in found.err
    judged = [("builder", "write"), ("judge", "judge"), ("judge", "repair_reply")]
    assert quoting.asked() == judged
