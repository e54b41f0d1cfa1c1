"""A person's ruling on a finding: it must be fixed, or it may stay as it is.

A ruling is kept beside the finding and counts in every later review of that stage. At a gate where
a review has stopped, approving then means: continue according to the rulings.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.errors import FeatureError, UsageError
from sparing.event import RulingEvent
from sparing.feature import FeatureStatus
from sparing.flow.state import FlowState
from sparing.records import events, gates
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.findings import (
    FindingRow,
    RulingRow,
    findings_of,
    put_ruling,
    rulings_of,
)
from sparing.review.tracking import RulingKind, Tracked

VERBS = {"uphold": RulingKind.UPHELD, "dismiss": RulingKind.DISMISSED}


class UnsettledFinding(NamedTuple):
    """An unsettled finding, with the words of both reviewer and author."""

    stage: str
    id: str
    roles: tuple[str, ...]
    severity: str
    text: str
    location: str
    state: str
    times: int
    """How often it was raised."""
    counts: bool
    answer: str
    """The author's reply to it; empty if none."""
    ruling: str
    words: str

    def dump(self) -> JsonObject:
        return {**self._asdict(), "roles": list(self.roles)}


class RulingRequest(NamedTuple):
    """A ruling, and the finding it applies to."""

    finding: str
    kind: RulingKind
    words: str = ""
    stage: str = ""
    """Stage that the finding's id belongs to; empty for the feature's current one."""


class RulingReceipt(NamedTuple):
    finding: UnsettledFinding
    left: tuple[UnsettledFinding, ...]
    """Findings that count in the same stage and have no ruling yet."""
    waits: bool
    """True if the feature waits at a gate of this stage."""


def open_findings(office: Office, row: FeatureRow, stage: str = "") -> tuple[UnsettledFinding, ...]:
    with office.database.read() as connection:
        rows = findings_of(connection, row.feature.key, stage)
        rulings = {
            (one.stage, one.finding): one for one in rulings_of(connection, row.feature.key, stage)
        }
    return tuple(
        _open(one, tracked, rulings.get((one.stage, one.id)))
        for one in rows
        if (tracked := Tracked.load(json.loads(one.body))).open
    )


def rule(
    office: Office, row: FeatureRow, wish: RulingRequest, sender: str, at: float
) -> RulingReceipt:
    _refuse_over(row)
    said = answers.plain(wish.words, f'sparing rule {row.feature.id} {wish.finding} dismiss "why"')
    if wish.kind is RulingKind.DISMISSED and not said:
        raise UsageError(
            "a dismissal needs a reason: later reviewers are told",
            f'sparing rule {row.feature.id} {wish.finding} dismiss "say it here"',
        )
    stage = wish.stage or FlowState.load(row.place["state"]).stage
    found = _find(row, open_findings(office, row), stage, wish.finding)
    key = row.feature.key
    with office.database.write() as tx:
        put_ruling(tx, RulingRow(key, found.stage, found.id, wish.kind, said, at))
        told, stage = RulingEvent(found.id, wish.kind.value, sender), found.stage
        name = f"{key}.{stage}.{found.id}.{wish.kind}.{at}"
        events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=stage, text=said))
        gate = gates.waiting(tx, key)
    after = open_findings(office, row, found.stage)
    return RulingReceipt(
        next(one for one in after if one.id == found.id),
        tuple(one for one in after if one.counts and not one.ruling),
        gate is not None and gate.stage == found.stage,
    )


def _refuse_over(row: FeatureRow) -> None:
    if row.status in (FeatureStatus.COMPLETED, FeatureStatus.ABANDONED):
        number = row.feature.id
        raise FeatureError(f"feature {number} is {row.status}", f"sparing show {number}")


def _find(
    row: FeatureRow, known: tuple[UnsettledFinding, ...], stage: str, name: str
) -> UnsettledFinding:
    number = name.strip().upper().removeprefix("F").removeprefix("-")
    found = next((one for one in known if (one.stage, one.id) == (stage, f"F{number}")), None)
    if found is not None:
        return found
    here = ", ".join(one.id for one in known if one.stage == stage)
    if here:
        raise UsageError(f"{stage} has no open finding '{name}'", f"open there: {here}")
    elsewhere = next((one.stage for one in known), "")
    repair = (
        f"name the stage: --stage {elsewhere}" if elsewhere else f"sparing show {row.feature.id}"
    )
    raise FeatureError(f"nothing is open in {stage}", repair)


def _open(row: FindingRow, tracked: Tracked, ruling: RulingRow | None) -> UnsettledFinding:
    finding, answer = tracked.finding, tracked.answer
    return UnsettledFinding(
        stage=row.stage,
        id=row.id,
        roles=tracked.roles,
        severity=finding.severity.value,
        text=finding.text,
        location=finding.location,
        state=tracked.status.value,
        times=tracked.times,
        counts=tracked.counts,
        answer=f"{answer.kind}: {answer.words}" if answer else "",
        ruling=ruling.ruling if ruling else "",
        words=ruling.words if ruling else "",
    )
