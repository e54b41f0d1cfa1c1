"""An office in a user's repository, with a ledger that tests fill line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.feature import FeatureStatus
from sparing.flow.state import Cause, FlowState, Position
from sparing.money import Amount, Reached
from sparing.records import events, features, gates, ledger
from sparing.records.features import FeatureRow
from sparing.usage import Usage
from tests.records.attempts import NOON, attempt, result


def office_with(path: Path, flow: str = "L1", **caps: Any) -> tuple[Office, FeatureRow]:
    """One feature, with caps of its own given as `feature_usd=1.5`."""
    office = open_office(path)
    overrides = {f"caps.{name}": value for name, value in caps.items()}
    return office, answers.start(office, "Make a file", flow, overrides, NOON)


def spend(
    office: Office, row: FeatureRow, dispatch: str, usage: Usage | None, **changes: Any
) -> None:
    """A turn with its bill, or without an end."""
    cost = changes.pop("nano_usd", None if usage is None else usage.total * 1000)
    asked = replace(
        attempt(**changes), feature=row.feature.key, dispatch=f"{row.feature.key}.g0.0.{dispatch}"
    )
    with office.database.write() as tx:
        number = ledger.begin(tx, asked, Amount(1_000_000, 10**9))
        if usage is not None:
            ledger.finish(tx, asked.dispatch, number, result(usage, nano_usd=cost))


def park(office: Office, row: FeatureRow, reached: Reached) -> FeatureRow:
    """As a leg does that a cap has stopped: the place, the gate and the story."""
    state = FlowState(
        row.feature.flow, FlowState.load(row.place["state"]).stage, Position.STUCK,
        reason=f"budget: {reached.words}", cause=Cause.BUDGET, held=Position.TODO,
    )  # fmt: skip
    place = {**row.place, "state": state.dump()}
    key = row.feature.key
    with office.database.write() as tx:
        features.set_running(tx, key, (0, 0), NOON)
        features.settle(tx, key, (0, 0), place, row.head, FeatureStatus.ACTIVE, NOON)
        gates.open_gate(tx, gates.Gate(row.leg_id, key, state.stage, "budget", state.reason, NOON))
        told = events.Event(f"{key}.budget", key, NOON, "budget", data=reached.dump())
        events.add(tx, told)
        parked = features.get(tx, key)
    assert parked is not None
    return parked
