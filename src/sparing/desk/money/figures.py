"""The report on one feature or all of them: figures of the loops beside what was billed.

Computed from the records alone: the ledger, the verdicts, the events and the prompts that were
kept. A figure that can't be determined is reported as missing, never taken as zero.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from sparing.desk.features.history import policies_of
from sparing.desk.money.closing import quality_of
from sparing.desk.money.efforts import other_efforts
from sparing.desk.money.feature_records import Basis, basis_of
from sparing.desk.money.lever_savings import economy_of
from sparing.desk.money.model_costs import model_costs
from sparing.desk.money.predictions import proof_figures
from sparing.desk.money.spending import (
    baseline_of,
    lines_of,
    prices_billed,
    prices_of,
    spent_on,
    turn_row,
)
from sparing.desk.money.thresholds import FEATURES, RunMarks, advice, asked_figures, claim_figures
from sparing.desk.money.turns import Turns, system_tokens
from sparing.desk.money.vendors import vendor_rows
from sparing.desk.office import Office
from sparing.desk.reviews.lever_quality import lever_quality
from sparing.desk.reviews.phase_approvals import phase_approvals, phase_figure
from sparing.desk.reviews.reviews import looks_of
from sparing.desk.reviews.yields import reviewers_of
from sparing.errors import StateError
from sparing.feature import FeatureStatus
from sparing.finding import Severity
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.records.findings import findings_of
from sparing.records.folder import StateFolder
from sparing.records.ledger import LedgerRow
from sparing.report.figures import LoopRow, Report
from sparing.report.spending import merged
from sparing.review.tracking import FindingStatus, Tracked
from sparing.segment import estimate_tokens

LATEST = 20
"""Number of features whose savings are recomputed: a replay takes up to a second each."""


def feature_report(office: Office, row: FeatureRow) -> Report:
    basis = basis_of(office, row)
    found = _report(office, [basis], row.feature.id, row.feature.title)
    efforts = other_efforts(office, row, found.spending.cost_usd)
    return replace(found, efforts=efforts, models=model_costs(office, basis))


def project_report(office: Office) -> Report:
    with office.database.read() as connection:
        rows = features.list_all(connection)
    begun = [basis_of(office, row) for row in rows if row.status is not FeatureStatus.PLANNED]
    return _report(office, begun, "all", "features of this repository")


def _report(office: Office, bases: Sequence[Basis], name: str, title: str) -> Report:
    own = prices_of(office)
    billed = prices_billed(own, [row for one in bases for row in one.ledger])
    lines = [lines_of(office, one.row, one.ledger, one.verdicts) for one in bases]
    pairs = zip(bases, lines, strict=True)
    spent = merged([spent_on(told, own, baseline_of(office, one.row)) for one, told in pairs])
    turns = tuple(turn for one in bases for turn in one.turns)
    enough = sum(bool(one.ledger) for one in bases) >= FEATURES
    statuses = {one.row.status.value for one in bases}
    told = RunMarks(sum(one.unread for one in bases), sum(one.fell_back for one in bases))
    rows = [row for one in bases for row in one.ledger]
    repeated = repeated_share(office.folder, rows)
    reviewers = reviewers_of(office, bases, spent.origin)
    return Report(
        feature=name,
        title=title,
        status=statuses.pop() if len(statuses) == 1 else "",
        spending=spent,
        loops=loops(turns),
        asked=(*asked_figures(turns, told, spent), phase_figure(phase_approvals(bases))),
        claims=claim_figures(turns, repeated, len(bases), spent),
        proof=proof_figures(rows, spent.origin),
        findings=_findings(office, bases),
        reviewers=reviewers,
        quality=quality_of(bases, reviewers, spent),
        levers=lever_quality(office, bases),
        vendors=vendor_rows(bases, reviewers),
        policies=policies_of(rows),
        economy=economy_of(office, bases[-LATEST:]),
        turns=tuple(turn_row(line, billed) for one in lines for line in one),
        advice=advice(turns, told) if enough else (),
    )


def loops(turns: Iterable[Turns]) -> tuple[LoopRow, ...]:
    """Review loops by stage and role; a role never sent back by a review has no loop."""
    groups: dict[tuple[str, str], list[Turns]] = {}
    for one in turns:
        if one.is_loop:
            groups.setdefault((one.stage, one.role), []).append(one)
    return tuple(_loop(*key, group) for key, group in groups.items())


def _loop(stage: str, role: str, group: Sequence[Turns]) -> LoopRow:
    ways = Counter(row.attempt.way for one in group for row in one.rows)
    return LoopRow(
        stage=stage,
        role=role,
        turns=sum(len(one.rows) for one in group),
        ways=dict(ways),
        sent_chars=sum(sum(one.chars) for one in group),
        fresh_chars=sum(sum(one.fresh_chars) for one in group),
        sent_tokens=sum(one.sent_tokens for one in group),
        full_tokens=sum(one.full_tokens for one in group),
    )


def repeated_share(folder: StateFolder, rows: Sequence[LedgerRow]) -> float | None:
    """Share of all prompt tokens in blocks that an earlier prompt contained verbatim."""
    total = repeated = 0
    known: set[str] = set()
    for row in rows:
        told = [(text, estimate_tokens(text)) for text in _blocks(folder, row.attempt.prompt)]
        for text, size in (_system(row), *told):
            total += size
            repeated += size if text in known else 0
            known.add(text)
    return repeated / total if total else None


def _system(row: LedgerRow) -> tuple[str, int]:
    """What identifies the system prompt, and its size: roles of a class share the neutral one."""
    sent = row.attempt.sent
    return sent.system or (sent.group or row.attempt.role).partition("/")[0], system_tokens(row)


def _blocks(folder: StateFolder, prompt: str) -> list[str]:
    try:
        segments = cast("list[list[object]]", json.loads(folder.fetch(prompt)))
    except (StateError, ValueError):
        return []
    return [str(one[1]) for one in segments]


def _findings(office: Office, bases: Sequence[Basis]) -> dict[str, dict[str, int]]:
    """As recorded by the run; for runs that recorded none, as derived from the verdicts."""
    counts: Counter[tuple[str, str]] = Counter()
    for basis in bases:
        for one in _tracked(office, basis):
            if not one.into:
                counts[one.finding.severity.value, one.status.value] += 1
    return {
        severity.value: {
            status.value: counts[severity.value, status.value]
            for status in FindingStatus
            if counts[severity.value, status.value]
        }
        for severity in Severity
    }


def _tracked(office: Office, basis: Basis) -> list[Tracked]:
    with office.database.read() as connection:
        kept = findings_of(connection, basis.row.feature.key)
    if kept:
        return [Tracked.load(json.loads(one.body)) for one in kept]
    ends = [list(looks_of(rows))[-1].after for rows in basis.stages]
    return [one for after in ends for one in after]
