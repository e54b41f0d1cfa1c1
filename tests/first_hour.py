"""The first hour in a real repository: three small projects, from `sparing start` to a branch.

A person at a terminal does what the screen suggests and nothing else. What they saw is kept in
docs/transcripts; `python -m tests.first_hour` writes those files again.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from tests.repositories import git, make_repository
from tests.typed import Typed

TRANSCRIPTS = Path(__file__).parents[1] / "docs" / "transcripts"
BRANCH = "feature/001-greet-by-name"
SCRIPT = '''
[[turn]]
role = "builder"
stage = "plan"
read = ["README.md"]
reply = """The plan names the file now.

## Findings
- `C1`: changed — the file has a name

### HANDOFF
- **Status**: completed
"""
[[turn.edit]]
path = "{folder}/plan.md"
text = """# Plan

## Goal
A greeting that has a name in it.

## Steps
1. Write the greeting.
2. Run the checks.

## Done When
The greeting is there and no check is redder than it was before.
"""

[[turn]]
role = "builder"
stage = "implement"
reply = "The greeting is there.\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "greeting.txt"
text = "Hello, Ada."
[[turn.edit]]
path = "{folder}/implementation.md"
text = "# Implementation"

[[turn]]
role = "builder"
stage = "done"
reply = "Done.\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "{folder}/summary.md"
text = """# Summary

## What changed
There is one more file, with its one line.
Nothing else is different, and the checks are as they were.
"""
'''
EDITOR = """import sys
path = sys.argv[1]
text = open(path).read()
sheet = "8<" in text
if sheet:
    line = "> 1. Write the greeting.\\n"
    text = text.replace(line, line + "in which file?\\n")
open(path, "w").write(text if sheet else text + "\\nKeep it short.\\n")
"""
PYTEST = (
    "from pathlib import Path\n\n"
    "def test_has_what_git_does_not_know() -> None:\n"
    "    assert Path('.env').read_text() == 'TOKEN=1\\n'\n\n"
    "def test_was_red_before() -> None:\n    assert 1 + 1 == 3\n"
)
NODE = (
    "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "test('adds', () => assert.equal(1 + 1, 2));\n"
    "test('was red before', () => assert.equal(1 + 1, 3));\n"
)
MAKE = (
    "setup:\n\tmkdir -p deps && echo ready > deps/ready\n\n"
    "test:\n\t@test -f deps/ready && echo 'ok 1 - set up'\n"
    "\t@echo 'not ok 2 - was red before'; false\n"
)


class Project(NamedTuple):
    files: Mapping[str, str]
    set_up: str
    """What is answered to the question about the set-up; empty if there is none."""
    answers: tuple[str, ...] = ("approve", "approve")


PROJECTS = {
    "pip": Project(
        {
            "README.md": "# Sample\n",
            "AGENTS.md": "Plain Python, no dependencies but pytest.\n",
            "requirements.txt": "pytest\n",
            "sparing.toml": '[workspace]\nsetup = []\ncopy = [".env"]\n',
            "tests/test_sample.py": PYTEST,
            ".gitignore": ".env\n",
        },
        "y",
    ),
    "npm": Project(
        {
            "README.md": "# Sample\n",
            "CLAUDE.md": "No dependencies.\n",
            "package.json": '{"name": "sample", "scripts": {"test": "node --test"}}\n',
            "sample.test.js": NODE,
        },
        "",
    ),
    "make": Project(
        {"README.md": "# Sample\n", "AGENTS.md": "Only make.\n", "Makefile": MAKE},
        "y",
        ("diff", "edit", "reject", "approve", "approve"),
    ),
}


class Walked(NamedTuple):
    code: int
    screen: str
    repository: Path


def walk(name: str, folder: Path, environ: Mapping[str, str], columns: int = 80) -> Walked:
    """Start, agree or not, look, edit, reject with a comment, approve."""
    project = PROJECTS[name]
    repository = make_repository(folder / "sample", project.files)
    if ".gitignore" in project.files:
        (repository / ".env").write_text("TOKEN=1\n")
    words = ("start", "Greet by name", "--tier", "L1")
    typed = Typed(repository, *words, environ=environ, columns=columns)
    if project.set_up:
        typed.wait_for("in new worktrees? [Y/n]: ")
        typed.type(f"{project.set_up}\n")
    if project.set_up and "sparing.toml" not in project.files:
        typed.wait_for("sparing.toml? [y/N]: ")
        typed.type("n\n")
    typed.wait_for("run now? [Y/n]: ")
    typed.type("y\n")
    for answer in project.answers:
        typed.wait_for("[later]: ")
        typed.type(f"{answer}\n")
    return Walked(typed.end(), typed.screen, repository)


def settings(folder: Path, backend: str = "scripted") -> dict[str, str]:
    (folder / "script.toml").write_text(SCRIPT)
    (folder / "editor.py").write_text(EDITOR)
    return {
        "SPARING_AGENT__BACKEND": backend,
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
        "EDITOR": f"{sys.executable} {folder / 'editor.py'}",
    }


SESSION = r"^  ~ (?:continues its session|a new session with a handoff).*\n  · builder \([\w ]+\)"
"""Nearly a tie in so small a feature: the length of a folder's name decides it."""
DEARER = r"^  so few, short turns .*(?:\n.*in common)?(?:\n|\Z)"
"""Whether so small a feature costs a little more or less than naively is nearly a tie, too."""
REASONS = r"^(lean naive .*\n)(?:  .*\n)+"
"""Why a run was dearer or cheaper: figures of a model that other tests hold to the token."""


