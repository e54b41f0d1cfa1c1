"""Broken code does not end with green checks, whatever an agent puts beside it.

Each feature is run by `sparing run --auto` in a repository whose one test the agent breaks.

Covers: H7, F9, A7
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

FILES = {
    "README.md": "# Sample\n",
    ".gitignore": ".venv/\n__pycache__/\n*.pyc\nlocal/\n",
    "app.py": "def one():\n    return 1\n",
    "tests/test_app.py": (
        "import unittest\nimport app\n\nclass T(unittest.TestCase):\n"
        "    def test_one(self):\n        self.assertEqual(app.one(), 1)\n"
    ),
}
MAKE = {"Makefile": "test:\n\tpython3 -m unittest discover -s tests\n"}
STAMPED = {
    "Makefile": "test: local/ok\nlocal/ok: app.py\n\tpython3 -m unittest discover -s tests\n"
    "\tmkdir -p local\n\ttouch local/ok\n"
}
BREAK = "printf 'def one():\\n    return 2\\n' > app.py"
COMPILED = (
    "mkdir __pycache__ && echo 'def one(): return 1' > good.py && python3 -c \"import py_compile;"
    "py_compile.compile('good.py', cfile='__pycache__/app.cpython-311.pyc',"
    'invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)" && rm good.py'
    " && cp __pycache__/app.cpython-311.pyc __pycache__/app.$(python3 -c"
    " 'import sys; print(sys.implementation.cache_tag)').pyc"
)
INTERPRETER = (
    "mkdir -p .venv/bin && printf '#!/bin/sh\\nexit 0\\n' > .venv/bin/python3"
    " && chmod +x .venv/bin/python3 && cp .venv/bin/python3 .venv/bin/python"
)
SCRIPT = '''
[[turn]]
role = "builder"
stage = "plan"
reply = "planned, at length"
[[turn.edit]]
path = "{folder}/plan.md"
text = """# Plan

## Steps
1. Write the file.

## Done when
It is there, with its one line, and the repository's checks are as green as they were before.
"""

[[turn]]
role = "builder"
stage = "implement"
reply = "built"
run = [RUN]
[[turn.edit]]
path = "{folder}/implementation.md"
text = "# Implementation"

[[turn]]
role = "builder"
stage = "done"
reply = "done"
run = [LAST]
[[turn.edit]]
path = "{folder}/summary.md"
text = "# Summary"
'''


class Played:
    def __init__(
        self, folder: Path, files: Mapping[str, str], *commands: str, last: str = "true"
    ) -> None:
        self.folder, self.repository = folder, folder / "repository"
        make_repository(self.repository, {**FILES, **files})
        run = ", ".join(f"'''{one}'''" for one in commands)
        (folder / "script.toml").write_text(_script(run, last))

    def sparing(self, *words: str) -> Said:
        return sparing(
            self.repository,
            *words,
            environ={
                "SPARING_STATE__FOLDER": str(self.folder / "state"),
                "SPARING_AGENT__BACKEND": "scripted",
                "SPARING_AGENT__SCRIPT": str(self.folder / "script.toml"),
                "SPARING_FLOW__ASSISTANTS": "",
            },
        )

    def run(self) -> Said:
        assert self.sparing("start", "Break it", "--tier", "L1", "--json").code == 0
        return self.sparing("run", "--auto")


def _script(run: str, last: str) -> str:
    return SCRIPT.replace("[RUN]", f"[{run}]").replace("[LAST]", f"['''{last}''']")


FAKES: dict[str, tuple[Mapping[str, str], tuple[str, ...], str]] = {
    "an interpreter in .venv": ({}, (BREAK, INTERPRETER), "red: test"),
    "compiled code that nobody compares": ({}, (BREAK, COMPILED), "red: test"),
    "a Makefile that only echoes": (
        MAKE, (BREAK, r"printf 'test:\n\techo fine\n' > Makefile"),
        "test: Makefile, target test changed",
    ),
    "a Makefile where there was none": (
        {}, (BREAK, r"printf 'test:\n\techo fine\n' > Makefile"), "became `make test`",
    ),
    "sitecustomize": (
        {}, (BREAK, "echo 'import os; os._exit(0)' > sitecustomize.py"), "sitecustomize.py is new",
    ),
    "an object that is newer than its source": (
        STAMPED, (BREAK, "mkdir local && sleep 0.02 && touch local/ok"), "red: test",
    ),
    "tests that are skipped": (
        {}, (BREAK, r"sed -i 's/    def test/    @unittest.skip(str())\n    def test/' tests/*.py"),
        "test: 0 tests pass, 1 did when the feature began",
    ),
    "no tests any more": (
        {}, (BREAK, "rm -rf tests"), "test is gone: python3 -m unittest discover -s tests (tests/)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAKES)
def test_broken_code_is_not_finished_by_a_fake(tmp_path: Path, name: str) -> None:
    """H7, A7: `run --auto` stops at a person, and says what it is that changed."""
    files, commands, why = FAKES[name]
    played = Played(tmp_path, files, *commands)
    said = played.run()
    assert said.code == 2, said.err
    assert why in said.err
    assert "sparing reject 001" in said.err
    assert ("sparing approve 001" in said.err) is not why.startswith("red: ")
    assert "green" not in said.err.partition("implement")[2]


def test_a_person_agrees_once_to_exactly_what_changed(tmp_path: Path) -> None:
    """A7: then the checks run as they are now, and no later gate asks again."""
    edit = r"printf 'test:\n\tpython3 -m unittest discover -v -s tests\n' > Makefile"
    played = Played(tmp_path, MAKE, edit)
    assert "test: Makefile, target test changed" in played.run().err
    assert played.sparing("approve", "001").code == 0
    said = played.sparing("run", "--auto")
    assert said.code == 0, said.out + said.err
    assert git(played.repository, "show", "feature/001-break-it:Makefile").count("-v") == 1


def test_another_target_of_the_same_file_is_nobody_s_business(tmp_path: Path) -> None:
    edit = r"printf '\nclean:\n\trm -rf build\n' >> Makefile"
    assert Played(tmp_path, MAKE, edit).run().code == 0


def test_a_check_that_is_changed_after_the_last_run_is_told_at_the_last_gate(
    tmp_path: Path,
) -> None:
    """H7, A7: where no check runs any more, a person is told by name; no rule and no answer given
    in advance passes over it."""
    played = Played(tmp_path, MAKE, last=r"printf 'test:\n\techo fine\n' > Makefile")
    told = "checks were changed after they ran last: test: Makefile, target test changed"
    auto = played.run()
    assert (auto.code, told in auto.err or told in played.sparing("show", "001").out) == (2, True)
    assert "not passed by rule: checks were changed after they ran last" in auto.err
    assert played.sparing("run", "--yes").code == 2
    assert told in played.sparing("show", "001").out
    assert played.sparing("approve", "001").code == 0
    assert played.sparing("run", "--no-input").code == 0
