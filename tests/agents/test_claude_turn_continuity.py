"""One session or several, with the real client. Covers: F1, F4, F6.

The model is scripted and the client is real: the largest tier once in one session and once
handed off before implement, and a small one that waited six hours by the engine's clock.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import sparing

DOUBLED = ("demo", "--backend", "claude-double", "--tier", "L3", "--keep", "here", "--json")
CONTINUE = {"SPARING_FLOW__CONTINUITY": "continue"}
TURN = "stage, template, way, session, read, write_5m, context_tokens"


class Ran(NamedTuple):
    tree: list[str]
    """All files but the record with its times."""
    weighed: list[tuple[str, str, bool]]
    turns: list[sqlite3.Row]
    report: dict[str, Any]


def turns(state: Path) -> tuple[list[tuple[str, str, bool]], list[sqlite3.Row]]:
    (file,) = state.glob("**/sparing.db")
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        rows = database.execute("select stage, data from events where kind = 'weighed' order by n")
        told = [(stage, json.loads(data)) for stage, data in rows]
        builder = f"select {TURN} from ledger where role = 'builder' order by started, attempt"
        return (
            [(stage, data["go"], data.get("warm", False)) for stage, data in told],
            database.execute(builder).fetchall(),
        )


def ran(folder: Path, **own: str) -> Ran:
    folder.mkdir()
    environ = {"XDG_STATE_HOME": str(folder / "state"), **CONTINUE, **own}
    said = sparing(folder, *DOUBLED, environ=environ, limit_seconds=300)
    assert (said.code, said.json["merged"]) == (0, True), said.err
    repository = folder / "here" / "wordtally"
    tree = git(repository, "ls-tree", "-r", "main").splitlines()
    report = sparing(repository, "report", "1", "--json", environ=environ).json["continuity"]
    files = [line for line in tree if not line.endswith(".meta.json")]
    return Ran(files, *turns(folder / "state"), report)


def test_continued_or_handed_off_the_same_is_made(tmp_path: Path) -> None:
    """F1, F4, F6: what differs are sessions and bills."""
    whole = ran(tmp_path / "whole")
    parted = ran(tmp_path / "parted", SPARING_FLOW__BUDGETS="implement=900000")
    assert whole.tree == parted.tree
    assert len({turn["session"] for turn in whole.turns}) == 1
    assert len({turn["session"] for turn in parted.turns}) == 2
    asked = [
        (turn["template"], turn["way"]) for turn in parted.turns if turn["stage"] == "implement"
    ]
    assert asked == [("build", "plain")], "a last word would cost as much as the stage"
    for one, expected in ((whole, 1), (parted, 2)):
        assert one.report["figures"][0]["value"] == expected
        names = {figure["name"] for figure in one.report["figures"]}
        assert {"later stages, warm", "later stages, cold"} <= names


def test_a_session_survives_six_hours_and_is_known_to_be_cold(tmp_path: Path) -> None:
    """F1, F6: predicted cold, and billed so: what it held is written to the cache again."""
    path = make_repository(tmp_path / "sample", {"README.md": "word " * 8_000})
    (tmp_path / "script.toml").write_text(SCRIPT)
    own = {
        "SPARING_AGENT__BACKEND": "claude-double", "SPARING_STATE__FOLDER": str(tmp_path / "state"),
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"), **CONTINUE,
    }  # fmt: skip
    assert sparing(path, "start", "Make a file", "--tier", "L1", environ=own).code == 0
    assert sparing(path, "run", environ=own).code == 2
    assert sparing(path, "approve", "1", environ=own).code == 0
    later = {**own, "SPARING_ENGINE__AHEAD_SECONDS": "21600"}
    assert sparing(path, "run", environ=later).code == 2
    weighed, (plan, build, done) = turns(tmp_path / "state")
    assert weighed[1:] == [("implement", "continue", False), ("done", "continue", True)]
    assert {plan["session"], build["session"], done["session"]} == {plan["session"]}
    assert build["write_5m"] > plan["context_tokens"]
    assert done["write_5m"] < plan["context_tokens"], "warm again right after"
