"""What a screen offers where a feature waits leads on; nothing else is offered.

Covers: A6, K1
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.artifact import ArtifactName
from sparing.desk.features.skip_and_back import plan_skip
from sparing.desk.features.view import choices_of
from sparing.desk.gates import answers, edits
from sparing.desk.gates.actions import GateAction, choices, leads_on, with_edit
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError, SparingError
from sparing.flow.advance import advance, begin
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, Do, FlowState, Outcome, OutcomeKind, Position
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.review.tracking import FindingStatus
from tests.desk.reviewing import CONCERN, DEFECT, followed
from tests.desk.standing import DOCUMENT, NOW, reload, settled, standing, started
from tests.repositories import commit_files, git, make_repository

KINDS = {
    "approve": OutcomeKind.APPROVE, "reject": OutcomeKind.REJECT, "resume": OutcomeKind.CONTINUE,
    "rerun": OutcomeKind.RERUN, "skip": OutcomeKind.SKIP, "answer": OutcomeKind.ANSWER,
}  # fmt: skip
ALL = frozenset(ArtifactName)
WORK = (
    OutcomeKind.PASSED,
    OutcomeKind.CAPPED_WARNINGS,
    OutcomeKind.CAPPED_BLOCKERS,
    OutcomeKind.REFUSED,
    OutcomeKind.FAILED,
)
CAUSES = st.sampled_from([Cause.FAILED, Cause.LOOP, Cause.QUESTIONS, Cause.BLOCKED])


def verbs(state: FlowState) -> list[str]:
    return [one.command.split()[1] for one in choices("001", state)]


@st.composite
def waiting_states(draw: st.DrawFn) -> FlowState:
    """Wherever a feature can come to wait, after any past."""
    flow = draw(st.sampled_from(["feature", "L1", "L2", "L3"]))
    state = begin(flow, draw(st.sampled_from(list(FLOWS[flow].names))), ALL)
    for _ in range(draw(st.integers(1, 6))):
        human = [OutcomeKind.APPROVE, OutcomeKind.REJECT, OutcomeKind.RERUN, OutcomeKind.CONTINUE]
        kind = draw(st.sampled_from([*WORK, *human]))
        outcome = Outcome(kind, reason=draw(st.sampled_from(["", "checks are red: x"])),
                          cause=draw(CAUSES))  # fmt: skip
        state = advance(state, outcome).state
    return state


@given(waiting_states())
def test_no_command_is_offered_that_would_be_refused(state: FlowState) -> None:
    for verb in verbs(state):
        if verb in KINDS:
            move = advance(state, Outcome(KINDS[verb]))
            assert move.do is not Do.REFUSE, f"{verb}: {move.note}"
    if state.position in (Position.GATE, Position.STUCK):
        assert verbs(state)


@given(waiting_states())
def test_what_a_person_changed_can_be_gone_on_with(state: FlowState) -> None:
    """A6: a document is approved; code is checked again, and not believed."""
    if state.position is not Position.STUCK or state.held is Position.HANDOVER:
        return
    after = with_edit(state)
    assert leads_on(after, OutcomeKind.APPROVE) or leads_on(after, OutcomeKind.CONTINUE)
    assert {"approve", "resume"} & set(verbs(after))


def stuck(stage: str, flow: str = "L1", reason: str = "checks are red: test") -> FlowState:
    return advance(begin(flow, stage, ALL), Outcome(OutcomeKind.FAILED, reason=reason)).state


def test_red_checks() -> None:
    """A6: nobody is led past them; after an edit the checks come first."""
    assert verbs(stuck("implement")) == ["reject", "edit", "resume", "rerun"]
    assert verbs(with_edit(stuck("implement")))[0] == "resume"
    words = {one.command: one.words for one in choices("001", stuck("implement"))}
    assert words["sparing resume 001"] == "run the checks again"


def test_after_a_failed_set_up_only_another_try_is_offered() -> None:
    """A6, K1: no document and no code is what is wrong."""
    assert verbs(stuck("plan", reason="set-up failed: uv sync: uv is not installed")) == ["resume"]


def test_findings_that_hold_a_review_up_can_be_ruled_on() -> None:
    """C9: beside what takes the result as it is."""
    state = advance(begin("feature", "specify", ALL), Outcome(OutcomeKind.CAPPED_BLOCKERS)).state
    found = [one.command for one in choices("001", state, findings=True)]
    assert found[:2] == ["sparing approve 001", "sparing rule 001"]
    assert "sparing rule 001" not in [one.command for one in choices("001", state)]


def test_a_stuck_review_offers_to_rule_on_what_counts(office: Office) -> None:
    """C9: and nothing to rule on where all is settled."""
    row = standing(office, "stuck, acceptable")
    followed(office, row, "F1", DEFECT, status=FindingStatus.RESOLVED)
    followed(office, row, "F2", CONCERN, counts=False)
    rule = GateAction("sparing rule 001", "see open findings, decide what may stay")
    assert rule not in choices_of(office, row)
    followed(office, row, "F3", DEFECT)
    assert rule in choices_of(office, row)


def test_a_rejection_that_leads_nowhere_is_not_offered() -> None:
    """A6: after three of them only another beginning helps, or the person's own version."""
    state = begin("L1", "plan", ALL)
    for _ in range(3):
        state = advance(
            advance(state, Outcome(OutcomeKind.PASSED)).state, Outcome(OutcomeKind.REJECT)
        ).state
    assert state.reason == "rejected 3 times"
    assert "reject" not in verbs(state)
    assert verbs(state)[:2] == ["edit", "rerun"]
    assert verbs(with_edit(state))[0] == "approve"


