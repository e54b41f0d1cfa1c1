"""A project from its PRD to its first features, killed on the way; an idea that stays a document.

Covers: A1, A5, A8, C11, D3, H1, I1
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.cli.main import main
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

KILLED = -9
PRD = """# PRD: Payments

## Problem Statement
Clerks type every payment twice. — Evidence: the log

Auditors complain about it.

## Goals
- Each payment is typed once.
"""
CIRCLE = {
    "features": [
        {"name": "Record a payment", "depends_on": ["Correct a payment"]},
        {"name": "Correct a payment", "depends_on": ["Record a payment"]},
    ]
}
PROPOSED: dict[str, Any] = {
    "features": [
        {"name": "Correct a payment", "depends_on": ["Record a payment"]},
        {"name": "Record a payment", "description": "A clerk records one", "depends_on": []},
    ],
    "milestones": [{"name": "First money", "features": ["Record a payment"], "shows": "one bill"}],
}
TURNS = f"""
[[turn]]
role = "decomposer"
prompt = "can't be used"
reply = '''{json.dumps(PROPOSED)}'''
[[turn]]
role = "decomposer"
reply = '''{json.dumps(CIRCLE)}'''
[[turn]]
role = "codebase-explorer"
fail = "refused"
[[turn]]
role = "prd-author"
reply = "written"
[[turn.edit]]
path = "{{folder}}/prd.md"
text = '''{PRD}'''
[[turn]]
role = "*-reviewer"
reply = '{{"approved": true, "findings": [], "summary": "fine"}}'
"""


class Site(NamedTuple):
    repository: Path
    environ: dict[str, str]

    def say(self, *words: str, crash: str = "") -> Said:
        more = {"SPARING_ENGINE__CRASH_AT": crash} if crash else {}
        return sparing(self.repository, *words, environ={**self.environ, **more})


class Desk(NamedTuple):
    """Commands that start no engine, in this process."""

    capture: pytest.CaptureFixture[str]

    def say(self, *words: str) -> Said:
        self.capture.readouterr()
        code = main(words)
        out, err = self.capture.readouterr()
        return Said(code, out, err)

    def json(self, *words: str) -> dict[str, object]:
        said = self.say(*words, "--json")
        assert said.out, said.err
        return said.json


@pytest.fixture
def desk(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(site.repository)
    for name, value in site.environ.items():
        monkeypatch.setenv(name, value)
    return Desk(capsys)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A project of two features; the run that proposes them is killed once."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "script.toml").write_text(TURNS + SCRIPT)
    (folder / "prd.md").write_text(PRD)
    environ = {
        "XDG_STATE_HOME": str(folder / "state"),
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
    }
    found = Site(make_repository(folder / "repository", {"a.txt": "a"}), environ)
    words = ("project", "new", "--from-file", "../prd.md", "--yes", "--hand-over", "merge")
    killed = found.say(*words, crash="propose:end@2")
    assert killed.code == KILLED
    assert "project P001: Payments" in killed.out + killed.err
    shown = found.say("project", "show")
    assert shown.out.splitlines()[-1].strip() == "sparing run P001", shown
    done = found.say(*_hint(shown), "--yes")
    assert done.code == 0, done.err
    return found


def _hint(said: Said) -> list[str]:
    """The command in the last line, to be typed as it stands."""
    return (said.out + said.err).splitlines()[-1].strip().removeprefix("sparing ").split()


def test_a_proposal_with_a_circle_goes_back_and_the_next_is_written_down(site: Site) -> None:
    """A8, I1: killed between any two steps, one commit each; nothing but a merge in main."""
    roadmap = (site.repository / "docs/projects/P001-payments/roadmap.md").read_text()
    assert "1. **001-record-a-payment** — A clerk records one (depends on: none)" in roadmap
    assert "2. **002-correct-a-payment**" in roadmap
    subjects = git(site.repository, "log", "--format=%s", "project/P001-payments").splitlines()
    assert subjects == [
        "Complete the project (P001)",
        "Propose roadmap.md (P001)",
        "Add prd.md as given (P001)",
        "first commit",
    ]
    assert git(site.repository, "status", "--porcelain") == ""


def test_the_next_features_begin_one_after_the_other(site: Site, desk: Desk) -> None:
    """A8, A5, D3: under the roadmap's numbers, with their project in what authors are told."""
    offered = _hint(desk.say("project", "show"))
    assert offered[:2] == ["project", "next"]
    begun = desk.json(*offered, "--tier", "L1", "--hand-over", "merge")
    assert (begun["feature"], begun["branch"]) == ("001", "feature/001-record-a-payment")
    nothing = desk.say("project", "next", "--tier", "L1")
    assert nothing.code == 2
    assert "002-correct-a-payment: waiting, waits for 001-record-a-payment (planned)" in nothing.err
    later = desk.say("start", "Show payments", "--tier", "L1", "--after", "1", "--yes")
    assert (later.code, later.err) == (0, "003 waits for 001-record-a-payment (planned)\n")
    alone = desk.say("run", "3")
    assert (alone.code, alone.err) == (2, "003 waits for 001-record-a-payment (planned)\n")
    assert _hint(nothing) == _hint(desk.say("project", "show")) == ["run"]
    done = site.say(*_hint(nothing), "--yes", "--hand-over", "merge")
    assert done.code == 0, done.err
    merged = git(site.repository, "log", "--merges", "--format=%s", "main").splitlines()
    assert [one.split(":")[0] for one in merged] == [
        "Merge feature/003-show-payments",
        "Merge feature/001-record-a-payment",
        "Merge project/P001-payments",
    ]
    meta = json.loads(
        (site.repository / "docs/features/001-record-a-payment/.meta.json").read_text()
    )
    assert (meta["project_id"], meta["status"]) == ("P001", "completed")
    shown = desk.say("project", "show").out
    assert "✓ 001-record-a-payment (done)" in shown
    assert "→ 002-correct-a-payment (ready)" in shown
    prompt = desk.say("show", "prompt", "builder", "--feature", "1", "--stage", "plan").out
    assert "**Project:** P001-payments | **This feature:** 001-record-a-payment" in prompt


def test_an_idea_is_researched_written_and_stopped(site: Site, desk: Desk) -> None:
    """A1, C11: one who fails is told and left out, and the author goes on without it."""
    assert desk.json("start", "An idea", "--flow", "feature")["feature"] == "004"
    at_gate = site.say("run", "4", "--no-input")
    assert at_gate.code == 2
    for line in (
        "codebase-explorer: skipped, refused",
        "1 claim has no evidence or assumption mark",
    ):
        assert line in at_gate.err
    stopped = desk.json("stop", "4")
    assert stopped["document"] == "docs/features/004-an-idea/prd.md"
    kept = git(site.repository, *str(stopped["next_command"]).split()[1:])
    assert kept == PRD.strip()
