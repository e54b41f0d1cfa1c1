"""A feature whose reviewer refuses in prose and quotes an approval."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sparing.database import Database
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.records import ledger, verdicts
from sparing.records.features import FeatureRow
from tests.engine.records_of import records_of
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
        return records_of(self.folder)


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
