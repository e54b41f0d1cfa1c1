"""What stands between a dispatch and its turn: caps, the number of tries, loops.

Covers: E2, E3
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.agents.backend import ModelCall
from sparing.desk.features.event_line import event_line
from sparing.dispatch_policy import Way
from sparing.failure import Failure
from sparing.money import Amount, to_nano
from sparing.payment.paid_call import Permit, SpendRefusal, clear, given_up, reserve, settle
from sparing.records import events, ledger, totals
from sparing.records.features import FeatureRow
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.runtime.surroundings import Surroundings
from sparing.sent import REPAIR
from sparing.usage import Origin, Usage
from tests.payment.spending import Bill, asking, memory_folder, new_feature, reply, surroundings

SMALL = Usage(read=900, output=100)
DISPATCH = "g0.0.1.0-builder"


@pytest.fixture(scope="module")
def around() -> Iterator[Surroundings]:
    with memory_folder() as folder:
        yield surroundings(folder)


_numbers = iter(range(1, 1000))


def feature(around: Surroundings, **caps: object) -> FeatureRow:
    return new_feature(around, next(_numbers), **caps)


def rows(around: Surroundings, row: FeatureRow) -> list[LedgerRow]:
    with around.database.read() as connection:
        return ledger.of_feature(connection, row.feature.key)


def permitted(found: object) -> Permit:
    assert isinstance(found, Permit)
    return found


def stopped(found: object) -> SpendRefusal:
    assert isinstance(found, SpendRefusal)
    return found


def test_a_turn_holds_its_worst_case_until_its_bill_is_known(around: Surroundings) -> None:
    """E3: the dearest bucket of claude-sonnet-5 is output at 10 dollars a million."""
    row = feature(around, turn_tokens=10_000, turn_usd=3.0)
    asked = asking(around, row, DISPATCH)
    permit = permitted(reserve(asked))
    assert permit.limit == Amount(10_000, to_nano("0.10"))
    (held,) = rows(around, row)
    assert (held.outcome, held.held) == (AttemptState.OPEN, permit.limit)
    call = ModelCall(900, 100, SMALL)
    done = settle(asked, permit, reply(SMALL, calls=(call,), files_read=("a.py",)))
    assert (done.failure, done.session) == ("", "session")
    (known,) = rows(around, row)
    assert known.result is not None
    assert (known.outcome, known.result.usage) == (AttemptState.KNOWN, SMALL)
    assert known.result.nano_usd == 900 * 200 + 100 * 10_000
    assert known.result.calls == [
        {"uncached": 0, "read": 900, "write_5m": 0, "write_1h": 0, "added": 900, "output": 100}
    ]
    assert (known.attempt.template, known.result.files_read) == ("write", ["a.py"])


def test_a_cap_parks_before_the_spend_and_says_what_it_is(around: Surroundings) -> None:
    """E3: kind, value and limit; no row, since nothing was sent."""
    row = feature(around, stage_usd=0.05, turn_tokens=10_000)
    stop = stopped(reserve(asking(around, row, DISPATCH)))
    assert stop == SpendRefusal(
        "budget",
        "money of stage plan: $0.000 spent or reserved, the next turn may take $0.100,"
        " the limit is $0.050",
    )
    assert rows(around, row) == []
    with around.database.read() as connection:
        told = events.last(connection, row.feature.key, "budget")
    assert told is not None
    assert (told.data["scope"], told.data["measure"]) == ("stage", "money")


def test_a_dispatch_is_sent_so_often_and_no_more(around: Surroundings) -> None:
    """E3: re-dispatch limit per dispatch. A new generation, as after a repair, goes on counting."""
    row = feature(around, attempts=3)
    for generation in (0, 0, 1):
        permitted(reserve(asking(around, row, f"g{generation}.0.1.0-builder")))
        clear(around)
    stop = stopped(reserve(asking(around, row, "g2.0.1.0-builder")))
    assert stop.detail == "attempts of this dispatch: 3 made, the limit is 3"
    permitted(reserve(asking(around, row, "g2.0.2.0-builder")))
    clear(around)
    permitted(reserve(asking(around, row, "g2.1.1.0-builder")))
    clear(around)


def test_a_prompt_too_large_for_a_turn_is_not_sent(around: Surroundings) -> None:
    row = feature(around, turn_tokens=1000)
    stop = stopped(reserve(asking(around, row, DISPATCH, chars=4004)))
    assert stop.detail.startswith(
        "tokens of this turn: 0 spent or reserved, the next turn may take 1,001"
    )


def test_a_turn_that_its_own_limit_ended_parks(around: Surroundings) -> None:
    """E3: what was used is recorded all the same."""
    row = feature(around, turn_tokens=500)
    asked = asking(around, row, DISPATCH)
    permit = permitted(reserve(asked))
    done = settle(asked, permit, reply(SMALL, failure=Failure.BUDGET))
    assert (done.failure, done.detail[:18]) == ("budget", "tokens of this tur")
    (known,) = rows(around, row)
    assert known.result is not None
    assert known.result.usage == SMALL


def test_without_a_price_tokens_still_count(around: Surroundings) -> None:
    """E3: money is unknown in the row, not zero."""
    row = feature(around, feature_usd=0.01, feature_tokens=15_000, turn_tokens=10_000)
    asked = asking(around, row, DISPATCH, model="nobody-knows")
    settle(asked, permitted(reserve(asked)), reply(Usage(output=6_000)))
    (known,) = rows(around, row)
    assert known.result is not None
    assert (known.outcome, known.result.nano_usd) == (AttemptState.KNOWN, None)
    stop = stopped(reserve(asking(around, row, "g0.0.2.0-builder", model="nobody-knows")))
    assert stop.detail.startswith("tokens of this feature: 6,000 spent")


def test_a_client_that_died_without_telling_is_unknown(around: Surroundings) -> None:
    """E2"""
    row = feature(around)
    asked = asking(around, row, DISPATCH)
    settle(asked, permitted(reserve(asked)), reply(Usage(), failure=Failure.CRASHED))
    assert [one.outcome for one in rows(around, row)] == [AttemptState.UNKNOWN]


def test_a_sibling_under_way_is_waited_for(around: Surroundings) -> None:
    """E3: what it holds may be more than it needs, so it is too early to park."""
    row = feature(around, feature_usd=0.15, turn_tokens=10_000)
    first, second = (asking(around, row, f"g0.0.1.{n}-role{n}") for n in range(2))
    permit = permitted(reserve(first))
    assert reserve(second) is None
    settle(first, permit, reply(SMALL))
    permitted(reserve(second))
    clear(around)


def test_a_turn_that_could_not_be_sent_holds_up_no_sibling(around: Surroundings) -> None:
    """E2, E3: its reservation gives way to an estimate at once."""
    row = feature(around, feature_usd=0.15, turn_tokens=10_000)
    first, second = (asking(around, row, f"g0.0.1.{n}-role{n}") for n in range(2))
    permitted(reserve(first))
    with pytest.raises(OSError, match="no such program"), given_up(first, 1):
        raise OSError("no such program")
    (settled,) = rows(around, row)
    assert settled.result is not None
    assert (settled.result.origin, settled.result.failure) == (Origin.ESTIMATED, "crashed")
    permitted(reserve(second))
    clear(around)


def test_a_call_that_ends_when_nothing_can_be_recorded_keeps_its_own_end(tmp_path: Path) -> None:
    """E2, I5: as in a worker that others gave up; whoever continues the feature settles it."""
    around = surroundings(tmp_path)
    row = feature(around)
    asked = asking(around, row, DISPATCH)
    permitted(reserve(asked))

    def lose_the_database() -> None:
        (around.folder.path / "sparing.db").write_bytes(b"not a database any more" * 100)
        raise CancelledError

    with pytest.raises(CancelledError), given_up(asked, 1):
        lose_the_database()


def test_a_killed_turn_is_settled_from_what_its_client_kept(around: Surroundings) -> None:
    """E2, I3: thirteen kills in a turn do not use up a cap that thirteen such turns fit under."""
    row = feature(around, feature_usd=2.0, turn_tokens=10_000, attempts=20)
    bill = Bill()
    for number in range(13):
        asked = asking(around, row, f"g0.{number}.1.0-builder")
        bill.write(asked, permitted(reserve(asked)), SMALL)
        clear(around)
    results = [one.result for one in rows(around, row)]
    assert [(one.usage, one.origin, one.failure) for one in results if one] == [
        (SMALL, Origin.ESTIMATED, "crashed")
    ] * 13
    with around.database.read() as connection:
        tally = totals.get(connection, "feature", row.feature.key)
    assert (tally.charged_tokens, tally.estimated, tally.unknown) == (13 * SMALL.total, 13, 0)


def test_a_killed_call_that_no_book_names_keeps_what_it_held(around: Surroundings) -> None:
    """E2: unknown is never zero."""
    row = feature(around)
    asked = asking(around, row, DISPATCH)
    permitted(reserve(asked))
    with around.database.write() as tx:
        tx.execute("update ledger set backend = 'another' where dispatch = ?", (asked.ticket.id,))
    clear(around)
    assert [one.outcome for one in rows(around, row)] == [AttemptState.UNKNOWN]


def test_the_same_answer_to_the_same_words_ends_a_loop(around: Surroundings) -> None:
    """The second time in one leg; a repetition after a crash or by a person is none."""
    row = feature(around)

    def answered(dispatch: str, prompt: str = "p", way: Way = Way.COMPOSE, text: str = "a") -> str:
        often = sum(one.attempt.dispatch.endswith(dispatch) for one in rows(around, row))
        asked = asking(around, row, dispatch, prompt=prompt, way=way, before=often)
        return settle(asked, permitted(reserve(asked)), reply(SMALL, text)).detail

    assert answered("g0.0.1.0-builder") == ""
    assert answered("g0.0.1.0-builder") == ""
    assert answered("g0.0.2.0-builder", text="b") == ""
    assert answered("g0.0.2.0-builder", prompt="q") == ""
    assert answered("g0.0.3.0-builder", way=Way.RESUME) == ""
    assert answered("g1.0.1.0-builder") == ""
    assert answered("g0.1.1.0-builder") == ""
    loop = "builder was asked the same twice and answered the same twice"
    assert answered("g0.0.4.0-builder") == loop


def test_a_reply_without_end_ends_a_loop(around: Surroundings) -> None:
    row = feature(around, reply_chars=10)
    asked = asking(around, row, DISPATCH)
    done = settle(asked, permitted(reserve(asked)), reply(SMALL, "x" * 11))
    assert (done.failure, done.detail) == (
        "loop",
        "builder answered with 11 characters, the limit is 10",
    )


def test_hours_without_a_person_end_a_loop(around: Surroundings) -> None:
    """Agents' own time counts, and a person's answer begins a new leg."""
    row = feature(around, unattended_seconds=40)
    for move in range(2):
        asked = asking(around, row, f"g0.0.{move}.0-builder")
        settle(asked, permitted(reserve(asked)), reply(SMALL))
    stop = stopped(reserve(asking(around, row, "g1.0.2.0-builder")))
    assert stop == SpendRefusal(
        "loop", "agents have worked 40 s on plan since a person last answered, the limit is 40 s"
    )
    permitted(reserve(asking(around, row, "g0.1.0.0-builder")))
    clear(around)


def test_every_try_is_told(around: Surroundings) -> None:
    row = feature(around)
    for _ in range(2):
        permitted(reserve(asking(around, row, DISPATCH)))
        clear(around)
    with around.database.read() as connection:
        told = events.since(connection, 0, row.feature.key)
    assert [(one.kind, one.data["attempt"]) for one in told] == [("asks", 1), ("asks", 2)]


def test_a_turn_that_corrects_a_reply_says_why(around: Surroundings) -> None:
    """K1: in the log it is more than the second attempt at something."""
    row = feature(around)
    usual = asking(around, row, DISPATCH, reason="this turn opens a session")
    again = asking(around, row, DISPATCH, way=Way.RESUME, reason="the reply was not a verdict")
    for one in (usual, replace(again, template=REPAIR)):
        permitted(reserve(one))
        clear(around)
    with around.database.read() as connection:
        told = events.since(connection, 0, row.feature.key)
    lines = [event_line(one) for one in told]
    assert [one.aside for one in lines if one] == [
        "(new session)", "(resumed, attempt 2: the reply was not a verdict)"
    ]  # fmt: skip


def test_when_a_used_up_quota_is_there_again_is_on_record(around: Surroundings) -> None:
    """E7: for whoever starts the run again by a clock."""
    row = feature(around)
    asked = asking(around, row, DISPATCH)
    empty = reply(SMALL, failure=Failure.QUOTA, detail="used up", resets_at=60.0)
    assert settle(asked, permitted(reserve(asked)), empty).failure == "quota"
    with around.database.read() as connection:
        told = events.since(connection, 0, row.feature.key)
    found = [(one.text, one.data) for one in told if one.kind == "quota"]
    assert found == [("used up", {"resets_at": 60.0})]