def test_a_refused_skip_names_what_works(office: Office) -> None:
    """K1: at the last stage there is nothing to skip to, and nothing to approve either."""
    row = started(office)
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW)
    passed = Outcome(OutcomeKind.PASSED)
    row = settled(
        office,
        row,
        (passed, Outcome(OutcomeKind.APPROVE), passed, Outcome(OutcomeKind.FAILED, reason="lost")),
    )
    with pytest.raises(SparingError) as caught:
        plan_skip(office, row)
    assert caught.value.what == "nothing comes after done"
    assert caught.value.repair == 'sparing reject 001 "what should be different"'


def test_a_refused_approval_names_what_works(office: Office) -> None:
    row = standing(office, "stuck")
    with pytest.raises(SparingError) as caught:
        answers.approve(office, row, "terminal", NOW)
    assert caught.value.repair == choices_of(office, row)[0].command


@pytest.fixture
def written(tmp_path: Path) -> tuple[Office, FeatureRow]:
    """A feature that is stuck after its plan was written, in a repository of its own."""
    office = open_office(make_repository(tmp_path / "r"))
    row = started(office)
    plan = f"docs/features/{row.feature.name}/plan.md"
    commit_files(office.repository.checkout, {plan: "# Plan\n\nAs it is.\n"}, "a plan")
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW)
    row = settled(office, row, (Outcome(OutcomeKind.FAILED, reason="garbage: no plan in it"),))
    head = git(office.repository.checkout, "rev-parse", "main")
    with office.database.write() as tx:
        assert features.move(tx, row, {**row.place, "head": head}, head, NOW)
    return office, reload(office, row)


def test_a_person_s_own_version_of_a_stuck_document_is_approved(
    written: tuple[Office, FeatureRow],
) -> None:
    """A6: before it nothing can be approved; after it that is the first thing to do."""
    office, row = written
    with pytest.raises(SparingError):
        answers.approve(office, row, "terminal", NOW)
    given_ = edits.draft(office, row)
    assert given_ is not None
    edits.take_text(office, row, given_, "# Plan\n\nAs I want it.\n", "terminal", NOW)
    with pytest.raises(FeatureError) as caught:
        answers.approve(office, reload(office, row), "terminal", NOW)
    assert caught.value.repair == "sparing edit 001 plan"
    assert "plan.md has 21 characters, fewer than 100" in caught.value.what
    taken = edits.take_text(office, reload(office, row), given_, DOCUMENT, "terminal", NOW)
    row = reload(office, row)
    assert row.head == taken.commit
    assert choices_of(office, row)[0].command == "sparing approve 001"
    assert answers.approve(office, row, "terminal", NOW) == "plan"


def test_an_edit_that_was_cut_off_after_its_commit(written: tuple[Office, FeatureRow]) -> None:
    """A6, D2: the branch has it and the row does not know; the same edit again finds its commit."""
    office, row = written
    given_ = edits.draft(office, row)
    assert given_ is not None
    text = "# Plan\n\nAs I want it.\n"
    first = edits.take_text(office, row, given_, text, "terminal", NOW)
    cut = reload(office, row)
    with office.database.write() as tx:  # as if the process had died before its transaction
        assert features.move(tx, cut, row.place, row.head, NOW)
        tx.execute("delete from events where kind = 'edited'")
    again = edits.take_text(office, reload(office, row), given_, text, "terminal", NOW + 60)
    assert again.commit == first.commit
    assert reload(office, row).head == first.commit
    branch = row.feature.branch
    assert git(office.repository.checkout, "rev-list", "--count", f"main..{branch}") == "1"
