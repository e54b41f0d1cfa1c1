"""A feature that a script of `tests/scripts` plays, with a repository and state of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sparing.database import Database
from sparing.desk.features.start_input import NOTHING, StartInput
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.records import events, features
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from tests.engine.records_of import records_of
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

BEGAN = 1_767_225_600.0
SCRIPTS = Path(__file__).parents[1] / "scripts"
FILES = {"README.md": "# Sample\n", "Makefile": "test:\n\ttrue\n"}


class Played(NamedTuple):
    folder: Path
    key: str

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    @property
    def row(self) -> FeatureRow:
        with self._database().read() as connection:
            found = features.get(connection, self.key)
        assert found is not None
        return found

    def say(self, *words: str, **environ: str) -> Said:
        own = {"SPARING_STATE__FOLDER": str(self.folder / "state"), **environ}
        return sparing(self.repository, *words, environ=own)

    def office(self) -> Office:
        return open_office(self.repository, {"state.folder": str(self.folder / "state")})

    def told(self) -> list[Event]:
        with self._database().read() as connection:
            return events.since(connection, 0, self.key)

    def document(self, name: str, commit: str = "") -> str:
        feature = self.row.feature
        where = commit or feature.branch
        return git(self.repository, "show", f"{where}:docs/features/{feature.name}/{name}")

    def meta(self, commit: str = "") -> dict[str, Any]:
        return json.loads(self.document(".meta.json", commit))

    def subjects(self) -> list[str]:
        branch = self.row.feature.branch
        return git(self.repository, "log", "--format=%s", f"main..{branch}").splitlines()

    def _database(self) -> Database:
        return records_of(self.folder)


def play(
    folder: Path,
    script: str,
    flow: str = "feature",
    beginning: StartInput = NOTHING,
    overrides: Mapping[str, object] | None = None,
    files: Mapping[str, str] = FILES,
) -> Played:
    """Started, and not run yet."""
    repository = make_repository(folder / "repository", dict(files))
    office = open_office(repository, {"state.folder": str(folder / "state")})
    given: dict[str, object] = {
        "agent.backend": "scripted",
        "agent.script": str(SCRIPTS / script),
        "engine.clock": "counted",
        "flow.assistants": [],
        **(overrides or {}),
    }
    row = answers.start(office, "Greet people", flow, given, BEGAN, beginning)
    return Played(folder, row.feature.key)
