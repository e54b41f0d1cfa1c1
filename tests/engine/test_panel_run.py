"""Whole runs in which two reviewers look in one turn. Covers: E10, C14, C18, I1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.records import ledger, verdicts
from tests.engine.quoting_reviewer import BEGAN
from tests.engine.records_of import records_of
from tests.repositories import git, make_repository
from tests.terminal import sparing

BOTH = "spec-reviewer+phase-reviewer"
APPROVED = '{"approved": true, "findings": [], "summary": "Good."}'
AUTHOR = """
[[turn]]
role = "{stage}-author"
reply = "Written."
[[turn.edit]]
path = "{{folder}}/{stage}.md"
text = '''# {stage}

## Problem Statement
Words are counted, and nobody sees which of them are the most frequent ones in a text.

## Acceptance Criteria
- AC-1: the ten most frequent words are listed with their counts, most frequent first.
'''
"""
SCRIPT = f"""
[[turn]]
role = "phase-reviewer"
prompt = "Send the verdict of phase-reviewer."
reply = '@REPAIR@'

[[turn]]
role = "phase-reviewer"
reply = '{{"approved": "perhaps", "findings": []}}'

[[turn]]
role = "*-reviewer"
reply = '{APPROVED}'
""" + "".join(AUTHOR.format(stage=stage) for stage in ("prd", "spec"))
MERGED = {"SPARING_REVIEW__PANEL": "merged"}


def specified(folder: Path, repair: str) -> tuple[list[tuple[str, str]], list[tuple[str, bool]]]:
    """Who was asked for what in `specify`, and the verdicts that were kept."""
    repository = make_repository(folder / "repository")
    (folder / "script.toml").write_text(SCRIPT.replace("@REPAIR@", repair))
    office = open_office(repository, {"state.folder": str(folder / "state")})
    given: dict[str, object] = {
        "agent.backend": "scripted",
        "agent.script": str(folder / "script.toml"),
        "engine.clock": "counted",
        "review.panel": "merged",
    }
    key = answers.start(office, "List words", "feature", given, BEGAN).feature.key
    environ = {
        "SPARING_STATE__FOLDER": str(folder / "state"),
        "SPARING_FLOW__GATES": "specify",
        "SPARING_FLOW__ASSISTANTS": "",
    }
    sparing(repository, "run", "1", "--no-input", environ=environ)
    with records_of(folder).read() as connection:
        rows = ledger.of_feature(connection, key)
        looks = verdicts.of_feature(connection, key, "specify")
    asked = [(one.attempt.role, one.attempt.template) for one in rows]
    return (
        [one for one in asked if "reviewer" in one[0]][2:],
        [(one.verdict.role, one.passed) for one in looks],
    )


def test_only_the_half_that_can_not_be_read_goes_back(tmp_path: Path) -> None:
    """C14, E10: one repair turn; the good half is kept as it was."""
    asked, passed = specified(tmp_path, APPROVED)
    assert asked == [(BOTH, "review"), (BOTH, "repair_reply")]
    assert passed == [("spec-reviewer", True), ("phase-reviewer", True)]


def test_whoever_stays_unreadable_in_a_panel_is_asked_by_itself(tmp_path: Path) -> None:
    """C14, E10: the specialist's verdict stands; alone, the second fails as any reviewer does."""
    asked, passed = specified(tmp_path, "I can not say.")
    assert asked[:3] == [(BOTH, "review"), (BOTH, "repair_reply"), ("phase-reviewer", "review")]
    assert passed[0] == ("spec-reviewer", True)


def demo(folder: Path, name: str, **environ: str) -> str:
    said = sparing(folder, "demo", "--keep", name, environ=environ)
    assert said.code == 0, said.err
    return git(folder / name / "wordtally", "rev-parse", "main")


def reviews(repository: Path) -> list[Any]:
    found = sparing(repository, "show", "reviews", "1", "--json").json["reviews"]
    names = ("stage", "iteration", "role", "decision", "findings")
    return [[one.get(name) for name in names] for one in found]


def history(repository: Path) -> str:
    """As it was last written."""
    path = "docs/features/001-list-the-most-frequent-words/.review-history.md"
    commit = git(
        repository, "log", "-1", "--full-history", "--format=%H", "--diff-filter=AM", "--", path
    )
    return git(repository, "show", f"{commit}:{path}")


@pytest.mark.nightly
def test_a_merged_demo_is_judged_as_a_separate_one(tmp_path: Path) -> None:
    """E10, C18: the same verdicts, and the same documents and code."""
    demo(tmp_path, "apart")
    demo(tmp_path, "merged", **MERGED)
    apart, merged = (tmp_path / name / "wordtally" for name in ("apart", "merged"))
    assert reviews(merged) == reviews(apart)
    assert history(merged) == history(apart)
    found = [sparing(one, "report", "1", "--json").json for one in (apart, merged)]
    steps = [{step["lever"]: step["saved"] for step in _naive(one)["levers"]} for one in found]
    assert "panel" not in steps[0]
    assert steps[1]["panel"] > 0
    # Whoever looked together is compared with the same naive way as whoever looked apart.
    assert _naive(found[1])["value"] == pytest.approx(_naive(found[0])["value"], rel=0.05)


def _naive(report: Any) -> Any:
    return next(one for one in report["savings"]["against"] if one["baseline"] == "naive")


@pytest.mark.nightly
def test_a_panel_killed_again_and_again_ends_with_the_same_commits(tmp_path: Path) -> None:
    """I1, E10: between the call and its verdicts, and between them and what is decided."""
    whole = demo(tmp_path, "whole", **MERGED)
    repository = tmp_path / "killed" / "wordtally"
    where, words = tmp_path, ("demo", "--keep", "killed")
    for point in ("judge:end@3", "call:end@2", "decide:end@2", "judge:end"):
        said = sparing(where, *words, environ={**MERGED, "SPARING_ENGINE__CRASH_AT": point})
        assert said.code == -9, f"{point}: {said.err}"
        where, words = repository, ("run", "--yes")
    again = sparing(repository, "run", "--yes", environ=MERGED)
    assert again.code == 0, again.err
    assert git(repository, "rev-parse", "main") == whole
