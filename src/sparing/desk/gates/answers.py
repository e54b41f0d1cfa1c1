"""A person's answers and requests. Each is stored as rows, which the engine obeys when it runs.

A request that makes no sense is refused here, with the reason, before anything is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any
from unicodedata import category

from sparing.artifact import ArtifactName
from sparing.connection import Connection
from sparing.desk.features.start_input import NOTHING, StartInput, with_start_input
from sparing.desk.gates.actions import choices
from sparing.desk.gates.other_person import refuse_starter
from sparing.desk.office import Office, rows_named, settings_of
from sparing.desk.projects.roadmaps import promised
from sparing.desk.shared_work import require_commits, with_commits
from sparing.errors import FeatureError, NotFound, StaleView, UsageError
from sparing.event import EditEvent
from sparing.feature import Feature, FeatureStatus, slugify
from sparing.flow.advance import advance, begin, needed
from sparing.flow.flows import FLOWS, PROJECT
from sparing.flow.state import GO_ON_HERE, Cause, Do, FlowState, Outcome, OutcomeKind, Position
from sparing.records import events, features, gates, mailbox
from sparing.records.features import FeatureRow
from sparing.records.mailbox import Letter
from sparing.workspace.git.base_branch import resolve_base, taken_numbers
from sparing.workspace.git.commit import read_file

TITLE_LIMIT = 200


def start(
    office: Office, title: str, flow: str, overrides: Mapping[str, object], at: float,
    beginning: StartInput = NOTHING,
) -> FeatureRow:  # fmt: skip
    """Create and store a new feature."""
    with office.database.write() as tx:
        row = _next_row(tx, office, title, flow, overrides, at, beginning)
        if features.get(tx, row.feature.key) is not None:
            raise FeatureError(f"there is a feature {row.feature.id} already", "sparing list")
        features.create(tx, row)
    return row


def planned(
    office: Office, title: str, flow: str, overrides: Mapping[str, object], at: float,
    beginning: StartInput = NOTHING,
) -> FeatureRow:  # fmt: skip
    """The feature that `start` would create, for preview: nothing is written."""
    with office.database.read() as connection:
        return _next_row(connection, office, title, flow, overrides, at, beginning)


def _next_row(
    connection: Connection,
    office: Office,
    title: str,
    flow: str,
    overrides: Mapping[str, object],
    at: float,
    beginning: StartInput,
) -> FeatureRow:
    """A row with the next number, a branch name and the base it will start from."""
    words, settings = checked_title(title), office.loaded.settings
    base = resolve_base(office.repository, settings.workspace.base_branch)
    taken = taken_numbers(office.repository, settings.flow.features_folder)
    used = (features.highest_number(connection), *taken, *promised(office), 0)
    number = beginning.number or 1 + max(used)
    row = new_row(office, words, flow, number, (base.branch or "", base.commit), overrides, at)
    return with_start_input(row, beginning)


def checked_title(text: str, repair: str = 'sparing start "Add rate limiting"') -> str:
    words = " ".join(text.split())
    if not words or len(words) > TITLE_LIMIT:
        raise UsageError(f"a feature is one sentence of at most {TITLE_LIMIT} characters", repair)
    refuse_controls(words, repair)
    return words


def plain(text: str, repair: str) -> str:
    """A person's text, stripped; raises an error if it can't be stored and shown."""
    said = text.strip()
    refuse_controls(said, repair)
    return said


def refuse_controls(text: str, repair: str) -> None:
    """Refuse broken UTF-8, which can't be stored, and control characters, which mislead readers."""
    if any(category(letter) in ("Cc", "Cs") and letter not in "\r\n\t" for letter in text):
        raise UsageError(
            "that is not plain text: it has control characters or broken bytes", repair
        )


