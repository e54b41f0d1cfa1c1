"""What an agent commits to make a check say what it wants is named, and nothing else is.

Covers: H7, A7
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparing.workspace.checks.changes import Standing, standing
from sparing.workspace.checks.discover import Check
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import snapshot

UNIT = {"app.py": "ONE = 1\n", "tests/test_a.py": "import unittest\n"}
PYTEST = {
    "pyproject.toml": '[project]\nversion = "1"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'
    'addopts = "-p plug"\n[tool.ruff]\nline-length = 90\n',
    "plug.py": "",
    "tests/conftest.py": "",
    "tests/test_a.py": "def test_a():\n    pass\n",
}
MAKE = {
    "Makefile": ".PHONY: test\nPYTHON = python3\nOTHER = 1\ninclude more.mk\n"
    "test: unit\n\tsh scripts/test.sh\nunit:\n\t$(PYTHON) -m pytest\nclean:\n\trm -rf build\n",
    "more.mk": "FLAGS = -q\n",
    "scripts/test.sh": "pytest\ntox\n",
    "tox.ini": "[testenv]\ncommands = pytest\n[other]\na = 1\n",
}
PLAIN = {"Makefile": "test:\n\tcargo test\n\tgo test ./...\n"}
NODE = {
    "package.json": '{"version": "1", "scripts": {"test": "jest", "build": "tsc"}}',
    ".npmrc": "registry=x\n",
}
CI = {".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: pytest -q\n"}
Changes = Mapping[str, str | None]


def after(folder: Path, files: Mapping[str, str], changes: Changes) -> Standing:
    """The checks after a commit with these changes; None removes a file, `->` makes a link."""
    root = make_repository(folder / "r", files)
    base = snapshot(root)
    for path, text in changes.items():
        (root / path).unlink(missing_ok=True)
        if text is not None and text.startswith("->"):
            (root / path).symlink_to(text[2:])
        elif text is not None:
            write_files(root, {path: text})
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "-m", "changed")
    return standing(base, snapshot(root))


FAKES: dict[str, tuple[Mapping[str, str], Changes, str]] = {
    "pytest only collects": (
        PYTEST, {"pytest.ini": "[pytest]\naddopts = --co\n"}, "test: pytest.ini is new",
    ),
    "settings nearer to the tests": (
        PYTEST, {"tests/pytest.ini": "[pytest]\n"}, "test: tests/pytest.ini is new",
    ),
    "testpaths": (
        PYTEST, {"pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["no"]\n[tool.ruff]\n'},
        "test: pyproject.toml, tool.pytest changed",
    ),
    "tox.ini for pytest": (
        PYTEST, {"tox.ini": "[pytest]\naddopts = --co\n"}, "test: tox.ini, [pytest] is new",
    ),
    "setup.cfg for pytest": (
        PYTEST, {"setup.cfg": "[tool:pytest]\naddopts = --co\n"},
        "test: setup.cfg, [tool:pytest] is new",
    ),
    "a hook that deselects": (
        PYTEST, {"tests/conftest.py": "def pytest_collection_modifyitems(items): items.clear()\n"},
        "test: tests/conftest.py changed",
    ),
    "a hook that ends with 0": (
        PYTEST, {"conftest.py": "def pytest_sessionfinish(session): session.exitstatus = 0\n"},
        "test: conftest.py is new",
    ),
    "a plugin of the repository": (PYTEST, {"plug.py": "import os\n"}, "test: plug.py changed"),
    "a linter that looks nowhere": (
        PYTEST, {"ruff.toml": 'exclude = ["*"]\n'}, "lint: ruff.toml is new",
    ),
    "a makefile of another folder": (
        {"Makefile": "test:\n\t$(MAKE) -C sub all\n", "sub/Makefile": "all:\n\tpytest\n"},
        {"sub/Makefile": "all:\n\ttrue\n"},
        "test: sub/Makefile changed",
    ),
    "GNUmakefile": (
        MAKE, {"GNUmakefile": "test:\n\ttrue\n"}, "test: GNUmakefile, target test is new",
    ),
    "makefile": (MAKE, {"makefile": "test:\n\ttrue\n"}, "test: makefile, target test is new"),
    "another shell": (
        MAKE, {"Makefile": "SHELL = /bin/true\n" + MAKE["Makefile"]},
        "test: Makefile, target test changed",
    ),
    "make that runs nothing": (
        MAKE, {"Makefile": "MAKEFLAGS += -n\n" + MAKE["Makefile"]},
        "test: Makefile, target test changed",
    ),
    "errors that are ignored": (
        MAKE, {"Makefile": ".IGNORE:\n" + MAKE["Makefile"]}, "test: Makefile, target test changed",
    ),
    "a variable": (
        MAKE, {"Makefile": MAKE["Makefile"].replace("python3", "true")},
        "test: Makefile, target test changed",
    ),
    "what the target needs": (
        MAKE, {"Makefile": MAKE["Makefile"].replace("$(PYTHON) -m pytest", "true")},
        "test: Makefile, target test changed",
    ),
    "an included file": (
        MAKE, {"more.mk": "test: FLAGS = --co\n"}, "test: Makefile, target test changed",
    ),
    "another included file": (
        MAKE, {"Makefile": MAKE["Makefile"] + "-include x.mk\n", "x.mk": "unit:\n\ttrue\n"},
        "test: Makefile, target test changed",
    ),
    "a target that is no longer phony": (
        MAKE, {"Makefile": MAKE["Makefile"].replace(".PHONY: test\n", ""), "test": ""},
        "test: Makefile, target test changed",
    ),
    "a file named like the target": (PLAIN, {"test": ""}, "test: Makefile, target test changed"),
    "a Makefile that is a link": (
        PLAIN, {"Makefile": "->other.mk", "other.mk": "test:\n\ttrue\n"},
        "test: Makefile, target test changed",
    ),
    "a link to what no commit has": (
        PLAIN, {"Makefile": "->local/Makefile"}, "test is gone: make test (Makefile)",
    ),
    "the script that it runs": (
        MAKE, {"scripts/test.sh": "exit 0\n"}, "test: scripts/test.sh changed",
    ),
    "tox": (
        MAKE, {"tox.ini": "[testenv]\ncommands = true\n"}, "test: tox.ini, [testenv] changed",
    ),
    "npm test": (
        NODE, {"package.json": '{"scripts": {"test": "true"}}'},
        "test: package.json, script test changed",
    ),
    "npm pretest": (
        NODE, {"package.json": '{"scripts": {"test": "jest", "pretest": "rm -r t"}}'},
        "test: package.json, script pretest is new",
    ),
    "jest in package.json": (
        NODE, {"package.json": '{"scripts": {"test": "jest"}, "jest": {"testMatch": []}}'},
        "test: package.json, jest is new",
    ),
    "jest's own file": (NODE, {"jest.config.js": ""}, "test: jest.config.js is new"),
    "npm's shell": (
        NODE, {".npmrc": "registry=x\nscript-shell=/bin/true\n"},
        "test: .npmrc, script-shell, node-options, shell, prefix, ignore-scripts is new",
    ),
    "a program in node_modules": (
        NODE, {"node_modules/.bin/jest": "#!/bin/sh\n"}, "node_modules/.bin/jest is new",
    ),
    "cargo's runner": (
        PLAIN, {".cargo/config.toml": '[target."cfg(all())"]\nrunner = "true"\n'},
        "test: .cargo/config.toml is new",
    ),
    "cargo's build script": (PLAIN, {"build.rs": "fn main() {}\n"}, "test: build.rs is new"),
    "cargo's tests": (
        PLAIN, {"Cargo.toml": '[[test]]\nname = "a"\ntest = false\n'},
        "test: Cargo.toml, test is new",
    ),
    "mocha's own file": (NODE, {".mocharc.yml": "spec: x\n"}, "test: .mocharc.yml is new"),
    "vitest's own file": (NODE, {"vitest.config.ts": ""}, "test: vitest.config.ts is new"),
    "what ctest reads": (
        {"Makefile": "test:\n\tctest\n"}, {"CMakeLists.txt": "add_test(a true)\n"},
        "test: CMakeLists.txt is new",
    ),
    "go's workspace": (PLAIN, {"go.work": "use ./fake\n"}, "test: go.work is new"),
    "a line of CI": (
        CI, {".github/workflows/ci.yml": CI[".github/workflows/ci.yml"].replace("-q", "--co")},
        "test: `pytest -q` became `pytest --co`",
    ),
    "a target where tests were found": (
        UNIT, {"Makefile": "test:\n\ttrue\n"},
        "test: `python3 -m unittest discover -s tests` became `make test`",
    ),
    "tests that moved": (
        UNIT, {"tests/test_a.py": None, "checks/test_a.py": ""},
        "test is gone: python3 -m unittest discover -s tests (tests/)",
    ),
    "sitecustomize": (UNIT, {"sitecustomize.py": ""}, "sitecustomize.py is new"),
    "usercustomize": (UNIT, {"src/usercustomize.py": ""}, "src/usercustomize.py is new"),
    "a .pth file": (UNIT, {"x.pth": "import os\n"}, "x.pth is new"),
    "compiled code": (
        UNIT, {"__pycache__/app.cpython-311.pyc": ""}, "__pycache__/app.cpython-311.pyc is new",
    ),
    "an extension": (UNIT, {"app.so": ""}, "app.so is new"),
    "a plugin that says it is installed": (
        UNIT, {"fake.egg-info/entry_points.txt": "[pytest11]\n"},
        "fake.egg-info/entry_points.txt is new",
    ),
    "an interpreter in a commit": (UNIT, {".venv/bin/python3": ""}, ".venv/bin/python3 is new"),
    "variables for tools": (UNIT, {".env": "PYTHONPATH=x\n"}, ".env is new"),
    "a module named unittest": (
        UNIT, {"unittest.py": ""},
        "unittest.py, which shadows the module unittest, is new",
    ),
    "a module named pytest": (
        PYTEST, {"pytest.py": ""}, "pytest.py, which shadows the module pytest, is new",
    ),
    "a package named pytest": (
        PYTEST, {"src/pytest/__init__.py": ""},
        "src/pytest/__init__.py, which shadows the module pytest, is new",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAKES)
def test_what_decides_a_check_is_named_when_it_changes(tmp_path: Path, name: str) -> None:
    files, changes, words = FAKES[name]
    found = after(tmp_path, files, changes).changed
    assert words in [one.words for one in found]
    agreed = [one.key for one in found]
    assert not Standing((), found).open(agreed)


FINE: dict[str, tuple[Mapping[str, str], Changes]] = {
    "another target and another variable": (
        MAKE, {"Makefile": MAKE["Makefile"].replace("rm -rf", "rm -r").replace("= 1", "= 2")},
    ),
    "another section": (MAKE, {"tox.ini": MAKE["tox.ini"].replace("a = 1", "a = 2")}),
    "a version": (
        PYTEST, {"pyproject.toml": PYTEST["pyproject.toml"].replace('"1"', '"2"')},
    ),
    "another script": (
        NODE, {"package.json": NODE["package.json"].replace("tsc", "tsc -b").replace('"1"', '"2"')},
    ),
    "a registry": (NODE, {".npmrc": "registry=y\n"}),
    "code and a new test": (PYTEST, {"app.py": "ONE = 2\n", "tests/test_b.py": "B = 1\n"}),
    "checks where there were none": ({"README.md": "x\n"}, MAKE),
    "a module of its own": (UNIT, {"src/words.py": "", "tests/helper.py": ""}),
}  # fmt: skip


@pytest.mark.parametrize("name", FINE)
def test_other_parts_of_the_same_files_are_nobody_s_business(tmp_path: Path, name: str) -> None:
    files, changes = FINE[name]
    assert after(tmp_path, files, changes).changed == ()


def test_a_check_that_was_there_is_not_left_out_for_a_new_one(tmp_path: Path) -> None:
    """A target named `check` mostly runs the others, but it is what the repository had."""
    make = "check:\n\tpytest\n"
    found = after(tmp_path, {"Makefile": make}, {"Makefile": f"{make}test:\n\ttrue\n"})
    assert found.checks == (
        Check("check", ("make", "check"), "Makefile"),
        Check("test", ("make", "test"), "Makefile"),
    )


def test_a_person_agrees_to_one_change_and_to_no_other(tmp_path: Path) -> None:
    """A7: the key is of what it became, so the next change is asked about again."""
    first = after(tmp_path / "a", PYTEST, {"tests/conftest.py": "A = 1\n"}).changed
    second = after(tmp_path / "b", PYTEST, {"tests/conftest.py": "A = 2\n"}).changed
    assert [one.words for one in first] == [one.words for one in second]
    assert Standing((), second).open([one.key for one in first]) == second


def test_tests_that_became_a_submodule_are_gone(tmp_path: Path) -> None:
    """What lies in a submodule's folder is in no commit of this repository."""
    root = make_repository(tmp_path / "r", UNIT)
    base = snapshot(root)
    git(root, "rm", "--quiet", "-r", "--cached", "tests")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{base.commit},tests")
    git(root, "commit", "--quiet", "-m", "changed")
    words = [one.words for one in standing(base, snapshot(root)).changed]
    assert words == ["test is gone: python3 -m unittest discover -s tests (tests/)"]
