"""A feature that a used-up quota stopped continues when the quota is available again.

Covers: I6
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.approval.auto_approval import pass_waiting
from sparing.approval.quota_reset import reset_of
from sparing.flow.advance import begin
from sparing.flow.state import Position
from sparing.records import events, features, gates, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.gates import RULE, Gate
from sparing.runtime.surroundings import Surroundings
from tests.payment.spending import surroundings
from tests.records.rows import waiting_row

RESET = 5000.0


def stopped(around: Surroundings, reason: str, told: str = "g0.1.3.0-builder") -> FeatureRow:
    state = replace(begin("L1"), position=Position.STUCK, reason=reason, held=Position.TODO).dump()
    row = replace(waiting_row(1), place={"state": state, "head": "c0"})
    key = row.feature.key
    with around.database.write() as tx:
        features.create(tx, row)
        gates.open_gate(tx, Gate(row.leg_id, key, "plan", "stuck", reason, 100.0))
        name, data = f"{key}.{told}.quota.1", {"resets_at": RESET}
        events.add(tx, Event(name, key, 100.0, "quota", data=data))
    return row


def letters(around: Surroundings) -> list[tuple[str, str]]:
    with around.database.read() as connection:
        return [(one.verb, one.sender) for one in mailbox.unread(connection)]


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return surroundings(tmp_path)


def test_it_is_resumed_once_and_not_before(around: Surroundings) -> None:
    """I6: without auto mode; nobody has to be there."""
    row = stopped(around, "quota: used up (until 14:00)")
    assert reset_of(around, row) == RESET
    pass_waiting(around, row, RESET - 1)
    assert letters(around) == []
    for later in (0, 1):
        pass_waiting(around, row, RESET + later)
    assert letters(around) == [("continue", RULE)]


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        pytest.param("auth: logged out", "g0.1.3.0-builder", id="something else"),
        pytest.param("quota: used up", "g0.0.3.0-builder", id="a reset of an earlier leg"),
    ],
)
def test_others_wait_for_a_person(around: Surroundings, reason: str, told: str) -> None:
    row = stopped(around, reason, told)
    assert reset_of(around, row) is None
    pass_waiting(around, row, RESET + 1)
    assert letters(around) == []
