"""A reply that is no verdict: one repair turn, then a person, and never an author. Covers: C14."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sparing.database import Database
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.records import ledger, verdicts
from sparing.records.features import FeatureRow
from tests.repositories import make_repository
from tests.terminal import Said, sparing

BEGAN = 1_767_225_600.0
SCRIPT = (Path(__file__).parents[1] / "scripts" / "quoting_reviewer.toml").read_text("utf-8")
REPAIRED = """
[[turn]]
role = "prd-reviewer"
prompt = "could not be read as a verdict"
reply = '{"approved": true, "findings": [], "summary": "The goal is clear."}'
"""


class Quoting(NamedTuple):
    folder: Path
    row: FeatureRow

    def say(self, *words: str) -> Said:
        given = {
            "SPARING_STATE__FOLDER": str(self.folder / "state"),
            "SPARING_FLOW__GATES": "brainstorm",
            "SPARING_FLOW__ASSISTANTS": "",
        }
        return sparing(self.folder / "repository", *words, environ=given)

    def asked(self) -> list[tuple[str, str]]:
        """Who was asked for what, in order."""
        with self._database().read() as connection:
            rows = ledger.of_feature(connection, self.row.feature.key)
        return [(one.attempt.role, one.attempt.template) for one in rows]

    def passed(self) -> list[tuple[str, bool]]:
        with self._database().read() as connection:
            rows = verdicts.of_feature(connection, self.row.feature.key)
        return [(one.verdict.role, one.passed) for one in rows]

    def _database(self) -> Database:
        (path,) = (self.folder / "state").rglob("sparing.db")
        return Database(path)


def start(folder: Path, script: str, flow: str = "feature") -> Quoting:
    repository = make_repository(folder / "repository")
    (folder / "script.toml").write_text(script)
    office = open_office(repository, {"state.folder": str(folder / "state")})
    overrides: dict[str, object] = {
        "agent.backend": "scripted",
        "agent.script": str(folder / "script.toml"),
        "engine.clock": "counted",
    }
    return Quoting(folder, answers.start(office, "List words", flow, overrides, BEGAN))


def test_prose_that_quotes_an_approval_and_refuses_goes_to_a_person(tmp_path: Path) -> None:
    """C14: no approval, one repair turn, no author's turn; then it goes on from there."""
    quoting = start(tmp_path, SCRIPT)
    found = quoting.say("run", "1", "--auto")
    assert found.code == 2
    assert "001 waits: no verdict: prd-reviewer was asked twice; " in found.err
    assert "The goal has no measure at all. I do not approve." in found.err
    assert "sparing resume 001" in found.err
    asked = [("prd-author", "write"), ("prd-reviewer", "review"), ("prd-reviewer", "repair_reply")]
    assert (quoting.asked(), quoting.passed()) == (asked, [("prd-reviewer", False)])
    fixed = SCRIPT.replace('role = "prd-reviewer"', 'role = "nobody"')
    (tmp_path / "script.toml").write_text(fixed)
    assert quoting.say("resume", "1").code == 0
    again = quoting.say("run", "1", "--no-input")
    assert "001 waits: your approval of brainstorm" in again.err
    more = [("prd-reviewer", "review"), ("readiness-reviewer", "review")]
    assert quoting.asked() == [*asked, *more]


def test_one_repair_turn_may_put_it_right(tmp_path: Path) -> None:
    """C14: the object alone counts, whichever way it goes."""
    quoting = start(tmp_path, REPAIRED + SCRIPT)
    assert quoting.say("run", "1", "--no-input").code == 2
    assert ("prd-reviewer", "repair_reply") in quoting.asked()
    assert quoting.passed() == [("prd-reviewer", True), ("readiness-reviewer", True)]


def test_a_judge_that_gives_no_verdict_sends_nobody_back(tmp_path: Path) -> None:
    """C14, F9: a tier's judge is held to the same; its builder is not asked again."""
    script = SCRIPT.replace("prd-author", "builder").replace("prd.md", "brainstorm.md")
    quoting = start(tmp_path, script.replace("prd-reviewer", "judge"), "L3")
    found = quoting.say("run", "1", "--auto")
    assert found.code == 2
    assert "001 waits: no verdict: judge was asked twice; " in found.err
    judged = [("builder", "write"), ("judge", "judge"), ("judge", "repair_reply")]
    assert quoting.asked() == judged
