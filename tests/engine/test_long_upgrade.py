"""Legs of another revision begin anew from their last decision, wherever they were stopped.

Each run is killed at point after point, and every time the work so far counts as recorded by
another version. In the end there is the tree of a run that nobody disturbed, no commit twice, and
no turn was paid for again but the one that was in flight.
Covers: I1, I4, I7
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.built import Built, build
from tests.engine.killed import KILLED, KILLS, TIER, WHOLE, undisturbed
from tests.engine.old_state import OldState, key_of, load
from tests.engine.other_revision import commits, contents, record_under_another, started_tier
from tests.engine.test_long_waves import SCRIPT, TASKS
from tests.repositories import git
from tests.terminal import sparing

AT_A_GATE = 2
PLAIN = {"SPARING_FLOW__ASSISTANTS": ""}
"""With which the kept states of the feature flow were made."""
SMALLEST = ("--tier", "L1")
POINTS = {
    WHOLE: (*KILLS[WHOLE], "settle:begin"),
    TIER: (*KILLS[TIER], "settle:begin", "decide:end"),
    SMALLEST: (
        "open:begin",
        "decide:end@2",
        "call:reserved",
        "call:answered",
        "call:end",
        "commit:end",
        "close:end",
        "settle:begin",
        "settle:end",
        "check:begin",
        "check:end",
        "handover:end",
    ),
}
TWICE = "select dispatch, count(*) from ledger group by dispatch having count(*) > 1"
PAID = (
    "select stage, role, iteration, task, template from ledger"
    " where outcome = 'known' and origin is not 'estimated'"
)


def states() -> Path:
    return Path.home() / ".local/state/sparing"


def killed_under_others(folder: Path, points: Sequence[str], *options: str) -> Path:
    repository = folder / "killed" / "wordtally"
    where, words = folder, ("demo", "--keep", "killed", *options)
    for point in points:
        said = sparing(where, *words, environ={"SPARING_ENGINE__CRASH_AT": point})
        assert said.code == KILLED, f"{point}: {said.err}"
        record_under_another(states())
        where, words = repository, ("run", "--yes")
    again = sparing(repository, "run", "--yes")
    assert again.code == 0, again.err
    return repository


@pytest.mark.parametrize("options", POINTS)
def test_a_run_killed_again_and_again_ends_with_the_same_tree(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """I1, I7: the same trees, commit by commit, and the same turns paid for."""
    repository = killed_under_others(tmp_path, POINTS[options], *options)
    turns = known_turns(repository)
    undisturbed(tmp_path, *options)
    whole = tmp_path / "whole" / "wordtally"
    assert contents(repository) == contents(whole)
    assert turns == known_turns(whole)


def known_turns(repository: Path) -> list[tuple[object, ...]]:
    """All whose bill is known; of one that was cut short nobody saw the end."""
    database = states() / key_of(repository) / "sparing.db"
    with closing(sqlite3.connect(database)) as connection:
        return sorted(connection.execute(PAID).fetchall())


@pytest.mark.parametrize("name", ["feature-gate", "feature-review"])
def test_a_feature_of_the_earlier_version_goes_on(name: str, tmp_path: Path) -> None:
    """I4, I7: parked at its first gate, and killed in its first review."""
    old = load(name, tmp_path / "old")
    before, repeated = commits(old.repository), old.rows(TWICE)
    said = old.sparing("run", "--yes", **PLAIN)
    assert said.code == 0, said.err
    assert ("continues from its last decision" in said.err) == (name == "feature-review")
    sparing(tmp_path, "demo", "--keep", "whole", environ=PLAIN)
    whole = tmp_path / "whole" / "wordtally"
    after = commits(old.repository)
    assert after[: len(before)] == before
    assert contents(old.repository, histories=False) == contents(whole, histories=False)
    assert old.rows(TWICE) == repeated


def test_a_gate_that_was_not_opened_yet_asks(tmp_path: Path) -> None:
    """I4: the answer to the gate before it is not taken for an answer to this one."""
    made: OldState = started_tier(tmp_path)
    assert made.sparing("run", "--no-input").code == AT_A_GATE
    assert made.sparing("approve", "1").code == 0
    crash = {"SPARING_ENGINE__CRASH_AT": "settle:begin"}
    assert made.sparing("run", "--no-input", **crash).code == KILLED
    assert record_under_another(made.state)
    said = made.sparing("run", "--no-input")
    assert (said.code, "waits: your approval of done" in said.err) == (AT_A_GATE, True), said.err
    (gate,) = made.rows("select stage from gates where answer is null")
    assert gate == ("done",)


def test_a_wave_goes_on_in_its_lanes(tmp_path: Path) -> None:
    """D1, I7: a lane that had committed counts; nothing is done twice, and no lane stays."""
    built: Built = build(tmp_path, TASKS, SCRIPT, flow__waves=2)
    for point in ("commit:end", "call:answered", "join:end"):
        said = built.sparing("run", SPARING_ENGINE__CRASH_AT=point)
        assert said.code == KILLED, f"{point}: {said.err}"
        assert record_under_another(tmp_path / "state")
    said = built.sparing("run")
    assert said.code == AT_A_GATE, said.err
    serial = build(tmp_path / "serial", TASKS, SCRIPT, flow__waves=1)
    assert serial.sparing("run").code == AT_A_GATE
    assert code_of(built) == code_of(serial)
    assert built.git("for-each-ref", "refs/heads/sparing") == ""
    assert [one.text for one in built.told() if one.kind == "incident"] == []


def code_of(built: Built) -> list[str]:
    listed = git(built.repository, "ls-tree", "-r", built.row.feature.branch).splitlines()
    return [line for line in listed if "\tdocs/" not in line]
