"""Specs of other tools, imported by the command and run to a merge.

Covers: K6, A1, D1
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.context.documents.tasks import parse_tasks
from tests.approval.scene import SCRIPT
from tests.desk.test_import_specs import PLACES, STARTS
from tests.engine.built import turn
from tests.foreign.folders import FOLDERS, HERE, read
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

RETRO = """
[[turn]]
role = "retro-facilitator"
reply = "nothing new"
[[turn.edit]]
path = "{folder}/retro.md"
text = "# Retro\\n\\n## Kept\\nAll that was asked for is there, and nothing else is different.\\n"
"""
pytestmark = pytest.mark.long


ALWAYS = ("spec-kit/014-export-csv", "openspec/split-billing", "kiro/photo-upload")
"""The others run at night."""


def files_by_task(place: str) -> dict[str, str]:
    """What each task of the folder makes; where it begins earlier, what an author has written."""
    if STARTS[place] != "implement":
        return {"1": "count.txt", "2": "sort.txt"}
    tasks = parse_tasks(read(place).documents[ArtifactName.TASKS], place)
    return {one.number: next(iter(one.files), f"made-{one.number}.txt") for one in tasks}


@pytest.mark.parametrize(
    "place",
    [pytest.param(one, marks=() if one in ALWAYS else pytest.mark.nightly) for one in FOLDERS],
)
def test_an_imported_folder_is_built_and_merged(place: str, tmp_path: Path) -> None:
    """K6: every task of the other tool is built and ends on the base branch."""
    kind, _, name = place.partition("/")
    where, tasks = f"{PLACES[kind]}/{name}", files_by_task(place)
    repository = make_repository(tmp_path / "repository", {"README.md": "# Sample\n"})
    shutil.copytree(HERE / place, repository / where)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "specs")
    turns = [turn(number, {path: f"# made by {number}\n"}) for number, path in tasks.items()]
    (tmp_path / "script.toml").write_text("".join((*turns, RETRO, SCRIPT)))

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
    left = [number for number in tasks if not any(f"task {number})" in one for one in log)]
    assert left == []
    assert (repository / where).is_dir()
