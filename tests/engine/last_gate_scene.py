"""A feature that comes to its last gate with all that finish makes on its branch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.repositories import git, make_repository, write_files
from tests.terminal import Said, sparing

SCRIPT = '''
[[turn]]
role = "prd-author"
reply = "written"
[[turn.edit]]
path = "{folder}/prd.md"
text = """# PRD: paging
## Problem Statement
Lists are long, and whoever reads them waits for all of it. — Evidence: README.md.
## Goals
1. Pages with cursors.
"""
[[turn.edit]]
path = "{folder}/implementation-log.md"
text = """# Implementation Log
## Task 1.1: Cursors
- **Decisions:** opaque cursors
"""
[[turn.edit]]
path = "state.txt"
text = "broken\\n"

[[turn]]
role = "retro-facilitator"
reply = """{"retro_md": "# Retro of paging", "judgements": [], "entries": [
  {"kind": "pattern", "name": "Opaque cursors", "text": "Not parsed.", "provenance": "1.1"}]}"""

[[turn]]
role = "implementer"
prompt = "cursors must be signed"
reply = "Signed."
[[turn.edit]]
path = "cursor.txt"
text = "signed\\n"

[[turn]]
role = "implementer"
reply = "Repaired."
[[turn.edit]]
path = "state.txt"
text = "good\\n"

[[turn]]
role = "*"
reply = '{"approved": true, "findings": [], "summary": "Complete. No external claims."}'
'''
MAKEFILE = "test:\n\tgrep -q good state.txt\n"
FOLDER = "docs/features/001-paging"
BRANCH = "feature/001-paging"
MADE = [
    "Add the retrospective (001)",
    "Make the checks pass (001)",
    "Complete the feature (001)",
]
BACK = "Reopen the feature (001)"


class Scene(NamedTuple):
    path: Path
    environ: dict[str, str]

    def __call__(self, *words: str) -> Said:
        return sparing(self.path, *words, environ=self.environ)

    def run(self, code: int) -> Said:
        said = self("run", "--no-input")
        assert said.code == code, said.err
        return said

    def subjects(self, since: str) -> list[str]:
        return git(self.path, "log", "--format=%s", "--reverse", f"{since}..{BRANCH}").splitlines()

    def meta(self, commit: str = BRANCH) -> dict[str, Any]:
        return json.loads(git(self.path, "show", f"{commit}:{FOLDER}/.meta.json"))

    def files(self, commit: str = BRANCH) -> list[str]:
        found = git(self.path, "ls-tree", "-r", "--name-only", commit, FOLDER).split()
        return [name.removeprefix(f"{FOLDER}/") for name in found]

    @property
    def tip(self) -> str:
        return git(self.path, "rev-parse", BRANCH)

    @property
    def row(self) -> dict[str, Any]:
        return self("list", "--json").json["features"][0]


def scene_in(tmp_path: Path) -> Scene:
    """A feature whose idea is approved and that goes to its last stage with a broken check."""
    path = make_repository(tmp_path / "gate", {"Makefile": MAKEFILE, "state.txt": "good\n"})
    git(path, "switch", "--quiet", "--create", "elsewhere")
    write_files(tmp_path, {"script.toml": SCRIPT})
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_FLOW__ASSISTANTS": "retro-facilitator",
        "SPARING_WORKSPACE__HAND_OVER": "merge",
    }
    git(path, "switch", "--quiet", "main")
    scene = Scene(path, environ)
    assert scene("start", "Paging").code == 0
    git(path, "switch", "--quiet", "elsewhere")
    scene.run(2)
    assert scene("skip", "1", "finish").code == 0
    return scene
