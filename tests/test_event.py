"""Kinds of events are types: each can be stored and read, also as older releases stored it.

Covers: A6, I7
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import click
import pytest

from sparing.cli.run.event_lines import agent_line, describe
from sparing.cli.screen import rendered
from sparing.codec import JsonObject
from sparing.database import Database
from sparing.event import (
    AnswerEvent,
    ChecksEvent,
    EditEvent,
    FeatureEvent,
    OutputsEvent,
    QuestionAnswerEvent,
    RulingEvent,
    RunEvent,
    SandboxEvent,
    SayEvent,
    UnknownEvent,
    read_event,
)
from sparing.money import CapMeasure, CapScope
from sparing.records import events
from sparing.records.events import Event
from sparing.turn_event import (
    AgentAction,
    BudgetEvent,
    CommitEvent,
    QuotaEvent,
    VerdictEvent,
    WeighedEvent,
)
from tests.records.rows import feature_row, make_database

KEY = feature_row().feature.key
OLD_STATES = Path(__file__).parent / "engine" / "old_states"
FILLED: list[RunEvent] = [
    AnswerEvent("ada", "rerun", "c1", "refs/kept"), SayEvent("ada", 3),
    EditEvent("c1", "ada", ("a",)), RulingEvent("F1", "dismissed", "ada"),
    QuestionAnswerEvent(1, "ada", "leg"),
    ChecksEvent({"make test": True}), OutputsEvent({"make test": "/blobs/ab"}),
    SandboxEvent("sealed"), CommitEvent("c1"), QuotaEvent(5.0), WeighedEvent("continue"),
    VerdictEvent(passed=False, findings=("blocker",)),
    BudgetEvent(CapScope.DAY, "", CapMeasure.MONEY, 1, 2, 3),
]  # fmt: skip
"""Kinds with a field that has no default."""
EMPTY: list[RunEvent] = [
    one()
    for one in get_args(RunEvent)
    if one not in (FeatureEvent, AgentAction) and one not in {type(filled) for filled in FILLED}
]
EVERY: list[RunEvent] = [*FeatureEvent, *AgentAction, *FILLED, *EMPTY]


@pytest.mark.parametrize("what", EVERY, ids=str)
def test_what_is_written_is_read(what: RunEvent, tmp_path: Path) -> None:
    """A6: every kind survives the table, and a line can be made of it."""
    database = make_database(tmp_path, feature_row(1))
    with database.write() as tx:
        events.add(tx, Event.of(what, key="k", feature=KEY, at=1.0, stage="plan", text="words"))
    [event] = read(database)
    assert event.what == what
    assert isinstance(describe(event), str)


def read(database: Database) -> list[Event]:
    with database.read() as connection:
        return events.since(connection, 0)


def test_a_kind_without_a_type_is_not_written(tmp_path: Path) -> None:
    database = make_database(tmp_path, feature_row(1))
    with pytest.raises(ValueError, match="is no kind of event"), database.write() as tx:
        events.add(tx, Event("k", KEY, 1.0, "new"))


@pytest.mark.parametrize(
    ("kind", "data"), [("of a later release", {}), ("verdict", {"passed": "perhaps"})]
)
def test_what_can_not_be_read_stops_nobody(kind: str, data: JsonObject) -> None:
    """I7: a state folder that another release wrote."""
    assert read_event(kind, data) == UnknownEvent()
    assert describe(Event("k", KEY, 1.0, kind, data=data)) == ""


@pytest.mark.parametrize("path", sorted(OLD_STATES.glob("*-*.json")), ids=lambda path: path.stem)
def test_events_of_older_states_are_read(path: Path) -> None:
    """I7: no kind that they hold is unknown, and every name in their JSON has a field."""
    told = stored(json.loads(path.read_text()))
    assert told
    for kind, data in told:
        what = read_event(kind, data)
        assert not isinstance(what, UnknownEvent), kind
        if kind not in ("checks", "outputs"):
            assert {name for name in data if not hasattr(what, name)} == set(), kind


def stored(state: JsonObject) -> list[tuple[str, JsonObject]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("create table events (n, key, feature, at, kind, stage, role, text, data)")
        for line in state["sparing.db"]:
            if line.startswith('INSERT INTO "events"'):
                database.execute(line)
        rows = database.execute("select kind, data from events").fetchall()
    return [(kind, json.loads(data)) for kind, data in rows]


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (AgentAction.READ, "    builder reads a.py"),
        (AgentAction.SAYS, "    builder says a.py"),
        (AgentAction.COMMAND, "    builder runs a.py"),
        (AgentAction.RAN, "    builder runs a.py"),
    ],
)
def test_what_an_agent_does_is_shown_to_those_who_watch(action: AgentAction, line: str) -> None:
    """A6: also what it says and runs, whichever backend tells it."""
    event = Event.of(action, key="k", feature=KEY, at=1.0, role="builder", text="a.py")
    assert click.unstyle(rendered(agent_line(event))) == line
    assert describe(event) == ""


def test_a_line_of_an_agent_is_as_long_as_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """K1: also on a wide one; of a path its end is kept, which names the file."""
    event = Event.of(AgentAction.SAYS, key="k", feature=KEY, at=1.0, role="builder", text="x" * 90)
    path = f"docs/features/{'long/' * 8}plan.md"
    wrote = Event.of(AgentAction.WRITE, key="k", feature=KEY, at=1.0, role="builder", text=path)
    monkeypatch.setenv("COLUMNS", "60")
    assert click.unstyle(rendered(agent_line(event))) == f"    builder says {'x' * 36}…"
    cut = click.unstyle(rendered(agent_line(wrote)))
    assert len(cut) == 54
    assert cut.startswith("    builder writes …")
    assert cut.endswith("long/long/plan.md")
    monkeypatch.setenv("COLUMNS", "160")
    assert click.unstyle(rendered(agent_line(event))) == f"    builder says {'x' * 90}"
    assert click.unstyle(rendered(agent_line(wrote))) == f"    builder writes {path}"
