"""Finds the repository's own tests, linters and type checks in its configuration files.

A command comes from a settings file of a known tool, a target or script of a known name, or a line
of a CI file that is clearly one of the commands below. Nothing else counts: a line that needs a
shell to be understood is left to CI.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from sparing.workspace.git.snapshot import Snapshot

TYPES = "types"
PYRIGHT = "pyrightconfig.json"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which GNU make tries them: only the first one found counts."""
_TARGET = re.compile(r"^(test|lint|check|types|typecheck|type-check)\s*:(?!=)", re.MULTILINE)
_SCRIPTS = {
    "test": "test", "lint": "lint", "types": TYPES, "typecheck": TYPES, "type-check": TYPES,
}  # fmt: skip
_WORKFLOWS = ".github/workflows"
_CI = ((_WORKFLOWS, "*.yml"), (_WORKFLOWS, "*.yaml"), ("", ".gitlab-ci.yml"))
_RUN = re.compile(r"^\s*(?:-\s+)?(?:(?:run|script):\s+)?(?P<command>[^\s#].*)$")
_ITEM = re.compile(r"^\s*-\s+(?!run:)")
"""In a workflow an item of a list is no command, such as a value of a matrix; a step has `run:`."""
_SHELL = frozenset(";|&<>$`(){}*?!\\#~")
_RUNNERS = (("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("pipenv", "run"))
_KNOWN = {
    "test": (
        *("pytest", "python -m pytest", "python3 -m pytest", "python -m unittest"),
        *("python3 -m unittest", "make test", "npm test", "npm run test", "yarn test"),
        *("pnpm test", "cargo test", "go test"),
    ),
    "lint": (
        *("ruff check", "flake8", "pylint", "eslint", "make lint", "npm run lint", "yarn lint"),
        *("pnpm lint", "cargo clippy", "go vet"),
    ),
    TYPES: (
        *("mypy", "pyright", "basedpyright", "python -m mypy", "python3 -m mypy", "tsc --noEmit"),
        *("make types", "make typecheck", "npm run typecheck", "npm run type-check"),
    ),
}


class Check(NamedTuple):
    name: str
    command: tuple[str, ...]
    origin: str
    """The file that defines the check."""
    folder: str = ""
    """The folder in which it runs, relative to the root of the repository."""

    @property
    def words(self) -> str:
        line = shlex.join(self.command)
        return f"{line} (in {self.folder})" if self.folder else line


def find_checks(files: Snapshot, wanted: Collection[str] = ()) -> tuple[Check, ...]:
    """Find one check per name; what the repository states outright goes before what is inferred.

    `wanted` are names of checks found earlier: none of them is dropped in favour of another.
    """
    found: dict[str, Check] = {}
    named = (*_makefile(files), *_package_json(files), *_python(files), *_ci(files))
    for check in (*named, *_rust_and_go(files)):
        found.setdefault(check.name, check)
    if len(found) > 1 and "check" not in wanted:
        # A target of that name mostly runs the others.
        found.pop("check", None)
    return tuple(one._replace(folder=files.root) for one in found.values())


def makefile_of(files: Snapshot) -> str:
    """The makefile that make reads; empty if there is none."""
    return next((name for name in MAKEFILES if files.matching("", name)), "")


def not_installed(check: Check, tools: Path, path: str) -> bool:
    """Whether a linter or type check is configured but not installed, which no agent can repair.

    `tools` is where the set-up puts programs; nothing else can have written there.
    """
    if check.name == "test" or check.origin in (*MAKEFILES, "package.json"):
        return False
    return shutil.which(check.command[0], path=f"{tools}:{path}") is None


def command_name(text: str) -> str | None:
    """The kind of check that a command line clearly is, if any."""
    words = _plain(text)
    for runner in _RUNNERS:
        words = words[2:] if words[:2] == runner else words
    for name, heads in _KNOWN.items():
        if any(words[: len(head)] == head for head in map(_words, heads)):
            return name
    return None


def _words(head: str) -> tuple[str, ...]:
    return tuple(head.split())


def _plain(text: str) -> tuple[str, ...]:
    """The words of a command line; empty if only a shell could interpret it."""
    if not _SHELL.isdisjoint(text):
        return ()
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


def _ci(files: Snapshot) -> Iterator[Check]:
    for folder, pattern in _CI:
        for path in files.matching(folder, pattern):
            for line in files.text(path).splitlines():
                is_item = folder == _WORKFLOWS and _ITEM.match(line)
                found = None if is_item else _RUN.match(line)
                command = _unquoted(found["command"]) if found else ""
                name = command_name(command)
                if name is not None:
                    yield Check(name, _plain(command), path)


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _makefile(files: Snapshot) -> Iterator[Check]:
    name = makefile_of(files)
    for found in _TARGET.finditer(files.text(name) if name else ""):
        yield Check(_SCRIPTS.get(found[1], found[1]), ("make", found[1]), name)


def _package_json(files: Snapshot) -> Iterator[Check]:
    scripts = as_table(read_json(files, "package.json").get("scripts"))
    for script, name in _SCRIPTS.items():
        command = scripts.get(script)
        if isinstance(command, str) and "no test specified" not in command:
            yield Check(name, ("npm", "run", "--silent", script), "package.json")


def _python(files: Snapshot) -> Iterator[Check]:
    project = read_toml(files, "pyproject.toml")
    tools = as_table(project.get("tool"))
    has_tests = bool(files.matching("tests", "test_*.py", deep=True))
    if origin := _pytest_settings(files, tools):
        yield Check("test", ("python3", "-m", "pytest", "-q"), origin)
    elif has_tests and _needs_pytest(files, project):
        yield Check("test", ("python3", "-m", "pytest", "-q", "tests"), "tests/")
    elif has_tests:
        yield Check("test", ("python3", "-m", "unittest", "discover", "-s", "tests"), "tests/")
    if "ruff" in tools:
        yield Check("lint", ("ruff", "check", "--no-cache", "."), "pyproject.toml")
    yield from _python_types(files, tools)


def _pytest_settings(files: Snapshot, tools: Mapping[str, object]) -> str:
    """The file with pytest's settings; empty if there is none."""
    if "pytest" in tools:
        return "pyproject.toml"
    places = {"tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}
    told = (path for path, table in places.items() if _has_table(files.text(path), table))
    return "pytest.ini" if files.text("pytest.ini") else next(told, "")


def _has_table(text: str, table: str) -> bool:
    return re.search(rf"^{re.escape(table)}", text, re.MULTILINE) is not None


def _python_types(files: Snapshot, tools: Mapping[str, object]) -> Iterator[Check]:
    if "basedpyright" in tools:
        yield Check(TYPES, ("basedpyright",), "pyproject.toml")
    if "pyright" in tools or files.matching("", PYRIGHT):
        yield Check(TYPES, ("pyright",), "pyproject.toml" if "pyright" in tools else PYRIGHT)
    own = ((path, files.text(path)) for path in ("mypy.ini", ".mypy.ini", "setup.cfg"))
    path, ini = next((one for one in own if _has_table(one[1], "[mypy]")), ("", ""))
    if "mypy" in tools or path:
        mypy = as_table(tools.get("mypy"))
        told = any(name in mypy for name in ("files", "packages", "modules"))
        ini = "" if path == "setup.cfg" else ini
        told = told or re.search(r"^(files|packages|modules)\s*=", ini, re.MULTILINE) is not None
        yield Check(TYPES, ("mypy",) if told else ("mypy", "."), path or "pyproject.toml")


def _rust_and_go(files: Snapshot) -> Iterator[Check]:
    if files.matching("", "Cargo.toml"):
        yield Check("test", ("cargo", "test"), "Cargo.toml")
    if files.matching("", "go.mod"):
        yield Check("test", ("go", "test", "./..."), "go.mod")


def _needs_pytest(files: Snapshot, project: Mapping[str, object]) -> bool:
    declared = (as_table(project.get("project")), project.get("dependency-groups"))
    listed = "".join(files.text(path) for path in files.matching("", "requirements*.txt"))
    return re.search(r"\bpytest\b", f"{declared}\n{listed}") is not None


def read_json(files: Snapshot, path: str) -> Mapping[str, object]:
    """The table in a JSON file; empty if it can't be parsed."""
    try:
        found: object = json.loads(files.text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return as_table(found)


def read_toml(files: Snapshot, path: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(files.text(path))
    except (ValueError, RecursionError):
        return {}


def as_table(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
