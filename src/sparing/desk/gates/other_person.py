"""Gates that need a person other than the one who started the feature.

This is a rule for people who work together, not access control: people say who they are.
"""

from __future__ import annotations

from sparing.desk.office import Office, settings_of
from sparing.errors import FeatureError
from sparing.flow.advance import left_out
from sparing.flow.state import FlowState, Outcome, OutcomeKind, Position
from sparing.records.features import FeatureRow


def refuse_starter(office: Office, row: FeatureRow, state: FlowState, outcome: Outcome) -> None:
    """Raise an error if the person who started the feature answers a gate that needs another."""
    stages = [one for one in _passed(state, outcome) if one in needs_other(office, row)]
    if not stages or (row.starter and row.starter != office.person):
        return
    number, who = row.feature.id, row.starter or "somebody unknown"
    if office.database.server is None:
        raise FeatureError(
            f"{stages[0]} needs another person's approval, and these records are only on "
            "this machine",
            "share them first: set state.database (docs/fleet.md), or flow.other_person to none",
        )
    raise FeatureError(
        f"{who} started feature {number}, so somebody else must approve {stages[0]}",
        f"ask a colleague to type: sparing approve {number}",
    )


def needs_other(office: Office, row: FeatureRow) -> tuple[str, ...]:
    return settings_of(office, row).flow.other_person


def _passed(state: FlowState, outcome: Outcome) -> tuple[str, ...]:
    """The stages whose gate an answer would pass."""
    if outcome.kind is OutcomeKind.SKIP:
        return left_out(state, outcome.target)
    approves = outcome.kind is OutcomeKind.APPROVE and state.position is Position.GATE
    return (state.stage,) if approves else ()
