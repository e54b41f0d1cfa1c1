"""A feature whose documents are there already: it begins with its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.database import Database
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.flow.advance import begin
from sparing.records import events, features
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.base_branch import resolve_base
from tests.engine.records_of import records_of
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

BEGAN = 1_767_225_600.0
SPEC = "# Spec\n\n## Acceptance Criteria\n- Every file is there, with its one line in it.\n"
SATISFIED = """
[[turn]]
role = "*-reviewer"
reply = '{"approved": true, "findings": [], "summary": "Fine. No external claims."}'
"""


def task(
    number: str, title: str, files: str, after: str = "none", done: str = "it is there"
) -> str:
    return (
        f"### Task {number}: {title}\n- **Depends on**: {after}\n- **Files**: {files}\n"
        f"- **Done when**: {done}\n\n"
    )


def turn(number: str, files: Mapping[str, str], reply: str = "", seconds: float = 0.0) -> str:
    """What the implementer of a task writes, and how long it takes for real."""
    said = reply or f"## Implemented\ntask {number}\n## Decisions\nnone\n"
    edits = "".join(
        f'[[turn.edit]]\npath = "{path}"\ntext = """{text}"""\n' for path, text in files.items()
    )
    return f"""
[[turn]]
role = "implementer"
task = "{number}"
reply = '''{said}'''
delay_seconds = {seconds}
{edits}"""


class Built(NamedTuple):
    """A repository and a state folder of its own, with one feature."""

    folder: Path
    row: FeatureRow

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    def sparing(self, *words: str, **environ: str) -> Said:
        return sparing(self.repository, *words, environ=self._environ(environ))

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        own = {
            "SPARING_STATE__FOLDER": str(self.folder / "state"),
            "SPARING_FLOW__GATES": "implement",
            "SPARING_FLOW__ASSISTANTS": "",
        }
        return {**own, **more}

    def git(self, *words: str) -> str:
        return git(self.repository, *words)

    @property
    def tree(self) -> str:
        """Without the program's own record, which tells how the work went."""
        found = self.git("ls-tree", "-r", self.row.feature.branch).splitlines()
        return "\n".join(line for line in found if not line.endswith((".json", "history.md")))

    def log(self) -> str:
        folder = f"docs/features/{self.row.feature.name}"
        return self.git("show", f"{self.row.feature.branch}:{folder}/implementation-log.md")

    def database(self) -> Database:
        return records_of(self.folder)

    @property
    def now(self) -> FeatureRow:
        with self.database().read() as connection:
            found = features.get(connection, self.row.feature.key)
        assert found is not None
        return found

    def told(self) -> list[Event]:
        with self.database().read() as connection:
            return events.since(connection, 0, self.row.feature.key)


def build(
    folder: Path,
    tasks: str,
    script: str,
    files: Mapping[str, str] | None = None,
    **overrides: object,
) -> Built:
    """A feature that stands before its implement stage, with these tasks."""
    repository = make_repository(
        folder / "repository", {"README.md": "# Sample\n", **(files or {})}
    )
    (folder / "script.toml").write_text(script)
    office = open_office(repository, {"state.folder": str(folder / "state")})
    base = resolve_base(office.repository, "")
    agent: dict[str, object] = {
        "agent.backend": "scripted",
        "agent.script": str(folder / "script.toml"),
        "engine.clock": "counted",
        **{name.replace("__", "."): value for name, value in overrides.items()},
    }
    head = (base.branch or "", base.commit)
    row = answers.new_row(office, "Write files", "feature", 1, head, agent, BEGAN)
    documents = {"spec.md": SPEC, "tasks.md": f"# Tasks\n\n{tasks}"}
    given = [[name, office.folder.keep(text)] for name, text in documents.items()]
    state = begin("feature", "implement", frozenset(ArtifactName))
    place = {"state": state.dump(), "head": base.commit, "given": given}
    with office.database.write() as tx:
        features.create(tx, replace(row, place=place))
    return Built(folder, row)
