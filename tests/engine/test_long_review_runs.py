"""One review loop under every policy, and one whose session is lost on the way.

Covers: C3, C4, C5, C8, C13, C18
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.history_reader import read_history
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.records import ledger
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.review.history import Fallback
from tests.repositories import git, make_repository
from tests.terminal import sparing

BEGAN = 1_767_225_600.0
SCRIPT = '''
[[turn]]
role = "prd-author"
reply = "A wish."
[[turn.edit]]
path = "{folder}/prd.md"
text = """# PRD
## Problem Statement
People want to know which words they lean on, and have to copy the text elsewhere today.
## Goals
1. One command lists them.
"""

[[turn]]
role = "spec-author"
iteration = 1
read = ["{folder}/prd.md"]
reply = "A spec."
[[turn.edit]]
path = "{folder}/spec.md"
text = """# Spec
## Problem Statement
The command says how many words there are and not which ones dominate the text.
## Acceptance Criteria
- Words with the same count come in a sensible order.
"""

[[turn]]
role = "spec-reviewer"
iteration = 1
read = ["{folder}/prd.md"]
reply = """{"approved": false, "findings": [{"severity": "blocker", "location": "Criteria",
 "text": "No test refutes this.",
 "quote": "Words with the same count come in a sensible order."}]}"""

[[turn]]
role = "spec-author"
iteration = 2
read = ["{folder}/prd.md"]
reply = """## Findings
- `F1`: changed — alphabetical now.

## Fix summary
Ties are alphabetical."""
[[turn.edit]]
path = "{folder}/spec.md"
find = "a sensible order"
replace = "alphabetical order"

[[turn]]
role = "*"
read = ["{folder}/prd.md", "{folder}/spec.md"]
reply = '{"approved": true, "findings": [], "summary": "Fine."}'
'''

SAME = """
[[turn]]
role = "spec-author"
reply = "It is all there."
"""
MORE = """
[[turn]]
role = "spec-author"
reply = "Which words is said now."
[[turn.edit]]
path = "{folder}/spec.md"
find = "alphabetical order"
replace = "alphabetical order, stop words left out"

