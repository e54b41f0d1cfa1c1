"""Features that stand somewhere, as an engine leaves them, without running one."""

from __future__ import annotations

from pathlib import Path

from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.feature import FeatureStatus
from sparing.flow.advance import advance
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState, Outcome, OutcomeKind, Position
from sparing.records import features, gates
from sparing.records.features import FeatureRow
from sparing.stages.place import Mark, Place
from tests.repositories import commit_beside

NOW = 1_767_225_600.0
DOCUMENT = "# A document\n\n## Steps\n" + "1. Something is done, and it is said how.\n" * 3
"""Long enough to build on."""
STATUS = {Position.DONE: FeatureStatus.COMPLETED, Position.ABANDONED: FeatureStatus.ABANDONED}

# What happened to a feature of tier L1, by the words that tests use for where it then stands.
PASSED, APPROVE = Outcome(OutcomeKind.PASSED), Outcome(OutcomeKind.APPROVE)
STATES: dict[str, tuple[Outcome, ...]] = {
    "not begun": (),
    "under way": (),
    "at a gate": (PASSED,),
    "stuck, acceptable": (Outcome(OutcomeKind.CAPPED_WARNINGS),),
    "stuck": (Outcome(OutcomeKind.FAILED, reason="checks are red: tests"),),
    "done": (PASSED, APPROVE, PASSED, PASSED, APPROVE, PASSED),
    "abandoned": (Outcome(OutcomeKind.ABANDON),),
}


def started(
    office: Office, title: str = "Add rate limiting", flow: str = "L1", **own: str
) -> FeatureRow:
    return answers.start(office, title, flow, own, NOW)


def standing(office: Office, name: str) -> FeatureRow:
    """A new feature, brought to one of the states above."""
    row = started(office, f"Feature that is {name}")
    if name == "not begun":
        return row
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW + 1)
    return reload(office, row) if name == "under way" else settled(office, row, STATES[name])


def settled(office: Office, row: FeatureRow, outcomes: tuple[Outcome, ...]) -> FeatureRow:
    """Its running leg has ended, after these outcomes."""
    state = FlowState.load(row.place["state"])
    marks: dict[str, Mark] = {}
    for outcome in outcomes:
        if outcome.kind is OutcomeKind.PASSED:
            marks[state.stage] = Mark(NOW, NOW + 5, 1)
        state = advance(state, outcome).state
    head = committed(office, row, state)
    place = Place(state, head, marks=marks)
    now = reload(office, row)
    status = STATUS.get(state.position, FeatureStatus.ACTIVE)
    with office.database.write() as tx:
        numbers = (now.generation, now.leg)
        assert features.settle(tx, row.feature.key, numbers, place.dump(), head, status, NOW + 9)
        if state.position in (Position.GATE, Position.STUCK):
            kind = state.position.value
            gate = gates.Gate(now.leg_id, row.feature.key, state.stage, kind, state.reason, NOW + 9)
            gates.open_gate(tx, gate)
    return reload(office, row)


def committed(office: Office, row: FeatureRow, state: FlowState) -> str:
    """A commit with the documents that the feature has by now, and its stage's own."""
    own = FLOWS[state.flow].stage(state.stage).writes
    folder = office.loaded.settings.flow.folder_of(row.feature)
    names = sorted({*state.have, *((own,) if own else ())})
    files = {f"{folder}/{name.filename}": DOCUMENT for name in names}
    return commit_beside(office.repository.checkout, row.feature.base_commit, files)


def answered(office: Office, row: FeatureRow) -> FeatureRow:
    """The engine has obeyed an approval: the next leg is about to run."""
    with office.database.write() as tx:
        assert gates.answer(tx, row.leg_id, "approve", "", "page", NOW + 10)
        features.next_leg(tx, row, NOW + 10)
    return reload(office, row)


def reload(office: Office, row: FeatureRow) -> FeatureRow:
    with office.database.read() as connection:
        found = features.get(connection, row.feature.key)
    assert found is not None
    return found


def made_folder(root: Path, *names: str) -> None:
    for name in names:
        (root / name).mkdir(parents=True)
        (root / name / "spec.md").write_text("# Spec\n")
