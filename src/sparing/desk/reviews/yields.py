"""What reviewers found, from the verdicts and their bills, over one feature or many."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sparing.desk.money.feature_records import Basis
from sparing.desk.office import Office
from sparing.desk.reviews.reviews import looks_of
from sparing.economy.reviewers import (
    Post,
    PricedLook,
    RaisedFinding,
    Yield,
    advice,
    by_role,
    yields,
)
from sparing.finding import Severity
from sparing.panel import SECOND
from sparing.records.findings import findings_of
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow
from sparing.report.reviewers import Reviewers, SecondReviewer, YieldRow
from sparing.review.panel_rule import quiet_looks
from sparing.review.tracking import FindingStatus, RulingKind, Tracked
from sparing.runtime.panel_record import looks_apart


def reviewers_of(office: Office, bases: Sequence[Basis], origin: str) -> Reviewers:
    looks = [look for basis in bases for look in _looks(basis)]
    raised = [one for basis in bases for one in _raised(office, basis)]
    found = yields(looks, raised)
    return Reviewers(
        tuple(map(_row, found)),
        tuple(map(_row, by_role(found))),
        tuple(one.words for one in advice(found)),
        origin,
        _second(office, looks, found),
    )


def _second(office: Office, looks: Sequence[PricedLook], found: Sequence[Yield]) -> SecondReviewer:
    """Figures for and against merging its turn with the first's, over the whole repository."""
    with office.database.read() as connection:
        apart = looks_apart(connection)
    return SecondReviewer(
        looks=sum(one.post.role == SECOND for one in looks),
        accepted=sum(one.accepted for one in found if one.post.role == SECOND),
        apart=len(apart),
        missed=sum(one.found for one in apart),
        quiet=quiet_looks(apart),
    )


def _row(one: Yield) -> YieldRow:
    return YieldRow(
        *one.post, one.looks, one.blockers, one.accepted, one.settled, one.nano_usd, one.each
    )


def _looks(basis: Basis) -> Iterator[PricedLook]:
    bills, models = _bills(basis.ledger), _models(basis)
    looked = Counter(one.turn for one in basis.verdicts)
    for one in basis.verdicts:
        bill = bills.get(one.turn)
        # Of a turn with two verdicts nobody knows which one cost what: each has half.
        yield PricedLook(_post(one, models), None if bill is None else bill // looked[one.turn])


def _models(basis: Basis) -> dict[str, str]:
    return {row.attempt.dispatch: row.attempt.model for row in basis.ledger}


def _post(one: VerdictRow, models: dict[str, str]) -> Post:
    return Post(one.verdict.role, models.get(one.turn, ""), one.stage)


class _First(NamedTuple):
    """Who raised a finding first, and with what severity."""

    posts: tuple[Post, ...]
    blocker: bool


def _raised(office: Office, basis: Basis) -> Iterator[RaisedFinding]:
    models, dismissed = _models(basis), _dismissed(office, basis)
    for rows in basis.stages:
        first: dict[str, _First] = {}
        after: tuple[Tracked, ...] = ()
        for look in looks_of(rows):
            after = look.after
            posts = {one.verdict.role: _post(one, models) for one in look.verdicts}
            for one in after:
                who = tuple(posts[role] for role in one.roles if role in posts)
                blocker = one.finding.severity is Severity.BLOCKER
                first.setdefault(one.id, _First(who, blocker))
        for one in after:
            accepted = (
                one.status is FindingStatus.RESOLVED and (rows[0].stage, one.id) not in dismissed
            )
            yield from _counted(one, first[one.id], accepted=accepted)


def _counted(one: Tracked, first: _First, *, accepted: bool) -> Iterator[RaisedFinding]:
    if one.into or one.finding.severity is Severity.SUGGESTION:
        return
    for post in first.posts:
        others = tuple(other.role for other in first.posts if other != post)
        yield RaisedFinding(post, first.blocker, accepted, others)


def _dismissed(office: Office, basis: Basis) -> set[tuple[str, str]]:
    """Findings that a person allowed to stay, by stage and id."""
    with office.database.read() as connection:
        kept = findings_of(connection, basis.row.feature.key)
    tracked = [(one.stage, Tracked.load(json.loads(one.body))) for one in kept]
    return {
        (stage, one.id)
        for stage, one in tracked
        if one.ruling is not None and one.ruling.kind is RulingKind.DISMISSED
    }


def _bills(rows: Iterable[LedgerRow]) -> dict[str, int]:
    """Known cost of each dispatch."""
    found: dict[str, int] = {}
    for row in rows:
        if row.result is not None and row.result.nano_usd is not None:
            name = row.attempt.dispatch
            found[name] = found.get(name, 0) + row.result.nano_usd
    return found