[[turn]]
role = "*"
reply = '{"approved": true, "findings": [], "summary": "Fine."}'
"""


class Ran(NamedTuple):
    tree: str
    history: str
    rows: list[LedgerRow]

    def ways(self, role: str) -> list[str]:
        return [one.attempt.way for one in self.rows if one.attempt.role == role]


class Place(NamedTuple):
    """A feature in a repository of its own, with a state folder of its own."""

    folder: Path
    policy: str

    def start(self) -> FeatureRow:
        repository = make_repository(self.folder / "repository")
        (self.folder / "script.toml").write_text(SCRIPT)
        office = open_office(repository, {"state.folder": str(self.folder / "state")})
        overrides: dict[str, object] = {
            "agent.backend": "scripted",
            "agent.script": str(self.folder / "script.toml"),
            "engine.clock": "counted",
            "review.policy": self.policy,
            "review.cap": 5,  # the original's, so that all say the same of an iteration
        }
        return answers.start(office, "List words", "feature", overrides, BEGAN)

    def run(self, **environ: str) -> int:
        given = {
            "SPARING_STATE__FOLDER": str(self.folder / "state"),
            "SPARING_FLOW__GATES": "specify",
            **environ,
        }
        return sparing(self.folder / "repository", "run", environ=given).code

    def reject(self, words: str, script: str) -> None:
        """A person is not content; from now on agents go by another script."""
        (self.folder / "script.toml").write_text(script)
        given = {"SPARING_STATE__FOLDER": str(self.folder / "state")}
        assert sparing(self.folder / "repository", "reject", "1", words, environ=given).code == 0

    def forget_sessions(self) -> None:
        for path in (self.folder / "state").rglob("scripted/sessions/*.json"):
            path.unlink()

    def ended(self, row: FeatureRow) -> Ran:
        where, branch = self.folder / "repository", row.feature.branch
        text = git(where, "show", f"{branch}:docs/features/{row.feature.name}/.review-history.md")
        (database,) = (self.folder / "state").rglob("sparing.db")
        connection = sqlite3.connect(database)
        connection.row_factory = sqlite3.Row
        rows = ledger.of_feature(connection, row.feature.key)
        connection.close()
        return Ran(git(where, "rev-parse", f"{branch}^{{tree}}"), text, rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield tmp_path_factory.mktemp("policies")


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    found: dict[str, Ran] = {}
    for policy in ("seed", "fresh", "adaptive"):
        place = Place(folder / policy, policy)
        row = place.start()
        assert place.run() == 2  # it waits at its gate
        found[policy] = place.ended(row)
    return found


def test_every_policy_ends_with_the_same_tree(ran: dict[str, Ran]) -> None:
    """C18: the documents, the record and the history, to the byte."""
    assert ran["seed"].tree == ran["fresh"].tree == ran["adaptive"].tree


def test_the_policies_went_their_own_ways(ran: dict[str, Ran]) -> None:
    """C3, C4: iteration 1 is fresh; the original refers, the naive way never goes on."""
    assert ran["seed"].ways("spec-reviewer")[0] == "reference"
    assert ran["fresh"].ways("spec-reviewer") == ["compose", "compose"]
    assert ran["adaptive"].ways("spec-reviewer") == ["compose", "resume"]


def test_every_dispatch_told_all_that_its_agent_must_know(ran: dict[str, Ran]) -> None:
    """C18: context recall is 100 %, and something was really looked for."""
    sent = [(one.attempt.role, one.attempt.sent) for run in ran.values() for one in run.rows]
    assert [(role, said.missing) for role, said in sent if said.missing != ()] == []
    assert sum(said.needed or 0 for _, said in sent) > 100


def test_what_each_way_would_cost_is_on_record(ran: dict[str, Ran]) -> None:
    """E1: of all ways, also those that could not be taken."""
    (again,) = [
        one.attempt
        for one in ran["adaptive"].rows
        if (one.attempt.role, one.attempt.iteration) == ("spec-reviewer", 2)
    ]
    predicted = again.sent.dump()["predicted"]
    assert set(predicted) == {"compose", "reference", "resume", "fork", "plain"}
    assert predicted["resume"]["cost"] < predicted["compose"]["cost"]
    assert predicted["fork"] == {"why_not": "fork is not on offer"}
    assert again.reason.startswith("resume costs as much as")


def test_the_history_tells_each_iteration(ran: dict[str, Ran]) -> None:
    """C13"""
    entries = [
        one for one in read_history(ran["adaptive"].history).entries if one.stage == "specify"
    ]
    assert [(one.judged[0].role, one.iteration) for one in entries] == [
        ("spec-reviewer", 1), ("spec-reviewer", 2), ("phase-reviewer", 1),
    ]  # fmt: skip
    assert [noted.state for noted in entries[0].findings] == ["F1, new"]
    assert entries[0].changes == ("`F1`: changed — alphabetical now.", "Ties are alphabetical.")


def test_what_is_sent_back_and_stays_as_it_is_is_not_reviewed_again(folder: Path) -> None:
    """C7: both reviewers passed on this very document; its author leaves it, and a person is told.
    Once it changes, both look."""
    place = Place(folder / "sent back", "adaptive")
    row = place.start()
    assert place.run() == 2
    before = place.ended(row)
    place.reject("Is that all?", SAME)
    assert place.run() == 2
    after = place.ended(row)
    for role, asked in (("spec-author", 1), ("spec-reviewer", 0), ("phase-reviewer", 0)):
        assert len(after.ways(role)) - len(before.ways(role)) == asked, role
    place.reject("Say which words.", MORE)
    assert place.run() == 2
    last = place.ended(row)
    for role in ("spec-author", "spec-reviewer", "phase-reviewer"):
        assert len(last.ways(role)) - len(after.ways(role)) == 1, role


def test_a_lost_session_leaves_its_marker_and_the_loop_finishes(
    folder: Path, ran: dict[str, Ran]
) -> None:
    """C8: killed when the author has revised, its sessions gone, and gone on with."""
    place = Place(folder / "lost", "adaptive")
    row = place.start()
    assert place.run(SPARING_ENGINE__CRASH_AT="commit:end@3") == -9
    place.forget_sessions()
    assert place.run() == 2
    found = place.ended(row)
    lines = [line for line in found.history.splitlines() if line.startswith("RESUME-FALLBACK")]
    (marker,) = lines
    assert re.fullmatch(
        "RESUME-FALLBACK: spec-reviewer iteration 2 — invalid session:"
        " the session [0-9a-f]{32} is not known",
        marker,
    )
    assert [one for one in read_history(found.history).items if isinstance(one, Fallback)]
    without = found.history.replace(f"{marker}\n\n", "")
    assert without == ran["adaptive"].history
    assert found.ways("spec-reviewer") == ["compose", "resume", "compose"]
