"""What the records say about the second reviewer of documents: its finds in separate reviews."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sparing.clients.role_model import one_agent, own_model
from sparing.connection import Connection
from sparing.finding import Severity
from sparing.flow.flows import FLOWS
from sparing.panel import SECOND, PanelMode
from sparing.records import findings, verdicts
from sparing.records.features import FeatureRow
from sparing.records.verdicts import VerdictRow
from sparing.review.panel_rule import LookApart, PanelRule, quiet_looks
from sparing.review.tracking import RulingKind, Tracked
from sparing.roles.catalog import load_catalog
from sparing.runtime.surroundings import Surroundings
from sparing.stages.review_rounds import has_panel

MOST_LOOKS = 400


def panel_rule(around: Surroundings, row: FeatureRow) -> PanelRule:
    """The panel rule in force when a stage begins."""
    mode, key = around.settings(row).review.panels, row.feature.key
    if mode is PanelMode.SEPARATE:
        return PanelRule(mode, 0, key)
    apart = frozenset(_stages_apart(around, row))
    if mode is PanelMode.MERGED:
        return PanelRule(mode, 0, key, apart)
    with around.database.read() as connection:
        return PanelRule(mode, quiet_looks(looks_apart(connection)), key, apart)


def _stages_apart(around: Surroundings, row: FeatureRow) -> Iterator[str]:
    """Two who work with different agents or models can't look in one turn."""
    settings, checkout = around.settings(row), around.repository.checkout
    catalog = load_catalog(around.sources.roles, checkout, around.folder.path)
    for stage in filter(has_panel, FLOWS[row.feature.flow].stages):
        (first,), (second,) = stage.reviewers
        backend = settings.roles.backend_of(first) or settings.agent.backend
        models = (
            own_model(settings, catalog.role(one), stage.name, backend) for one in (first, second)
        )
        if not one_agent(settings, first, second) or len(set(models)) > 1:
            yield stage.name


def looks_apart(connection: Connection) -> list[LookApart]:
    """Separate reviews, across all features here. In a loop that began with a merged turn, a
    later review by the second reviewer does not support merging; what it finds there was
    overlooked."""
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