def new_row(
    office: Office,
    title: str,
    flow: str,
    number: int,
    base: tuple[str, str],
    overrides: Mapping[str, object],
    at: float,
) -> FeatureRow:
    name = f"P{-number:03d}" if number < 0 else f"{number:03d}"
    key = f"{office.repository.key}-{name}"
    feature = Feature(
        key, number, slugify(title), title, flow, str(office.repository.checkout), *base, at
    )
    place: dict[str, Any] = {"state": begin(flow).dump(), "head": feature.base_commit}
    return FeatureRow(
        feature=feature,
        status=FeatureStatus.PLANNED,
        overrides=dict(overrides),
        generation=0,
        leg=0,
        place=place,
        head=feature.base_commit,
        running=False,
        updated=at,
        starter=office.person,
    )


def find(office: Office, name: str) -> FeatureRow:
    """A feature by number (`1`, `001`), full name or slug."""
    with office.database.read() as connection:
        rows = features.list_all(connection)
    found = rows_named(rows, name)
    if len(found) == 1:
        return with_commits(office, found[0])
    if not found:
        names = [row.feature.name for row in rows]
        near = get_close_matches(
            name.strip().lower(), [*names, *(row.feature.slug for row in rows)], n=1
        )
        hint = f"did you mean {near[0]}? " if near else ""
        raise NotFound(f"there is no feature '{name}' here", f"{hint}see them all: sparing list")
    ids = ", ".join(row.feature.id for row in found)
    raise FeatureError(
        f"'{name}' fits features {ids}", f"name one by its number: {found[0].feature.id}"
    )


def request_start(office: Office, row: FeatureRow, at: float) -> None:
    with office.database.write() as tx:
        letter = Letter(0, row.feature.key, "start", "", "", "run")
        mailbox.post(tx, f"{row.feature.key}.start", letter, at)


def approve(office: Office, row: FeatureRow, sender: str, at: float) -> str:
    return answer(office, row, Outcome(OutcomeKind.APPROVE), sender, at)


def reject(office: Office, row: FeatureRow, feedback: str, sender: str, at: float) -> str:
    said, repair = feedback.strip(), f'sparing reject {row.feature.id} "say it here"'
    if asks_handoff(row):
        said = said or GO_ON_HERE
    if not said:
        raise UsageError("a rejection has to say what should be different", repair)
    refuse_controls(said, repair)
    said = "\n\n".join(part for part in (said, _edited(office, row)) if part)
    return answer(office, row, Outcome(OutcomeKind.REJECT, reason=said), sender, at)


def asks_handoff(row: FeatureRow) -> bool:
    """Whether it waits for a decision about its session rather than about its work."""
    state = FlowState.load(row.place["state"])
    return state.position is Position.STUCK and state.cause is Cause.HANDOFF


def _edited(office: Office, row: FeatureRow) -> str:
    """Note for a resumed author, which has not seen what a person changed in the meantime."""
    with office.database.read() as connection:
        found = events.last(connection, row.feature.key, EditEvent.kind)
    what = found.what if found and found.key.startswith(f"{row.leg_id}.") else None
    if not isinstance(what, EditEvent):
        return ""
    files = ", ".join(what.files)
    return f"A person has changed {files} since your last turn: read it again, keep the changes."


def go_on(office: Office, row: FeatureRow, sender: str, at: float) -> str:
    """Continue after an obstacle is gone: repeats the interrupted work, nothing that is done."""
    return answer(office, row, Outcome(OutcomeKind.CONTINUE), sender, at)


def consent(office: Office, row: FeatureRow, settings: Mapping[str, object]) -> FeatureRow:
    """Store a person's settings for this feature alone: hand-over of its branch, agents used."""
    with office.database.write() as tx:
        features.override(tx, row, settings)
        return features.get(tx, row.feature.key) or row


def retry_handover(office: Office, row: FeatureRow, sender: str, at: float) -> bool:
    """Try again to merge a branch whose hand-over failed; False if that is not the case."""
    state = FlowState.load(row.place["state"])
    stays_out = state.position is Position.STUCK and state.held is Position.HANDOVER
    if not stays_out or row.running:
        return False
    with suppress(FeatureError):  # it was answered already
        go_on(office, row, sender, at)
    return True


