"""A feature whose review ends at its cap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from tests.engine.records_of import records_of
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
        with records_of(self.folder).read() as connection:
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
        "review.cap": cap_of(policy),
    }
    return Capped(folder, answers.start(office, "List words", "feature", overrides, BEGAN))


def cap_of(policy: str) -> int:
    """The default means five under `seed`, which takes its own where nobody says otherwise."""
    return 2 if policy == "seed" else 3


def ended(policy: str) -> str:
    cap = cap_of(policy)
    return (
        f"its review ended at the cap: spec-reviewer failed at iteration {cap} of {cap},"
        " phase-reviewer passed; 1 finding stays open"
    )


def assert_its_gate_waits(folder: Path, policy: str, flag: str) -> None:
    """Exit code 2, and it says who failed; the record says so too."""
    capped = start(folder, policy)
    found = capped.say("run", "1", flag)
    assert found.code == 2
    held = "not passed by rule: " if flag == "--auto" else ""
    assert f"001 waits: your approval of specify; {held}{ended(policy)}" in found.err
    assert "the gate of specify passed" not in found.err
    phase = capped.phase("specify")
    assert (phase["capReached"], phase["iterations"]) == (True, cap_of(policy))
