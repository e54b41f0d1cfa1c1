"""How often the phase-reviewer approved what the first reviewer had not passed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.desk.money.feature_records import Basis
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage
from sparing.panel import SECOND
from sparing.records.verdicts import VerdictRow
from sparing.report.figures import Figure

NAME = "phase approvals after a domain reviewer failed"


class PhaseApprovals(NamedTuple):
    after_fail: int = 0
    all: int = 0


def phase_approvals(bases: Iterable[Basis]) -> PhaseApprovals:
    found = [
        one
        for basis in bases
        for rows in basis.stages
        for stage in FLOWS[basis.row.feature.flow].stages
        if stage.name == rows[0].stage
        for one in _counted(stage, rows)
    ]
    return PhaseApprovals(sum(found), len(found))


def _counted(stage: Stage, rows: Iterable[VerdictRow]) -> Iterable[bool]:
    """For each approval by the phase-reviewer: whether an earlier reviewer's last verdict fails."""
    groups = {role: number for number, group in enumerate(stage.reviewers) for role in group}
    last: dict[str, bool] = {}
    for row in rows:
        role = row.verdict.role
        if row.passed and role == SECOND and groups.get(role, 0):
            yield not all(passed for one, passed in last.items() if groups[one] < groups[role])
        if role in groups:
            last[role] = row.passed


def phase_figure(found: PhaseApprovals) -> Figure:
    said = f"{found.after_fail} of {found.all}" if found.all else "no phase reviewer approved"
    share = found.after_fail / found.all if found.all else None
    return Figure(NAME, share, said, "measured", "of all phase approvals")
