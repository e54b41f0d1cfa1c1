"""A tier's session over restarts, hours and a handoff. Covers: F1, F2, F3, F4, F6, I1.

One feature, parked at a gate and killed, approved six hours later, rejected, asked about a
handoff, and handed off with an agent that can't be asked. Original faults that can't happen: (a),
(g) and (h).
"""

from __future__ import annotations

import io
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.console import Console

from sparing.desk.features import view
from sparing.desk.features.view import FeatureView
from sparing.desk.gates import answers
from sparing.desk.money.continuity import continuity_of
from sparing.desk.office import open_office
from sparing.report.continuity import ContinuityReport, continuity_json, continuity_page
from tests.engine.small import SCRIPT
from tests.repositories import make_repository
from tests.terminal import Said, sparing
from tests.typed import Typed

KILLED = -9
SIX_HOURS = {"SPARING_ENGINE__AHEAD_SECONDS": "21600"}
NO_ROOM = {**SIX_HOURS, "SPARING_FLOW__BUDGETS": "done=900000"}
AGAIN = """
[[turn]]
role = "builder"
stage = "done"
prompt = "feedback"
reply = "said more\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "{folder}/summary.md"
text = '''# Summary

## What changed
There is one more file, with its one line.
Nothing else is different, and the checks are as they were.
'''

"""


class Told(NamedTuple):
    """What was weighed before a stage, and the turns that followed."""

    weighed: list[dict[str, Any]]
    ways: list[tuple[str, str, str]]


class Story(NamedTuple):
    killed: Said
    cold: Said
    asked: int
    screen: str
    shown: FeatureView
    left: Said
    handed: Said
    report: ContinuityReport
    told: Told


def told(state: Path) -> Told:
    (file,) = state.glob("**/sparing.db")
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("select stage, data from events where kind = 'weighed' order by n")
        weighed = [{"stage": stage, **json.loads(data)} for stage, data in rows]
        ways = database.execute("select stage, template, way from ledger order by started, attempt")
        return Told(weighed, ways.fetchall())


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("story")
    path = make_repository(folder / "sample", {"README.md": "word " * 3_000})
    (folder / "script.toml").write_text(AGAIN + SCRIPT)
    state = folder / "state"
    own = {
        "SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
        "SPARING_STATE__FOLDER": str(state),
    }  # fmt: skip

    def run(**more: str) -> Said:
        return sparing(path, "run", "--json", environ={**own, **more})

    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        office = open_office(path)
        row = answers.start(office, "Make a file", "L1", {}, time.time())
        killed = run(SPARING_ENGINE__CRASH_AT="settle:end")
        answers.approve(office, view.reload(office, row), "test", time.time())
        assert run(**SIX_HOURS, SPARING_ENGINE__CRASH_AT="weigh:end").code == KILLED
        cold = run(**SIX_HOURS)
        answers.reject(office, view.reload(office, row), "say more", "test", time.time())
        terminal = Typed(path, "run", environ={**own, **NO_ROOM})
        terminal.wait_for("[later]: ")
        terminal.type("later\n")
        asked = terminal.end()
        shown = view.feature_view(office, view.reload(office, row))
        answers.approve(office, view.reload(office, row), "test", time.time())
        left = run(**NO_ROOM, SPARING_ENGINE__CRASH_AT="weigh:end")
        handed = run(**NO_ROOM)
        report = continuity_of(office, view.reload(office, row))
    assert report is not None
    return Story(killed, cold, asked, terminal.screen, shown, left, handed, report, told(state))