NAIVE = r"^(lean naive .*  )(?:simulated|estimated)$"
"""Whether a resumed session had to be replayed for it is decided by the same tie."""


def steady(screen: str) -> str:
    """Without what differs from run to run and from machine to machine."""
    text = re.sub(r"/\S*/sample\b", "~/sample", screen)
    text = re.sub(r"\b[0-9a-f]{10}\b", "<commit>", text)
    text = re.sub(r"\bindex [0-9a-f]{7,}\.\.[0-9a-f]{7,}", "index …", text)
    text = re.sub(r"\b\d\d:\d\d\b", "<time>", text)
    text = re.sub(r"\$\d+\.\d+", "$…", text)
    text = re.sub(r", (?:(?:\d+|…) % (?:less|more)|about the same)", "", text)
    text = re.sub(REASONS, r"\1  […]\n", text, flags=re.MULTILINE)
    text = re.sub(NAIVE, r"\1…", text, flags=re.MULTILINE)
    text = re.sub(DEARER, "", text, flags=re.MULTILINE)
    text = re.sub(SESSION, "  ~ …\n  · builder", text, flags=re.MULTILINE)
    text = re.sub(
        r"^  (! )?sandbox .*\n(?:  else\n)?(?:    not .*\n(?:    \S.*\n)*)?",
        "",
        text,
        flags=re.MULTILINE,
    )
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"


def main() -> None:
    TRANSCRIPTS.mkdir(exist_ok=True)
    for name in PROJECTS:
        with tempfile.TemporaryDirectory(prefix="sparing-hour-") as place:
            folder = Path(place)
            home = {"HOME": place, "XDG_STATE_HOME": f"{place}/state", "XDG_CONFIG_HOME": place}
            os.environ.pop("SPARING_STATE__FOLDER", None)
            walked = walk(name, folder, {**settings(folder), **home})
            head = f'$ sparing start "Greet by name" --tier L1\n{walked.screen}'
            (TRANSCRIPTS / f"{name}.txt").write_text(steady(head), "utf-8")
            print(name, walked.code, git(walked.repository, "log", "--oneline", BRANCH))


def assert_it_goes_through(folder: Path, name: str) -> None:
    """To a finished branch, with exactly the screen that was recorded."""
    walked = walk(name, folder, settings(folder))
    assert walked.code == 0, walked.screen
    assert "1 red as before" in walked.screen
    assert git(walked.repository, "show", f"{BRANCH}:greeting.txt") == "Hello, Ada."
    assert "deps" not in git(walked.repository, "ls-tree", "--name-only", BRANCH)
    assert git(walked.repository, "status", "--porcelain") == ""
    shown = (TRANSCRIPTS / f"{name}.txt").read_text("utf-8").split("\n", 1)[1]
    changed = "\n".join(unified_diff(shown.splitlines(), steady(walked.screen).splitlines()))
    assert not changed, f"write it again: python -m tests.first_hour\n{changed}"
    if "edit" in PROJECTS[name].answers:
        log = git(walked.repository, "log", "--format=%s", BRANCH)
        assert "Edit plan.md by hand (001)" in log


if __name__ == "__main__":
    main()
