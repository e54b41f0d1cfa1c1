"""What the records say of the second reviewer of documents: what it finds where it looks apart."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sparing.connection import Connection
from sparing.finding import Severity
from sparing.panel import SECOND, PanelMode
from sparing.records import findings, verdicts
from sparing.records.features import FeatureRow
from sparing.records.verdicts import VerdictRow
from sparing.review.panel_rule import LookApart, PanelRule, quiet_looks
from sparing.review.tracking import RulingKind, Tracked
from sparing.runtime.surroundings import Surroundings

MOST_LOOKS = 400


def panel_rule(around: Surroundings, row: FeatureRow) -> PanelRule:
    """As it is when a stage begins."""
    settings = around.settings(row)
    # Two that work with different agents can't look in one turn.
    mode = PanelMode.SEPARATE if settings.roles.backends else settings.review.panels
    if mode is not PanelMode.AUTO:
        return PanelRule(mode, 0, row.feature.key)
    with around.database.read() as connection:
        return PanelRule(mode, quiet_looks(looks_apart(connection)), row.feature.key)


def looks_apart(connection: Connection) -> list[LookApart]:
    """Of all features here. In a loop that began in one turn, a later look of the second reviewer
    alone says nothing for merging; what it finds there was overlooked."""
    rows = verdicts.of_role(connection, SECOND, MOST_LOOKS)
    merged = {(one.feature, one.stage) for one in rows if one.merged}
    found = _finds(connection, rows)
    return [
        LookApart(one.at, one.dispatch in found)
        for one in rows
        if not one.merged and (one.dispatch in found or (one.feature, one.stage) not in merged)
    ]


def _finds(connection: Connection, rows: Sequence[VerdictRow]) -> set[str]:
    """The looks in which it was the first to raise a blocker that no person dismissed."""
    looks = {(one.feature, one.stage, one.iteration): one.dispatch for one in reversed(rows)}
    raised = findings.raised_by(connection, SECOND)
    own = [one for one in raised if _is_blocker(Tracked.load(json.loads(one.body)))]
    keys = [(one.feature, one.stage, one.first) for one in own]
    return {looks[key] for key in keys if key in looks}


def _is_blocker(one: Tracked) -> bool:
    dismissed = one.ruling is not None and one.ruling.kind is RulingKind.DISMISSED
    return one.finding.severity is Severity.BLOCKER and not dismissed
