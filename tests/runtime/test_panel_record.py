"""What the records say of the second reviewer, from which `auto` decides. Covers: E10."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.finding import Finding, Severity, Verdict
from sparing.panel import ENOUGH_LOOKS, SECOND, PanelMode
from sparing.records import findings, verdicts
from sparing.records.findings import FindingRow
from sparing.records.verdicts import VerdictRow
from sparing.review.panel_rule import LookApart, PanelRule, quiet_looks
from sparing.review.tracking import Ruling, RulingKind, Tracked
from sparing.runtime.panel_record import looks_apart, panel_rule
from sparing.runtime.surroundings import Surroundings
from tests.payment.spending import new_feature, surroundings

BLOCKER = Finding(Severity.BLOCKER, "Nobody says who may call it")
WARNING = Finding(Severity.WARNING, "The limit is not named")


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return surroundings(tmp_path)


def look(
    around: Surroundings, number: int, *found: Finding, merged: bool = False, key: str = "",
    iteration: int = 1, dismissed: bool = False, role: str = SECOND,
) -> str:  # fmt: skip
    """One look of the phase-reviewer, with what it was the first to raise; tells the feature."""
    key = key or new_feature(around, number + 1).feature.key
    dispatch = f"d{number}{'.second' if merged else ''}"
    verdict = Verdict(role, approved=not found, findings=found)
    row = VerdictRow(dispatch, key, "specify", iteration, "c", not found, verdict, float(number))
    ruling = Ruling("F1", RulingKind.DISMISSED) if dismissed else None
    tracked = [Tracked(f"F{n}", one, (role,), ruling=ruling) for n, one in enumerate(found, 1)]
    with around.database.write() as tx:
        verdicts.put(tx, row)
        findings.put_findings(
            tx,
            [
                FindingRow(
                    key, "specify", one.id, role, iteration, iteration, "new",
                    json.dumps(one.dump()),
                )
                for one in tracked
            ],
        )  # fmt: skip
    return key


def found_in(around: Surroundings) -> list[bool]:
    with around.database.read() as connection:
        return [one.found for one in sorted(looks_apart(connection))]


def test_only_a_blocker_of_its_own_is_a_find(around: Surroundings) -> None:
    """E10: not a warning, not what a person dismissed, not what somebody else raised."""
    look(around, 0)
    look(around, 1, BLOCKER)
    look(around, 2, WARNING)
    look(around, 3, BLOCKER, dismissed=True)
    look(around, 4, BLOCKER, role="spec-reviewer")
    assert found_in(around) == [False, True, False, False]


def test_a_look_in_one_turn_says_nothing_for_merging(around: Surroundings) -> None:
    """E10: nor does a quiet look alone that follows it; what it finds there was overlooked."""
    key = look(around, 0, merged=True)
    look(around, 1, key=key, iteration=2)
    assert found_in(around) == []
    look(around, 2, BLOCKER, key=key, iteration=3)
    assert found_in(around) == [True]


def test_one_find_restores_separate_turns(around: Surroundings) -> None:
    """E10: quiet looks are counted from the last find on, over all features."""
    look(around, 0, BLOCKER)
    for number in range(1, 4):
        look(around, number)
    with around.database.read() as connection:
        assert quiet_looks(looks_apart(connection)) == 3
        assert looks_apart(connection)[-1] == LookApart(0.0, found=True)


def test_the_records_are_asked_only_where_they_decide(around: Surroundings) -> None:
    """E10: `separate` is the default and merges nothing, however quiet it was."""
    row = new_feature(around, 99)
    for number in range(ENOUGH_LOOKS):
        look(around, number)
    rule = panel_rule(around, row)
    assert rule == PanelRule(PanelMode.SEPARATE, 0, row.feature.key)
    assert not rule.merges("specify")


@pytest.mark.parametrize(
    ("setting", "line", "apart"),
    [
        ("roles.backends", "security-reviewer codex", ()),
        ("roles.backends", "spec-reviewer codex", ("specify",)),
        ("models.roles", "plan-reviewer cheap", ("create-plan",)),
        ("roles.stay", "design-reviewer", ("design",)),
        (
            "roles.backends",
            "phase-reviewer codex",
            ("specify", "design", "create-plan", "create-tasks"),
        ),
    ],
)
def test_two_look_apart_where_they_have_different_agents_or_models(
    around: Surroundings, setting: str, line: str, apart: tuple[str, ...]
) -> None:
    """G5, E10: only those two; reviewers of other stages still look in one turn."""
    row = new_feature(around, 1)
    own = {**row.overrides, "review.panel": "merged", setting: (line,)}
    row = replace(row, feature=replace(row.feature, flow="feature"), overrides=own)
    rule = panel_rule(around, row)
    assert rule == PanelRule(PanelMode.MERGED, 0, row.feature.key, frozenset(apart))
    assert [rule.merges(one) for one in ("specify", "design")] == [
        one not in apart for one in ("specify", "design")
    ]
