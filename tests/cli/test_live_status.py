"""Whoever waits sees that it lives: what is under way, for how long, until when at most.

Covers: I3, K1
"""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.cli.run.live_status import LiveStatus, duration, watched
from sparing.cli.screen import clear_status
from sparing.config.terminal import homely
from sparing.desk.features.live_work import LiveWork, live_work
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.records import events, ledger
from sparing.records.events import Event
from sparing.wait import open_waits, waiting
from sparing.workspace.checks.live_output import live_output
from tests.conftest import UserRepository
from tests.records.attempts import NOON, WORST, attempt, result


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())


@pytest.fixture
def key(office: Office) -> str:
    return answers.start(office, "One", "L1", {}, 0).feature.key


@pytest.fixture
def turn(office: Office, key: str) -> ledger.Attempt:
    """One that began at noon and is under way."""
    begun = attempt(feature=key)
    with office.database.write() as tx:
        ledger.begin(tx, begun, WORST)
    return begun


def test_a_turn_says_what_its_agent_did_last(
    office: Office, key: str, turn: ledger.Attempt
) -> None:
    """I3: a turn is alive as long as something is heard of it."""
    name = f"{turn.dispatch} {NOON}"
    begun = LiveWork(name, "builder is at work", NOON, "no output yet", 1800)
    assert live_work(office, NOON + 5) == [begun]
    with office.database.write() as tx:
        for n, (kind, text) in enumerate((("read", "a.py"), ("write", "b.py"), ("answered", ""))):
            data = {"by": "terminal", "answer": "approve"} if kind == "answered" else {}
            dispatch = "other" if kind == "answered" else turn.dispatch
            events.add(tx, Event(f"{dispatch}.{kind}.{n}", key, 0, kind, text=text, data=data))
    (found,) = live_work(office, NOON + 5)
    assert found.last == "writes b.py"
    with office.database.write() as tx:
        ledger.finish(tx, turn.dispatch, 1, result())
    assert live_work(office, NOON + 6) == []


def test_turns_of_other_features_are_not_ours(
    office: Office, key: str, turn: ledger.Attempt
) -> None:
    """On a server other workers have turns of their own."""
    assert live_work(office, NOON, ["another"]) == []
    assert len(live_work(office, NOON, [key])) == 1
    another = answers.start(office, "Two", "L1", {}, 0).feature.key
    with office.database.write() as tx:
        ledger.begin(tx, replace(turn, feature=another, dispatch="x"), WORST)
    assert len(live_work(office, NOON, [key])) == 1
    assert len(live_work(office, NOON)) == 2


def told(status: LiveStatus, capsys: pytest.CaptureFixture[str], *moments: float) -> Iterator[str]:
    for at in moments:
        status.show(at=NOON + at)
        yield capsys.readouterr().err


@pytest.mark.usefixtures("turn")
def test_a_turn_is_told_of_once_a_minute(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """I3: its beginning has a line of its own; the time and the limit follow."""
    status = LiveStatus(office)
    lines = [*told(status, capsys, 1, 59, 60, 61, 119, 120, 200)]
    line = "  … builder is at work, {} (at most 30 min): no output yet\n"
    assert lines == [
        "", "", line.format("60 s"), "", "", line.format("2 min"), line.format("3 min 20 s"),
    ]  # fmt: skip


@pytest.mark.usefixtures("turn")
def test_nothing_is_told_to_who_asked_for_none(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [*told(LiveStatus(office, quiet=True), capsys, 1, 100, 200)] == ["", "", ""]
    held = LiveStatus(office)
    held.show(hold=True, at=NOON + 100)
    assert capsys.readouterr().err == "", "the last line is somebody else's"


def test_a_turn_of_another_clock_begins_when_it_is_seen(
    office: Office, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sample's clock runs by itself: years are not told of."""
    with office.database.write() as tx:
        ledger.begin(tx, attempt(feature=key, started=NOON - 1e8), WORST)
    lines = [*told(LiveStatus(office), capsys, 0, 30, 60)]
    assert lines[:2] == ["", ""]
    assert lines[2].startswith("  … builder is at work, 60 s ")


def test_a_check_is_told_of_at_once_with_its_output(
    office: Office, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with live_output(office.folder.scratch, "test", "make test", tmp_path) as out:
        out.write(b"12 of 90\n")
        out.flush()
        status = LiveStatus(office)
        (work,) = live_work(office, NOON)
        status.show(at=work.begun + 1)
        assert capsys.readouterr().err == ""
        status.show(at=work.begun + 3)
        said = f"  … test: make test, 3 s: 12 of 90\n    full output: tail -f {work.output}\n"
        assert capsys.readouterr().err == said


def test_on_a_terminal_the_whole_output_is_pointed_to_once(office: Office, tmp_path: Path) -> None:
    """K1: when it takes long and prints something; the path is as short as it can be typed."""
    main, terminal = pty.openpty()
    with (
        live_output(office.folder.scratch, "test", "make test", tmp_path) as out,
        os.fdopen(terminal, "w") as screen,
        redirect_stderr(screen),
    ):
        status = LiveStatus(office)
        (work,) = live_work(office, NOON)
        status.show(at=work.begun + 31)
        out.write(b"12 of 90\n")
        out.flush()
        for later in (33, 40, 90):
            status.show(at=work.begun + later)
        clear_status()
        shown = ""
        while "90 s: 12 of 90" not in shown:
            shown += os.read(main, 10_000).decode()
    os.close(main)
    assert shown.count("tail -f") == 1
    command = f"tail -f {homely(work.output)}"
    assert command in shown, "in one piece, to be copied"
    assert shown.index("31 s") < shown.index("tail -f") < shown.index("40 s: 12 of 90")


def test_any_other_wait_is_told_of_with_its_limit(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """I3"""
    status = LiveStatus(office)
    with waiting("git push", 120), waiting("waiting for a.lock", 900):
        assert [one.what for one in open_waits()] == ["git push", "waiting for a.lock"]
        first, second = told(status, capsys, 0, 61)
    assert first == ""
    assert second.splitlines() == [
        "  … git push, 61 s (at most 2 min)",
        "  … waiting for a.lock, 61 s (at most 15 min)",
    ]
    assert open_waits() == []


def test_a_wait_that_fails_is_over() -> None:
    with pytest.raises(KeyError), waiting("git push", 120):
        raise KeyError
    assert open_waits() == []


def test_what_is_watched_ends_as_it_would(office: Office) -> None:
    """Its result, or its error; it is not left behind when whoever waits is told to end."""
    ended: list[str] = []
    begun = asyncio.Event()

    async def work(result: str) -> str:
        try:
            if not result:
                begun.set()
            await asyncio.sleep(0 if result else 600)
        finally:
            ended.append(result)
        if result == "bad":
            raise ValueError(result)
        return result

    async def cancelled() -> None:
        task = asyncio.create_task(watched(work(""), LiveStatus(office)))
        await begun.wait()
        task.cancel()
        await task

    assert asyncio.run(watched(work("good"), LiveStatus(office))) == "good"
    with pytest.raises(ValueError, match="bad"):
        asyncio.run(watched(work("bad"), LiveStatus(office)))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert ended == ["good", "bad", ""]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-3, "0 s"), (119, "119 s"), (120, "2 min"), (121.4, "2 min 1 s"), (1800, "30 min")],
)
def test_how_long_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
