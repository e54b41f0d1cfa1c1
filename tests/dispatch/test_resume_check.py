"""Resume is checked once a backend and version, at a price that stands in the ledger once.

Covers: C15
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.desk.money.spending import Line, spent_on
from sparing.dispatch.resume_check import (
    NO_ROOM,
    ROLE,
    ResumeCheckRequest,
    check_now,
    trusted,
)
from sparing.economy.prices import own_prices
from sparing.records import ledger, resume_checks, totals
from sparing.records.features import FeatureRow
from sparing.records.folder import open_folder
from sparing.runtime.surroundings import Surroundings, backend_key
from sparing.usage import Usage
from tests.agents.forgetful import Fake
from tests.payment.spending import NOON, asking, new_feature, surroundings

BILL = Usage(read=1800, write_5m=1000, output=10)


class World(NamedTuple):
    around: Surroundings
    fake: Fake

    def feature(self, number: int = 1, **caps: Any) -> FeatureRow:
        row = new_feature(self.around, number, **caps)
        loaded = self.around.loaded(row)
        name = backend_key(loaded)
        vars_of(self.around)[name] = self.fake
        return row

    def trust(self, row: FeatureRow, dispatch: str = "g0.1.1.0-builder") -> str:
        return asyncio.run(trusted(asking(self.around, row, dispatch, resume="s")))

    def rows(self, *features: FeatureRow) -> list[ledger.LedgerRow]:
        with self.around.database.read() as connection:
            found = [ledger.of_feature(connection, row.feature.key) for row in features]
        return [row for rows in found for row in rows]


def vars_of(around: Surroundings) -> dict[str, Any]:
    """The backends that are made already: here stands the one at the seam."""
    return getattr(around, "_backends")  # noqa: B009


def world(folder: Path, forgets: str = "") -> World:
    return World(surroundings(folder), Fake(forgets))


def another_repository(here: World) -> World:
    """On the same machine."""
    folder = open_folder(here.around.folder.path.parent, "another")
    return World(replace(here.around, folder=folder, database=folder.database()), here.fake)


def test_one_check_for_all(tmp_path: Path) -> None:
    """C15: announced, reserved, and one row in the ledger of whoever relied on it first."""
    here = world(tmp_path)
    first, second = here.feature(1), here.feature(2)
    assert [here.trust(first), here.trust(first, "g0.1.2.0-x"), here.trust(second)] == ["", "", ""]
    assert len(here.fake.seen) == 3
    (row,) = here.rows(first, second)
    assert row.result is not None
    assert (row.attempt.role, row.attempt.feature, row.result.usage) == (
        ROLE, first.feature.key, BILL,
    )  # fmt: skip
    with here.around.database.read() as connection:
        told = connection.execute("select text from events where kind = ?", (ROLE,)).fetchall()
    assert [text for (text,) in told] == [
        "checks once that fake can resume its sessions",
        "sessions can be resumed, 90 % of it read from cache",
    ]


def test_one_check_for_all_repositories_of_a_machine(tmp_path: Path) -> None:
    """C15, E4: another repository takes what was found, asks nothing and enters nothing."""
    here = world(tmp_path)
    here.trust(here.feature())
    there = another_repository(here)
    row = there.feature()
    assert there.trust(row) == ""
    assert (len(here.fake.seen), there.rows(row)) == (3, [])
    with there.around.database.read() as connection:
        kept = resume_checks.get(connection, "fake", "1.0")
    assert kept is not None
    assert (kept.share, kept.booked) == (pytest.approx(0.9), resume_checks.ELSEWHERE)
    newer = World(there.around, replace(here.fake, version="2.0", seen=[]))
    assert newer.trust(newer.feature(2)) == ""
    assert len(newer.fake.seen) == 3


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"backend": "other", "version": "1.0"}'])
def test_a_damaged_note_of_the_machine_is_no_answer(tmp_path: Path, damage: str) -> None:
    """C15"""
    here = world(tmp_path)
    here.trust(here.feature())
    (note,) = here.around.folder.resume_checks.iterdir()
    note.write_text(damage)
    there = another_repository(here)
    there.trust(there.feature())
    assert len(here.fake.seen) == 6


def test_the_check_is_in_no_feature_s_bill(tmp_path: Path) -> None:
    """C15, E4, E7: a row like any other, which caps count; totals have it under `doctor`."""
    here = world(tmp_path)
    row = here.feature()
    here.trust(row)
    (one,) = here.rows(row)
    assert one.attempt.for_client
    with here.around.database.read() as connection:
        own = totals.get(connection, "feature", row.feature.key)
        doctor = totals.get(connection, "feature", totals.DOCTOR)
        by_stage = totals.of_feature(connection, row.feature.key, "stage")
    assert (own.turns, own.usage, own.charged_tokens) == (0, Usage(), BILL.total)
    assert (doctor.turns, doctor.usage, doctor.charged_tokens) == (1, BILL, 0)
    assert list(by_stage) == [totals.DOCTOR]
    spent = spent_on([Line(one, Usage())], own_prices(()), "lean naive")
    assert (spent.rows, spent.cost_usd, spent.turns) == ((), 0, 0)
    assert spent.checked is not None
    assert spent.checked.usage == BILL


def test_a_client_that_fails_gets_fresh_prompts(tmp_path: Path) -> None:
    """C15: the reason stays, for every feature; nobody asks again."""
    here = world(tmp_path, "file")
    row = here.feature()
    assert here.around.deferred_by(here.fake) == ""
    assert [here.trust(row), here.trust(row)] == ["V3: a file it read is forgotten"] * 2
    assert here.around.deferred_by(here.fake) == "V3: a file it read is forgotten"
    assert len(here.fake.seen) == 3
    newer = replace(here.fake, version="2.0")
    assert here.around.deferred_by(newer) == ""


def test_what_may_pass_is_asked_again(tmp_path: Path) -> None:
    """C15: a network that was down proves nothing, but what it cost is counted."""
    here = world(tmp_path, "network")
    row = here.feature()
    assert here.trust(row).startswith("V2: network")
    assert here.around.deferred_by(here.fake) == ""
    here.trust(row)
    assert [one.number for one in here.rows(row)] == [1, 2]


def test_a_check_by_the_doctor_is_booked_once(tmp_path: Path) -> None:
    """C15: it was asked outside of any feature; the first that relies on it enters it."""
    here = world(tmp_path)
    first, second = here.feature(1), here.feature(2)
    wanted = ResumeCheckRequest(here.fake, here.around.settings(first), NOON)
    found = asyncio.run(check_now(here.around, wanted))
    assert (found.usage, found.booked, here.rows(first, second)) == (BILL, "", [])
    here.trust(first)
    here.trust(second)
    (row,) = here.rows(first, second)
    assert row.attempt.feature == first.feature.key
    assert len(here.fake.seen) == 3
    with here.around.database.read() as connection:
        kept = resume_checks.get(connection, "fake", "1.0")
    assert kept == replace(found, booked=row.attempt.dispatch)


def test_no_check_beyond_a_cap(tmp_path: Path) -> None:
    """E7, C15: what it may take at worst does not fit, so it is not asked."""
    here = world(tmp_path)
    row = here.feature(feature_tokens=10_000)
    assert here.trust(row) == NO_ROOM
    assert (here.fake.seen, here.rows(row)) == ([], [])


@pytest.mark.parametrize("proven", [True, False])
def test_a_backend_of_our_own_needs_none(tmp_path: Path, proven: bool) -> None:
    here = world(tmp_path)
    here.fake.capabilities = replace(here.fake.capabilities, proven=proven)
    here.trust(here.feature())
    assert bool(here.fake.seen) is not proven