def answer(
    office: Office, row: FeatureRow, outcome: Outcome, sender: str, at: float, repair: str = ""
) -> str:
    """Write the answer to the gate this row waits at; returns the stage it is for."""
    outcome = replace(outcome, unfit=unfit_of(office, row))
    with office.database.write() as tx:
        now = features.get(tx, row.feature.key) or row
        gate = gates.unanswered(tx, row.feature.key)
        # Who saw it at work means what came of that; who saw it wait means what stood there.
        if now.leg_id != row.leg_id or (now.head != row.head and not row.running):
            raise moved_on(now)
        if gate is None:
            raise _not_waiting(tx, now)
        state = FlowState.load(now.place["state"])
        refuse_starter(office, now, state, outcome)
        move = advance(state, outcome)
        if move.do is Do.REFUSE:
            raise FeatureError(move.note, repair or _repair(office, row, state, outcome))
        kind, body = outcome.kind.value, outcome.target or outcome.reason
        key = f"{gate.id}.{kind}.{hashlib.sha256(body.encode()).hexdigest()[:8]}"
        mailbox.post(tx, key, Letter(0, row.feature.key, kind, gate.id, body, sender), at)
    return gate.stage


def _not_waiting(tx: Connection, row: FeatureRow) -> FeatureError:
    """Why nothing can be answered; raises where somebody has."""
    if gate := gates.waiting(tx, row.feature.key):
        refuse_twice(tx, row, gate.id)
    return no_gate(row)


def unfit_of(office: Office, row: FeatureRow) -> tuple[tuple[ArtifactName, str], ...]:
    """Documents that the next stage can't build on: reported before the answer is accepted."""
    from sparing.briefing.fit_documents import unfit_documents

    head, names = require_commits(office, row), needed(FlowState.load(row.place["state"]))
    return unfit_documents(office.repository, row, head, names, settings_of(office, row))


def _repair(office: Office, row: FeatureRow, state: FlowState, outcome: Outcome) -> str:
    """What to suggest after an answer was refused."""
    from sparing.briefing.fit_documents import repair_of

    if outcome.unfit and advance(state, replace(outcome, unfit=())).do is not Do.REFUSE:
        name, folder = outcome.unfit[0][0], settings_of(office, row).flow.folder_of(row.feature)
        there = read_file(office.repository, row.head, f"{folder}/{name.filename}") is not None
        return repair_of(row.feature, name, there=there)
    return choices(row.feature.id, state)[0].command


def moved_on(now: FeatureRow) -> StaleView:
    """Error for an answer that came too late: it must not apply to what its sender never saw."""
    feature, stage = now.feature, FlowState.load(now.place["state"]).stage
    what = f"feature {feature.id} has changed in the meantime and is now at {stage}"
    return StaleView(what, f"sparing show {feature.id}")


def refuse_twice(connection: Connection, row: FeatureRow, gate: str) -> None:
    before = mailbox.pending(connection, gate)
    if before is not None:
        sent = datetime.fromtimestamp(mailbox.sent_at(connection, before.n), UTC)
        raise StaleView(
            f"this gate is already answered ({before.verb} by {before.sender} at"
            f" {sent.astimezone():%H:%M}); the answer takes effect when the feature runs",
            f"sparing run {row.feature.id}",
        )


def no_gate(row: FeatureRow) -> FeatureError:
    feature, state = row.feature, FlowState.load(row.place["state"])
    if row.status.is_over:
        return FeatureError(f"feature {feature.id} is {row.status}", f"sparing show {feature.id}")
    if row.status is FeatureStatus.PLANNED:
        return FeatureError(f"feature {feature.id} has not begun", f"sparing run {feature.id}")
    return FeatureError(
        f"feature {feature.id} is working on {state.stage}; nothing waits for an answer",
        "see its progress: sparing status",
    )


def check_flow(name: str) -> str:
    known = [flow for flow in FLOWS if flow != PROJECT.name]
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no flow '{name}'", f"{hint}flows: {', '.join(known)}")
    return name
