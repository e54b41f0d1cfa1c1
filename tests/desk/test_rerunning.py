"""A stage once more, from wherever a feature rests: a new generation, counters and sessions anew.

Covers: A6, C12, F7
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.cli.look.status import state_words
from sparing.desk.features.rerun import plan_rerun, rerun
from sparing.desk.features.view import feature_view
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.flow.state import FlowState, Outcome, OutcomeKind, Position
from sparing.records import events, features, findings, gates, sessions
from sparing.records.features import FeatureRow
from sparing.records.findings import FindingRow, RulingRow
from sparing.session import Session
from tests.desk.standing import APPROVE, NOW, PASSED, reload, settled, standing
from tests.repositories import commit_beside, commit_files, git, make_repository

AT = NOW + 20
TIMES: list[Any] = [NOW, NOW + 5, 1, False, []]
RESTS = ["at a gate", "stuck", "stuck, acceptable", "done", "abandoned"]


def done_again(office: Office, row: FeatureRow, stage: str = "") -> FeatureRow:
    rerun(office, row, stage, "terminal", AT)
    return reload(office, row)


def with_place(office: Office, row: FeatureRow, **changes: Any) -> FeatureRow:
    with office.database.write() as tx:
        assert features.move(tx, row, {**row.place, **changes}, row.head, NOW + 10)
    return reload(office, row)


def session(role: str) -> Session:
    return Session(f"s-{role}", role, "scripted", "m", 10, 20, 1, "c1", NOW)


def test_a_stage_is_begun_anew_from_any_place_of_rest(office: Office) -> None:
    """A6: finished and given up ones too, as long as nothing of them is merged."""
    for name in RESTS:
        row = standing(office, name)
        after = done_again(office, row, "plan")
        assert (after.generation, after.leg) == (row.generation + 1, row.leg + 1), name
        assert (after.status, after.running) == (FeatureStatus.ACTIVE, True)
        assert after.head == after.place["head"] == row.feature.base_commit
        state = FlowState.load(after.place["state"])
        assert (state.stage, state.position, state.rejects) == ("plan", Position.TODO, ())
        assert state.have == frozenset()


def test_until_it_runs_it_is_to_be_redone(office: Office) -> None:
    """A6, K1: nothing was interrupted, a person asked for it."""
    view = feature_view(office, done_again(office, standing(office, "at a gate"), "plan"))
    assert (view.answered, view.next_command) == ("rerun", "sparing run 001")
    assert state_words(view) == "plan is to be redone; that takes effect when it runs"


def test_without_a_stage_it_is_the_one_that_waits(office: Office) -> None:
    plan = plan_rerun(office, standing(office, "stuck"))
    assert (plan.stage, plan.ref) == (
        "plan", "refs/sparing/salvage/feature-001-feature-that-is-stuck-g0",
    )  # fmt: skip


def test_a_later_stage_goes_back_to_the_commit_before_it(office: Office) -> None:
    """What earlier stages made stays made; what comes after is to be made again."""
    row = standing(office, "done")
    before = commit_beside(office.repository.checkout, row.feature.base_commit, {"plan.md": "x"})
    marks = {"plan": [*TIMES, "b0"], "implement": [*TIMES, before], "done": [*TIMES, "b2"]}
    row = with_place(office, row, marks=marks, moves=9, baseline="hash")
    after = done_again(office, row, "implement")
    assert (after.head, list(after.place["marks"])) == (before, ["plan"])
    assert (after.place["moves"], after.place["baseline"]) == (9, "hash")
    assert {one.value for one in FlowState.load(after.place["state"]).have} == {"plan"}
    assert after.place["talk"]["rewind"] == f"{row.feature.branch}-g0"


def test_counters_and_sessions_begin_anew(office: Office) -> None:
    """C12, F7: after the breaker too."""
    no = Outcome(OutcomeKind.REJECT)
    row = settled(office, standing(office, "under way"), (PASSED, no, PASSED, no, PASSED, no))
    assert FlowState.load(row.place["state"]).rejects == (("plan", 3),)
    key = row.feature.key
    finding = FindingRow(key, "plan", "F1", "r", 1, 1, "open", "{}")
    with office.database.write() as tx:
        for stage in ("plan", "implement", "implement/1"):
            sessions.put(tx, key, stage, session("builder"))
        findings.put_findings(tx, [finding])
        findings.put_ruling(tx, RulingRow(key, "plan", "F1", "waived", "", NOW))
    after = done_again(office, row)
    assert FlowState.load(after.place["state"]).rejects == ()
    with office.database.read() as connection:
        kept = [sessions.get(connection, key, one, "builder") for one in ("plan", "implement")]
        assert kept == [None, None]
        assert findings.findings_of(connection, key) == ()
        assert len(findings.rulings_of(connection, key)) == 1, "people say a thing once"


def test_in_the_feature_flow_sessions_of_earlier_stages_stay(office: Office) -> None:
    """C12: each stage has its own there; a tier has one for all."""
    row = answers.start(office, "A longer one", "feature", {}, NOW)
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW + 1)
        sessions.put(tx, row.feature.key, "brainstorm", session("prd-author"))
        sessions.put(tx, row.feature.key, "specify", session("spec-author"))
    row = settled(office, row, (PASSED, APPROVE, PASSED))
    before = commit_beside(office.repository.checkout, row.feature.base_commit, {"prd.md": "x"})
    row = with_place(office, row, marks={"brainstorm": [*TIMES, "b0"], "specify": [*TIMES, before]})
    after = done_again(office, row, "specify")
    assert after.head == before
    with office.database.read() as connection:
        assert sessions.get(connection, row.feature.key, "brainstorm", "prd-author") is not None
        assert sessions.get(connection, row.feature.key, "specify", "spec-author") is None


def test_the_gate_has_its_answer_and_the_story_goes_on(office: Office) -> None:
    row = standing(office, "at a gate")
    done_again(office, row)
    with office.database.read() as connection:
        assert gates.waiting(connection, row.feature.key) is None
        told = events.last(connection, row.feature.key, "answered")
    assert told is not None
    assert (told.stage, told.data["answer"], told.data["by"]) == ("plan", "rerun", "terminal")


NONSENSE = (
    ("not begun", "", "sparing run {id}"),
    ("under way", "", "first: sparing pause {id}"),
    ("at a gate", "paln", "its stages: plan, implement, done"),
    ("at a gate", "implement", "skip ahead to it: sparing skip {id} implement"),
    ("done", "implement", "from its first stage: sparing rerun {id} plan"),
)


def test_a_rerun_that_makes_no_sense(office: Office) -> None:
    """K1: the command that helps, and nothing is written."""
    for name, stage, repair in NONSENSE:
        row = standing(office, name)
        with pytest.raises(SparingError) as caught:
            rerun(office, row, stage, "terminal", AT)
        assert caught.value.repair == repair.format(id=row.feature.id)
        assert reload(office, row) == row


def test_what_is_merged_stays_merged(tmp_path: Path) -> None:
    office = open_office(make_repository(tmp_path / "own", {"a.txt": "a"}))
    row = standing(office, "done")
    commit_files(office.repository.checkout, {"made.txt": "made"}, "merged by hand")
    head = git(office.repository.checkout, "rev-parse", "HEAD")
    with pytest.raises(SparingError) as caught:
        plan_rerun(office, replace(row, head=head), "plan")
    assert "is merged into" in caught.value.what


def test_an_answer_that_waits_counts_first(office: Office) -> None:
    row = standing(office, "at a gate")
    answers.approve(office, row, "page", NOW + 11)
    with pytest.raises(SparingError) as caught:
        rerun(office, row, "", "terminal", AT)
    assert "is already answered" in caught.value.what


def test_whoever_looked_too_early_changes_nothing(office: Office) -> None:
    row = standing(office, "at a gate")
    done_again(office, row)
    with pytest.raises(SparingError) as caught:
        rerun(office, row, "", "terminal", AT)
    assert "has changed in the meantime" in caught.value.what