def test_a_cold_cache_is_known_after_a_kill_and_six_hours(story: Story) -> None:
    """F1, F6, faults (a) and (g): weighed after the approval, by a process that never saw the
    session; what was cheap to go on with is handed off, and right after that it is gone on with."""
    assert (story.killed.code, story.cold.code) == (KILLED, 2)
    first, implement, done, *_ = story.told.weighed
    assert (first["stage"], first["go"]) == ("plan", "begin")
    assert (implement["stage"], implement["go"], implement["warm"]) == (
        "implement", "hand off", False,
    )  # fmt: skip
    assert implement["idle_seconds"] > 5.9 * 3600
    assert implement["used"] > 6_000, "with the README that was read for the plan"
    assert (done["stage"], done["warm"]) == ("done", True)


def test_a_person_is_told_with_figures_and_may_come_back(story: Story) -> None:
    """F3: after a rejection too; the run ends with the code that says so."""
    assert story.asked == 2
    assert "of its window" in story.screen
    assert "the stage needs 1,080,000" in " ".join(story.screen.split())
    assert "continue in a new session, with a handoff" in " ".join(story.screen.split())
    commands = [one.command for one in story.shown.choices]
    assert commands == ["sparing approve 001", "sparing reject 001"]
    assert (story.shown.cause, story.shown.stage) == ("handoff", "done")
    assert "of its window" in story.shown.waits_for


def test_an_agent_that_can_t_be_asked_stops_no_handoff(story: Story) -> None:
    """F4, I1: where a last word costs more than it spares nobody is asked for one; killed right
    after the weighing, it goes on."""
    assert (story.left.code, story.handed.code) == (KILLED, 2)
    last = [one for one in story.told.ways if one[0] == "done"][-2:]
    assert [turn for _, turn, _ in last][-1:] == ["redo"], last


def test_the_report_shows_both_ways_beside_what_was_expected(story: Story) -> None:
    """F6, C16"""
    stages = [(one.stage, one.go, one.warm) for one in story.report.stages]
    assert stages[:2] == [("plan", "begin", False), ("implement", "hand off", False)]
    assert stages[-1] == ("done", "hand off", True)
    assert [one.name for one in story.report.figures] == [
        "sessions", "prompt tokens in all", "of these repeated", "later stages, warm",
        "later stages, cold", "later stages, as they went",
    ]  # fmt: skip
    sessions, tokens, repeated, *_ = story.report.figures
    assert (sessions.value, sessions.against) == (3, "expected: one")
    assert tokens.against.startswith("expected: 45k to 80k")
    assert repeated.against == "expected without: 40 to 50 %"
    dumped = continuity_json(story.report)
    assert dumped is not None
    assert dumped["stages"][1]["billed_usd"] > 0
    drawn = io.StringIO()
    Console(width=80, file=drawn).print(continuity_page(story.report))
    assert max(len(line) for line in drawn.getvalue().splitlines()) <= 80


def test_a_refused_handoff_is_told_and_reported_as_refused(tmp_path: Path) -> None:
    """F3: the stage goes on in its session; that is no rejection of what was made, and the report
    says neither that it was handed off nor nothing."""
    path = tmp_path / "repository"
    make_repository(path, {"README.md": "# Long\n" + "word " * 4000})
    (tmp_path / "script.toml").write_text(SCRIPT)
    room = {"SPARING_FLOW__BUDGETS": "implement=900000"}
    own = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_STATE__FOLDER": str(tmp_path / "state"),
    }
    assert sparing(path, "start", "Make a file", "--flow", "L1", environ=own).code == 0
    assert sparing(path, "run", environ=own).code == 2
    assert sparing(path, "approve", "1", environ=own).code == 0
    terminal = Typed(path, "run", environ={**own, **room})
    terminal.wait_for("[later]: ")
    terminal.type("later\n")
    assert terminal.end() == 2
    assert sparing(path, "reject", "1", environ=own).code == 0
    went_on = sparing(path, "run", environ={**own, **room})
    assert "handoff refused" in went_on.err, went_on.err
    report = sparing(path, "report", "1", "--json", environ=own).json
    stages = {one["stage"]: one for one in report["continuity"]["stages"]}
    assert (stages["implement"]["go"], stages["implement"]["refused"]) == ("continue", True)
