"""Every finding of a feature with what became of it, both sides' words and a person's ruling."""

from __future__ import annotations

import json
from typing import NamedTuple

from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.records.findings import FindingRow, RulingRow, findings_of, rulings_of
from sparing.review.merge import STRICTEST_FIRST
from sparing.review.tracking import Tracked


class FollowedFinding(NamedTuple):
    stage: str
    id: str
    severity: str
    state: str
    """new, repeated, regressed, contested, resolved or not repeated."""
    open: bool
    counts: bool
    """True if it keeps the review from passing."""
    roles: tuple[str, ...]
    category: str
    location: str
    text: str
    quote: str
    verified: bool
    """True if the quoted line is really there."""
    suggestion: str
    first: int
    last: int
    """The iteration in which it was raised last; `first` is that of the first time."""
    answer: str
    """The author's reply to it; empty if none."""
    ruling: str
    words: str
    """The person's words with the ruling."""


def followed(office: Office, row: FeatureRow) -> tuple[FollowedFinding, ...]:
    """Open findings first, the most severe first."""
    with office.database.read() as connection:
        rows = findings_of(connection, row.feature.key)
        rulings = {(one.stage, one.finding): one for one in rulings_of(connection, row.feature.key)}
    found = [
        _followed(one, tracked, rulings.get((one.stage, one.id)))
        for one in rows
        if not (tracked := Tracked.load(json.loads(one.body))).into
    ]
    order = [kind.value for kind in STRICTEST_FIRST]
    return tuple(sorted(found, key=lambda one: (not one.open, order.index(one.severity))))


def _followed(row: FindingRow, one: Tracked, ruling: RulingRow | None) -> FollowedFinding:
    finding, answer = one.finding, one.answer
    return FollowedFinding(
        stage=row.stage,
        id=row.id,
        severity=finding.severity.value,
        state=one.status.value,
        open=one.open,
        counts=one.counts,
        roles=one.roles or (row.role,),
        category=finding.category,
        location=finding.location,
        text=finding.text,
        quote=finding.quote,
        verified=finding.quote in one.quotes,
        suggestion=finding.suggestion,
        first=row.first,
        last=row.last,
        answer=f"{answer.kind}: {answer.words}" if answer else "",
        ruling=ruling.ruling if ruling else "",
        words=ruling.words if ruling else "",
    )
