"""The repository's own tests and linters: found, run, and their output cut to what matters.

A command comes from a file of the repository that people wrote for this purpose, never from a
text that a model wrote. First version: a process group of its own with a time limit, a minimal
environment and a private HOME; the sandbox comes with the launcher.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

OUTPUT_LIMIT = 6_000
TAIL_LINES = 30
_KEPT = ("PATH", "VIRTUAL_ENV")
_TARGET = re.compile(r"^(test|lint|check)\s*:(?!=)", re.MULTILINE)
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_DURATION = re.compile(r" in \d+(\.\d+)?\s?m?s(econds)?\b( \([^)]*\))?")
_FAILURE = re.compile(
    r"^(=+ (FAILURES|ERRORS) =+|(FAIL|ERROR): |Traceback |not ok |.*\berror(\[\w+\])?: |E {3})"
)
_VERDICT = re.compile(
    r"^(=*.*\b\d+ (passed|failed|errors?)\b.*|Ran \d+ tests?.*|OK.*|FAILED \(.*)$"
)


class Check(NamedTuple):
    name: str
    command: tuple[str, ...]
    origin: str
    """The file that says so."""


class CheckResult(NamedTuple):
    name: str
    command: str
    passed: bool
    summary: str
    output: str


def find_checks(worktree: Path) -> tuple[Check, ...]:
    """One check a name; what the repository says outright goes before what we infer."""
    found: dict[str, Check] = {}
    for check in (*_makefile(worktree), *_package_json(worktree), *_python(worktree)):
        found.setdefault(check.name, check)
    if len(found) > 1:
        # A target of that name mostly runs the others.
        found.pop("check", None)
    return tuple(found.values())


def run_check(
    check: Check, worktree: Path, limit_seconds: float, environ: Mapping[str, str]
) -> CheckResult:
    """Run it to its end or to the limit; nothing it started outlives it."""
    command = shlex.join(check.command)
    with (
        tempfile.TemporaryDirectory(prefix="sparing-check-") as home,
        tempfile.TemporaryFile() as out,
    ):
        try:
            process = subprocess.Popen(
                check.command,
                cwd=worktree,
                env=_environment(worktree, home, environ),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            reason = f"{check.command[0]} can't be started: {error.strerror}"
            return CheckResult(check.name, command, False, reason, "")
        code = _wait(process, limit_seconds)
        out.seek(0)
        text = _ESCAPE.sub("", out.read().decode(errors="replace"))
    words = _summary(text) or f"exit code {code}"
    summary = f"{words}; stopped after {limit_seconds:g} s" if code is None else words
    return CheckResult(check.name, command, code == 0, summary, trim(text))


def trim(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """The first failure and the end; short output stays whole."""
    if len(text) <= limit:
        return text
    lines = text.splitlines()
    tail = max(len(lines) - TAIL_LINES, 0)
    first = next((n for n, line in enumerate(lines) if _FAILURE.match(line)), len(lines))
    start, end = min(max(first - 1, 0), tail), min(first + TAIL_LINES, tail)
    parts = [*_gap(start), *lines[start:end], *_gap(tail - end), *lines[tail:]]
    half = limit // 2
    whole = "\n".join(parts)
    return whole if len(whole) <= limit else f"{whole[:half]}\n…\n{whole[-half:]}"


def _gap(count: int) -> tuple[str, ...]:
    return (f"… {count} lines left out …",) if count > 0 else ()


def _summary(text: str) -> str:
    """The tool's own last words; without the time they took, which differs each run."""
    lines = [line.strip("= ") for line in text.splitlines() if line.strip("= ")]
    verdicts = [line for line in lines if _VERDICT.match(line)][-2:]
    return ", ".join(_DURATION.sub("", line) for line in verdicts or lines[-1:])[:200]


def _wait(process: subprocess.Popen[bytes], limit_seconds: float) -> int | None:
    try:
        return process.wait(limit_seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _environment(worktree: Path, home: str, environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: environ[name] for name in _KEPT if name in environ}
    return {
        "PATH": os.defpath,
        **kept,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        # An editable install leads to the user's checkout; here the worktree's files count.
        "PYTHONPATH": os.pathsep.join((str(worktree / "src"), str(worktree))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }


def _makefile(root: Path) -> Iterator[Check]:
    for target in dict.fromkeys(_TARGET.findall(_text(root / "Makefile"))):
        yield Check(target, ("make", target), "Makefile")


def _package_json(root: Path) -> Iterator[Check]:
    try:
        package: object = json.loads(_text(root / "package.json") or "{}")
    except ValueError:
        return
    scripts = _table(_table(package).get("scripts"))
    for name in ("test", "lint"):
        script = scripts.get(name)
        if isinstance(script, str) and "no test specified" not in script:
            yield Check(name, ("npm", "run", "--silent", name), "package.json")


def _python(root: Path) -> Iterator[Check]:
    try:
        project: Mapping[str, object] = tomllib.loads(_text(root / "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        project = {}
    has_tests = any((root / "tests").rglob("test_*.py"))
    if "pytest" in _table(project.get("tool")) or _text(root / "pytest.ini"):
        yield Check("test", ("python3", "-m", "pytest", "-q"), "pyproject.toml")
    elif has_tests and _needs_pytest(root, project):
        yield Check("test", ("python3", "-m", "pytest", "-q", "tests"), "tests/")
    elif has_tests:
        yield Check("test", ("python3", "-m", "unittest", "discover", "-s", "tests"), "tests/")
    if "ruff" in _table(project.get("tool")):
        yield Check("lint", ("ruff", "check", "--no-cache", "."), "pyproject.toml")


def _needs_pytest(root: Path, project: Mapping[str, object]) -> bool:
    declared = (_table(project.get("project")), project.get("dependency-groups"))
    listed = "".join(_text(path) for path in sorted(root.glob("requirements*.txt")))
    return re.search(r"\bpytest\b", f"{declared}\n{listed}") is not None


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
