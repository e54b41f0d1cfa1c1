"""A cap over all repositories is compared with what all of them spend at that moment.

Covers: E3, I5, I6
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from sparing.backend_name import BackendLimit
from sparing.database import Database, open_database
from sparing.money import Amount, CapMeasure, CapScope, Reached
from sparing.postgres import Server
from sparing.records import ledger, shared_spending
from sparing.records.shared_spending import MIGRATIONS, Busy, SharedTurn
from tests.conftest import DATABASE
from tests.records.attempts import FEATURE, WORST, attempt, limits, result
from tests.records.rows import feature_row, make_database

DAY = "2023-11-14"
CAP = replace(limits(), all_day=Amount(5000, 10**12))
RACERS, TURNS = 4, 10


def shared(folder: Path) -> Database:
    server = Server(DATABASE, f"all_{abs(hash(str(folder)))}") if DATABASE else None
    return open_database(folder / "spending.db", MIGRATIONS, server=server)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return shared(tmp_path)


def hold(database: Database, repository: str, dispatch: str, number: int = 1) -> Reached | None:
    with database.write() as tx:
        turn = SharedTurn(repository, dispatch, number)
        return shared_spending.hold(tx, turn, DAY, WORST, CAP)


def spent(database: Database) -> int:
    with database.read() as connection:
        return shared_spending.spent(connection, DAY).tokens


def test_what_other_repositories_hold_counts(database: Database) -> None:
    """E3: told with kind, value and limit, and with the command that raises it."""
    for number in range(5):
        assert hold(database, f"r{number % 2}", f"turn {number}") is None
    found = hold(database, "third", "one more")
    assert found == Reached(CapScope.ALL, DAY, CapMeasure.TOKENS, 5000, 1000, 5000)
    assert found is not None
    assert found.words == (
        f"tokens of all repositories {DAY}: 5,000 spent or reserved, the next turn may take 1,000,"
        " the limit is 5,000; to raise it: sparing config set caps.all_day_tokens 10000"
    )


def test_a_bill_takes_the_place_of_what_was_held(database: Database) -> None:
    assert hold(database, "r", "turn") is None
    with database.write() as tx:
        shared_spending.settle(tx, SharedTurn("r", "turn", 1), Amount(35, 10))
    assert spent(database) == 35


def test_the_same_turn_is_held_once(database: Database) -> None:
    """I5: a transaction that is played again after a broken connection."""
    for _ in range(9):
        assert hold(database, "r", "turn") is None
    assert spent(database) == WORST.tokens


def test_what_a_dead_process_left_is_put_right(database: Database, tmp_path: Path) -> None:
    """I1, E3: held and never begun: gone; begun and billed: its bill."""
    own = make_database(tmp_path, feature_row())
    name = f"{FEATURE}.g0.0.1.0-one"
    for repository, dispatch in (("r", name), ("r", "never begun"), ("other", "theirs")):
        assert hold(database, repository, dispatch) is None
    with own.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        ledger.finish(tx, name, 1, result())
    with own.read() as connection, database.write() as tx:
        shared_spending.correct(tx, "r", partial(ledger.charge_of, connection))
    assert spent(database) == 35 + WORST.tokens


def _race(folder: Path, racer: int, url: str, turns: int) -> int:
    server = Server(url, f"all_{folder.name}") if url else None
    database = open_database(folder / "spending.db", MIGRATIONS, server=server)
    return sum(hold(database, f"r{racer}", f"turn {n}") is None for n in range(turns))


def test_of_many_processes_only_so_many_get_in_as_fit(tmp_path: Path) -> None:
    """E3: 40 turns of four repositories want 1,000 tokens each of 5,000."""
    folder = tmp_path / "race"
    folder.mkdir()
    _race(folder, 0, DATABASE, 0)  # only makes the schema
    with get_context("spawn").Pool(RACERS) as pool:
        got = pool.starmap(_race, [(folder, racer, DATABASE, TURNS) for racer in range(RACERS)])
    assert sum(got) == 5


LIMIT = BackendLimit("claude", at_once=3, per_minute=6)


def enter(database: Database, name: str, now: float, limit: BackendLimit = LIMIT) -> Busy | None:
    with database.write() as tx:
        return shared_spending.enter(tx, SharedTurn("r", name, 1), limit, now, now + 600.0)


def leave(database: Database, *names: str) -> None:
    with database.write() as tx:
        for name in names:
            shared_spending.leave(tx, SharedTurn("r", name, 1))


def test_turns_of_a_backend_at_once_and_a_minute(database: Database) -> None:
    """I6: told with the figures, and with when it is worth asking again."""
    assert [enter(database, name, 10.0) for name in "abc"] == [None] * 3
    assert enter(database, "d", 11.0) == Busy("claude: 3 of 3 turns at once", 1.0)
    leave(database, "a", "b", "c")
    assert [enter(database, name, 20.0) for name in "def"] == [None] * 3
    leave(database, "d", "e", "f")
    assert enter(database, "g", 30.0) == Busy("claude: 6 of 6 turns a minute", 40.0)
    assert enter(database, "g", 70.5) is None


def test_other_backends_are_not_held_up(database: Database) -> None:
    """I6: nor is a turn that was begun before, in a transaction that is played again."""
    assert [enter(database, name, 10.0) for name in "abcc"] == [None] * 4
    assert enter(database, "x", 10.0, BackendLimit("codex", at_once=1)) is None


def test_a_call_that_nobody_ended_counts_until_its_time_is_over(database: Database) -> None:
    """I1, I6: its worker is gone, and nobody else is there to say so."""
    assert [enter(database, name, 10.0) for name in "abc"] == [None] * 3
    assert enter(database, "d", 609.0) is not None
    assert enter(database, "d", 611.0) is None
    with database.write() as tx:
        shared_spending.leave_all(tx, "r")
    assert [enter(database, name, 612.0) for name in "efg"] == [None] * 3


def _enter_race(folder: Path, racer: int, url: str, turns: int) -> int:
    server = Server(url, f"all_{folder.name}") if url else None
    database = open_database(folder / "spending.db", MIGRATIONS, server=server)
    names = [f"{racer}.{number}" for number in range(turns)]
    return sum(enter(database, one, 10.0, BackendLimit("claude", 7)) is None for one in names)


def test_of_many_processes_only_so_many_ask_at_once(tmp_path: Path) -> None:
    """I6: 40 turns of four workers want 7 places."""
    folder = tmp_path / "places"
    folder.mkdir()
    _enter_race(folder, 0, DATABASE, 0)  # only makes the schema
    with get_context("spawn").Pool(RACERS) as pool:
        work = [(folder, racer, DATABASE, TURNS) for racer in range(RACERS)]
        got = pool.starmap(_enter_race, work)
    assert sum(got) == 7
