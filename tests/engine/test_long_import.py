"""Specs of other tools, imported by the command and run to a merge.

Covers: K6, A1, D1
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, turn
from tests.foreign.folders import HERE
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

CASES = {
    "spec-kit/014-export-csv": (
        "specs/014-export-csv",
        {
            "T001": "tests/test_export.py",
            "T002": "tests/test_quotes.py",
            "T003": "ledger/export.py",
            "T004": "ledger/cli.py",
            "T005": "README.md",
        },
    ),
    "openspec/split-billing": (
        "openspec/changes/split-billing",
        {
            "1.1": "billing/prices.py",
            "1.2": "orders/prices.py",
            "2.1": "orders/total.py",
            "2.2": "orders/prices.py",
        },
    ),
    "kiro/photo-upload": (
        ".kiro/specs/photo-upload",
        {
            "1": "photos/__init__.py",
            "2.1": "photos/store.py",
            "2.2": "tests/test_store.py",
            "3": "photos/preview.py",
        },
    ),
}
RETRO = """
[[turn]]
role = "retro-facilitator"
reply = "nothing new"
[[turn.edit]]
path = "{folder}/retro.md"
text = "# Retro\\n\\n## Kept\\nAll that was asked for is there, and nothing else is different.\\n"
"""
pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    "place",
    [
        "spec-kit/014-export-csv",
        pytest.param("openspec/split-billing", marks=pytest.mark.nightly),
        pytest.param("kiro/photo-upload", marks=pytest.mark.nightly),
    ],
)
def test_an_imported_folder_is_built_and_merged(place: str, tmp_path: Path) -> None:
    """K6: the tasks of the other tool are built one by one and end on the base branch."""
    where, tasks = CASES[place]
    repository = make_repository(tmp_path / "repository", {"README.md": "# Sample\n"})
    shutil.copytree(HERE / place, repository / where)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "specs")
    turns = [turn(number, {path: f"# made by {number}\n"}) for number, path in tasks.items()]
    (tmp_path / "script.toml").write_text("".join(turns) + RETRO + SATISFIED)

    def say(*words: str) -> Said:
        environ = {
            "HOME": str(tmp_path / "home"),
            "SPARING_STATE__FOLDER": str(tmp_path / "state"),
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
            "SPARING_ENGINE__CLOCK": "counted",
            "SPARING_FLOW__ASSISTANTS": "",
            "SPARING_WORKSPACE__HAND_OVER": "merge",
        }
        return sparing(repository, *words, environ=environ)

    done = say("import", where, "--yes")
    assert done.code == 0, done.err
    made = git(repository, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert set(tasks.values()) <= set(made)
    log = git(repository, "log", "--format=%s", "main").splitlines()
    assert [one for number in tasks for one in log if f"task {number})" in one] != []
