"""Finds the repository's own tests, linters and type checks, in files that people wrote for it.

A command comes from a settings file of a known tool, a target or script of a known name, or a
line of a CI file that is plainly one of the commands below. Nothing else counts: a line that
needs a shell to be understood is left to CI.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from sparing.workspace.plain_file import read_plain

SIZE_LIMIT = 512 * 1024
TYPES = "types"
_TARGET = re.compile(r"^(test|lint|check|types|typecheck|type-check)\s*:(?!=)", re.MULTILINE)
_SCRIPTS = {
    "test": "test", "lint": "lint", "types": TYPES, "typecheck": TYPES, "type-check": TYPES,
}  # fmt: skip
_CI = (".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml")
_CI_LINE = re.compile(r"^\s*(?:-\s+)?(?:(?:run|script):\s+)?(?P<command>[^\s#].*)$")
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
    """The file that says so."""

    @property
    def words(self) -> str:
        return shlex.join(self.command)


def find_checks(worktree: Path) -> tuple[Check, ...]:
    """One check a name; what the repository says outright goes before what we infer."""
    found: dict[str, Check] = {}
    named = (*_makefile(worktree), *_package_json(worktree), *_python(worktree), *_ci(worktree))
    for check in named:
        found.setdefault(check.name, check)
    if len(found) > 1:
        # A target of that name mostly runs the others.
        found.pop("check", None)
    return tuple(found.values())


def not_installed(check: Check, worktree: Path, path: str) -> bool:
    """A linter or type check that is only set up, not installed: no agent can repair that."""
    if check.name == "test" or check.origin in ("Makefile", "package.json"):
        return False
    places = f"{worktree / '.venv' / 'bin'}:{path}"
    return shutil.which(check.command[0], path=places) is None


def command_name(text: str) -> str | None:
    """What kind of check a command line plainly is."""
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
    """Nothing, if only a shell would know what it means."""
    if not _SHELL.isdisjoint(text):
        return ()
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


def _ci(root: Path) -> Iterator[Check]:
    for pattern in _CI:
        for path in sorted(root.glob(pattern)):
            for line in _text(path).splitlines():
                found = _CI_LINE.match(line)
                command = _unquoted(found["command"]) if found else ""
                name = command_name(command)
                if name is not None:
                    yield Check(name, _plain(command), str(path.relative_to(root)))


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _makefile(root: Path) -> Iterator[Check]:
    for found in _TARGET.finditer(_text(root / "Makefile")):
        yield Check(_SCRIPTS.get(found[1], found[1]), ("make", found[1]), "Makefile")


def _package_json(root: Path) -> Iterator[Check]:
    try:
        package: object = json.loads(_text(root / "package.json") or "{}")
    except (ValueError, RecursionError):
        return
    scripts = _table(_table(package).get("scripts"))
    for script, name in _SCRIPTS.items():
        command = scripts.get(script)
        if isinstance(command, str) and "no test specified" not in command:
            yield Check(name, ("npm", "run", "--silent", script), "package.json")


def _python(root: Path) -> Iterator[Check]:
    try:
        project: Mapping[str, object] = tomllib.loads(_text(root / "pyproject.toml"))
    except (ValueError, RecursionError):
        project = {}
    tools = _table(project.get("tool"))
    has_tests = any((root / "tests").rglob("test_*.py"))
    if "pytest" in tools or _text(root / "pytest.ini"):
        yield Check("test", ("python3", "-m", "pytest", "-q"), "pyproject.toml")
    elif has_tests and _needs_pytest(root, project):
        yield Check("test", ("python3", "-m", "pytest", "-q", "tests"), "tests/")
    elif has_tests:
        yield Check("test", ("python3", "-m", "unittest", "discover", "-s", "tests"), "tests/")
    if "ruff" in tools:
        yield Check("lint", ("ruff", "check", "--no-cache", "."), "pyproject.toml")
    yield from _python_types(root, tools)


def _python_types(root: Path, tools: Mapping[str, object]) -> Iterator[Check]:
    if "basedpyright" in tools:
        yield Check(TYPES, ("basedpyright",), "pyproject.toml")
    if "pyright" in tools or (root / "pyrightconfig.json").is_file():
        yield Check(TYPES, ("pyright",), "pyright")
    mypy, ini = _table(tools.get("mypy")), _text(root / "mypy.ini") or _text(root / ".mypy.ini")
    if "mypy" in tools or "[mypy]" in (ini or _text(root / "setup.cfg")):
        told = any(name in mypy for name in ("files", "packages", "modules"))
        told = told or re.search(r"^(files|packages|modules)\s*=", ini, re.MULTILINE) is not None
        yield Check(TYPES, ("mypy",) if told else ("mypy", "."), "mypy")


def _needs_pytest(root: Path, project: Mapping[str, object]) -> bool:
    declared = (_table(project.get("project")), project.get("dependency-groups"))
    listed = "".join(_text(path) for path in sorted(root.glob("requirements*.txt")))
    return re.search(r"\bpytest\b", f"{declared}\n{listed}") is not None


def _table(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    """At most the limit, from a regular file: an agent may have put a pipe there."""
    return (read_plain(path, SIZE_LIMIT, follow=True) or b"").decode("utf-8", "replace")
