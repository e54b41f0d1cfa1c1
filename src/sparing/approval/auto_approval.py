"""What auto mode has to see for itself: whether it is wanted, and whether green still holds."""

from __future__ import annotations

from dataclasses import replace

from sparing.approval.quota_reset import resume_due
from sparing.event import FeatureEvent
from sparing.flow.flows import FLOWS
from sparing.flow.state import Position
from sparing.implement.checks import checks_at
from sparing.records import events, gates, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.gates import RULE
from sparing.records.mailbox import Letter
from sparing.runtime.place_store import load_place
from sparing.runtime.surroundings import Surroundings
from sparing.stages.auto_gate import by_rule, unpassed_words
from sparing.stages.place import Place, is_last
from sparing.turn import StageStep
from sparing.workspace.git.commit import changed_files


def wants_rule(around: Surroundings, row: FeatureRow) -> bool:
    """Whether gates pass by rule: a setting of the user's, or their word for this run."""
    return around.auto or around.settings(row).flow.auto


def stops_of(around: Surroundings, row: FeatureRow) -> frozenset[str]:
    """The stages of a feature that stop for a person."""
    own = [stage.name for stage in FLOWS[row.feature.flow].stages if stage.gate]
    return around.settings(row).flow.stops(own)


def pass_waiting(around: Surroundings, row: FeatureRow, at: float) -> None:
    """A gate that waits from before auto mode was on: answered by the same rule, as a letter. A
    quota that is available again is waited for no longer, in any mode."""
    resume_due(around, row, at)
    if row.running or not wants_rule(around, row):
        return
    place = load_place(around.folder, row.place)
    if place.state.position is not Position.GATE:
        return
    if code_since_green(around, row, place):
        place = replace(place, talk=replace(place.talk, green=""))
    found = by_rule(place, stops_of(around, row), around.settings(row).flow.other_person)
    with around.database.write() as tx:
        gate = gates.waiting(tx, key := row.feature.key)
        if gate is None or mailbox.pending(tx, gate.id) or not found.passes:
            return
        letter = Letter(0, key, "approve", gate.id, "", RULE)
        mailbox.post(tx, f"{gate.id}.approve.{RULE}", letter, at)
        passed, name = FeatureEvent.PASSED, f"{gate.id}.{FeatureEvent.PASSED}"
        told = Event.of(passed, key=name, feature=key, at=at, stage=gate.stage, text=found.words)
        events.add(tx, told)


def may_answer_ahead(around: Surroundings, row: FeatureRow) -> bool:
    """Whether `--yes` may answer the gate at which a feature waits."""
    place = load_place(around.folder, row.place)
    held = place.talk.changed or place.state.stage in around.settings(row).flow.other_person
    return not held and not unpassed_words(place, stops_of(around, row))


def redefined(around: Surroundings, row: FeatureRow, place: Place) -> tuple[tuple[str, str], ...]:
    """Changes that an author made to the checks and that no one has agreed to, at the end of a
    flow, where no check runs any more."""
    if place.step is not StageStep.CLOSE or not is_last(place):
        return ()
    return tuple(checks_at(around, row, place.head).open(place.talk.agreed))


def code_since_green(around: Surroundings, row: FeatureRow, place: Place) -> bool:
    """Whether code was changed after the checks were green: a summary is written later."""
    green = place.talk.green
    if place.step is not StageStep.CLOSE or not green or green == place.head:
        return False
    own = f"{around.feature_folder(row)}/"
    files = changed_files(around.repository, green, place.head)
    return any(not one.path.startswith(own) for one in files)
