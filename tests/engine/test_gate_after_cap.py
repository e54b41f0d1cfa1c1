"""A review that ended at its cap: no mode passes its gate by rule, and the gate says why.

Covers: C1, C2, A5, A6, A7
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.database import Database
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

BEGAN = 1_767_225_600.0
SCRIPTS = Path(__file__).parents[1] / "scripts"


class Capped(NamedTuple):
    """A feature whose spec reviewer fails in three of three iterations."""

    folder: Path
    row: FeatureRow

    def say(self, *words: str) -> Said:
        given = {
            "SPARING_STATE__FOLDER": str(self.folder / "state"),
            "SPARING_FLOW__GATES": "specify",
        }
        return sparing(self.folder / "repository", *words, environ=given)

    def told(self) -> list[Event]:
        (database,) = (self.folder / "state").rglob("sparing.db")
        with Database(database).read() as connection:
            return events.since(connection, 0, self.row.feature.key)

    def phase(self, name: str) -> dict[str, object]:
        feature = self.row.feature
        path = f"{feature.branch}:docs/features/{feature.name}/.meta.json"
        return json.loads(git(self.folder / "repository", "show", path))["phases"][name]


def start(folder: Path, policy: str) -> Capped:
    repository = make_repository(folder / "repository")
    office = open_office(repository, {"state.folder": str(folder / "state")})
    overrides: dict[str, object] = {
        "agent.backend": "scripted",
        "agent.script": str(SCRIPTS / "objecting_reviewer.toml"),
        "engine.clock": "counted",
        "review.policy": policy,
        "review.cap": 3,
    }
    return Capped(folder, answers.start(office, "List words", "feature", overrides, BEGAN))


ENDED = (
    "its review ended at the cap: spec-reviewer failed at iteration 3 of 3,"
    " phase-reviewer passed; 1 finding stays open"
)


@pytest.mark.parametrize(
    ("policy", "flag"),
    [("adaptive", "--auto"), ("seed", "--auto"), ("adaptive", "--yes"), ("seed", "--no-input")],
)
def test_no_mode_passes_a_gate_over_a_review_that_ended_at_its_cap(
    tmp_path: Path, policy: str, flag: str
) -> None:
    """C2, A7, A5: the gate waits, exit 2, and says who failed; the record says so too."""
    capped = start(tmp_path, policy)
    found = capped.say("run", "1", flag)
    assert found.code == 2
    held = "not passed by rule: " if flag == "--auto" else ""
    assert f"001 waits: your approval of specify; {held}{ENDED}" in found.err
    assert "the gate of specify passed" not in found.err
    phase = capped.phase("specify")
    assert (phase["capReached"], phase["iterations"]) == (True, 3)


def test_a_person_may_approve_what_no_rule_passes(tmp_path: Path) -> None:
    """A6, C2: a later run by rule still waits; the person's word goes on, and is on record."""
    capped = start(tmp_path, "adaptive")
    assert capped.say("run", "1", "--no-input").code == 2
    again = capped.say("run", "1", "--auto")
    assert (again.code, "waits: your approval of specify" in again.err) == (2, True)
    assert capped.say("approve", "1").code == 0
    on = capped.say("run", "1", "--auto")
    assert "design-author" in on.err
    assert [one.text for one in capped.told() if one.kind == "passed"] == []
