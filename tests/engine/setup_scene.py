"""A feature after `sparing init`, whose set-up notes all that it sees.

The set-up's program is a stand-in on PATH that copies the whole folder it was started in.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sparing.config.sources import sources_here
from sparing.desk.features.history import events_since
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.setup.repository_scan import agree, prospect
from sparing.desk.setup.worktree_setup import changed_setup, decide_setup
from sparing.job import Job, JobKind, Ticket
from sparing.provision.worktree_setup import outfit
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.worktree import Worktree
from tests.repositories import make_repository
from tests.workspace.setup_ways import change_files

AT = 1_767_225_600.0
STANDS_IN = (
    *("pip", "npm", "uv", "poetry", "pnpm", "cargo", "install-all", "yarn", "bun", "go", "bundle"),
)
PROGRAM = """#!/bin/sh
[ -n "$PIP_CACHE_DIR" ] || exit 1
mkdir -p "$PIP_CACHE_DIR"
rm -rf "$PIP_CACHE_DIR/seen"
cp -a . "$PIP_CACHE_DIR/seen"
echo run >> "$PIP_CACHE_DIR/runs"
"""


class Scene:
    """A repository after `sparing init`: its commands stand in sparing.toml."""

    def __init__(self, folder: Path, files: Mapping[str, str], *setup: str) -> None:
        listed = ", ".join(f"'{one}'" for one in setup)
        settings = {"sparing.toml": f"[workspace]\nsetup = [{listed}]\n"}
        path = make_repository(folder / "sample", {**settings, **files})
        tools = folder / "tools"
        tools.mkdir()
        for name in STANDS_IN:
            (tools / name).write_text(PROGRAM)
            (tools / name).chmod(0o755)
        self.office: Office = open_office(path)
        self.row: FeatureRow = answers.start(self.office, "Greet by name", "L1", {}, AT)
        self.around = Surroundings(
            self.office.folder, self.office.database, self.office.repository, sources_here(path),
            headless=True, environ={"PATH": f"{tools}:/usr/bin:/bin"},
        )  # fmt: skip
        self.worktree: Worktree = self.around.worktree(self.row, self.row.head)
        self.steps = 0
        agree(self.office, prospect(self.office).setup, agreed=True)

    @property
    def caches(self) -> Path:
        return self.office.folder.path / "caches" / "pip"

    def seen(self) -> str:
        """All that the set-up's program had before it, names and bytes."""
        root = self.caches / "seen"
        found = sorted(path for path in root.rglob("*") if path.name != ".git")
        return "\n".join(
            f"{path.relative_to(root)}\n{path.read_text() if path.is_file() else ''}"
            for path in found
        )

    def runs(self) -> int:
        return len((self.caches / "runs").read_text().splitlines())

    def opened(self) -> list[tuple[str, str]]:
        """What was told by now."""
        self.steps += 1
        job = Job(JobKind.OPEN, "plan", self.row.head, "open")
        ticket = Ticket(
            f"{self.row.feature.key}.g0.0.{self.steps}.0-open", self.row.feature.key, AT
        )
        outfit(self.around, self.row, self.worktree, ticket, job)
        return [(one.kind, one.text) for one in events_since(self.office, 0)]

    def work(self, files: Mapping[str, str]) -> None:
        self.steps += 1
        made = change_files(self.worktree, files, f"s{self.steps}")
        self.row = replace(self.row, head=made)

    def decide(self, *, agreed: bool) -> tuple[str, ...]:
        found = changed_setup(self.office, self.row)
        decide_setup(found, agreed=agreed)
        return found.files

    def vanish(self) -> None:
        shutil.rmtree(self.worktree.path)
        self.worktree = self.around.worktree(self.row, self.worktree.tip())
