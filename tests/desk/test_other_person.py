"""Who asks: people by name on a shared database, and gates that need somebody else.

Covers: A7, I5, K1
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.desk.features.skip_and_back import jump, plan_skip
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError
from sparing.records import mailbox
from tests.conftest import DATABASE, UserRepository
from tests.desk.standing import NOW, standing

OfficeOf = Callable[..., Office]


@pytest.fixture
def office_of(user_repository: UserRepository, monkeypatch: pytest.MonkeyPatch) -> OfficeOf:
    path: Path = user_repository()

    def opened(person: str, *stages: str) -> Office:
        monkeypatch.setenv("SPARING_FLOW__OTHER_PERSON", ",".join(stages))
        return open_office(path, {"state.person": person})

    return opened


def test_a_feature_knows_who_started_it(office_of: OfficeOf) -> None:
    row = standing(office_of("ada"), "not begun")
    assert row.starter == "ada"


def test_the_starter_cannot_approve_a_gate_that_needs_somebody_else(office_of: OfficeOf) -> None:
    """A7: refused before anything is written; another person passes it."""
    ada, bob = office_of("ada", "plan"), office_of("bob", "plan")
    row = standing(ada, "at a gate")
    with pytest.raises(FeatureError) as refused:
        answers.approve(ada, row, "ada", NOW)
    alone = "plan needs another person's approval"
    assert ("somebody else must approve plan" if DATABASE else alone) in refused.value.what
    with ada.database.read() as connection:
        assert not [one for one in mailbox.unread(connection) if one.verb == "approve"]
    assert answers.approve(bob, row, "bob", NOW) == "plan"


def test_what_the_starter_may_still_say(office_of: OfficeOf) -> None:
    """A7: no is always theirs to say, and so are gates that are not listed."""
    ada = office_of("ada", "implement")
    row = standing(ada, "at a gate")
    assert answers.approve(ada, row, "ada", NOW) == "plan"
    eve = office_of("ada", "plan")
    other = standing(eve, "at a gate")
    assert answers.reject(eve, other, "shorter", "ada", NOW) == "plan"


def test_a_stage_that_needs_somebody_else_is_not_skipped_by_the_starter(
    office_of: OfficeOf,
) -> None:
    ada, bob = office_of("ada", "implement"), office_of("bob", "implement")
    row = standing(ada, "at a gate")
    plan = plan_skip(ada, row, "done")
    with pytest.raises(FeatureError):
        jump(ada, row, plan, "ada", NOW)
    assert jump(bob, row, plan, "bob", NOW)


def test_a_stage_that_needs_somebody_else_has_a_gate(office_of: OfficeOf) -> None:
    """A7: also in a flow that would not stop there."""
    flow = office_of("ada", "implement").loaded.settings.flow
    assert flow.stops(("plan",)) == {"plan", "implement"}
