"""A feature that waits for a used-up quota continues by itself once it is available again."""

from __future__ import annotations

from sparing.failure import Failure
from sparing.flow.state import FlowState, Position
from sparing.records import events, gates, mailbox
from sparing.records.features import FeatureRow
from sparing.records.gates import RULE
from sparing.records.mailbox import Letter
from sparing.runtime.surroundings import Surroundings


def reset_of(around: Surroundings, row: FeatureRow) -> float | None:
    """When the quota that a feature waits for is available again; None if it waits for none, or
    if its provider has not said when."""
    if row.running or row.status.is_over:
        return None
    state = FlowState.load(row.place["state"])
    if state.position is not Position.STUCK or state.reason.partition(":")[0] != Failure.QUOTA:
        return None
    with around.database.read() as connection:
        told = events.last(connection, row.feature.key, "quota")
    if told is None or not told.key.startswith(f"{row.leg_id}."):
        return None
    return float(told.data["resets_at"])


def resume_due(around: Surroundings, row: FeatureRow, at: float) -> None:
    """Resume a feature whose quota is available again, as a person would."""
    reset = reset_of(around, row)
    if reset is None or at < reset:
        return
    with around.database.write() as tx:
        gate = gates.waiting(tx, key := row.feature.key)
        if gate is not None and not mailbox.pending(tx, gate.id):
            letter = Letter(0, key, "continue", gate.id, "", RULE)
            mailbox.post(tx, f"{gate.id}.continue.{RULE}", letter, at)
