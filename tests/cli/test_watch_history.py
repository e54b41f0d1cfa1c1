"""`sparing watch` shows what was, and what to do now, but not what was to be done then."""

from __future__ import annotations

import pytest

from sparing.cli.look.watch import Watcher
from sparing.desk.office import Office, open_office
from sparing.event import AnswerEvent, FeatureEvent, RunEvent, StuckEvent
from sparing.records import events
from sparing.records.events import Event
from tests.conftest import UserRepository
from tests.desk.standing import NOW, standing

ASKED = StuckEvent(cause="questions")
ANSWERED = AnswerEvent("terminal", "answer")


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())


def watched(office: Office, state: str, *told: RunEvent) -> list[str]:
    """What is shown of these events, by someone who looks afterwards."""
    row = standing(office, state)
    with office.database.write() as tx:
        for n, what in enumerate(told):
            key = f"{n} {row.feature.key}"
            events.add(tx, Event.of(what, key=key, feature=row.feature.key, at=NOW, stage="plan"))
    return [line for line in Watcher(office, [row], 10).news() if "sparing " in line]


def test_only_the_stop_at_which_it_waits_is_followed_by_a_command(office: Office) -> None:
    """K1: a stop that was answered since leads nowhere."""
    (shown,) = watched(office, "at a gate", ASKED, ANSWERED, FeatureEvent.GATE)
    assert "sparing approve 001" in shown


def test_nothing_is_asked_of_a_person_whose_answer_is_being_worked_on(office: Office) -> None:
    """K1"""
    assert watched(office, "under way", ASKED, ANSWERED) == []
