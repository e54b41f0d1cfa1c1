"""Runs one command of the repository's own, and cuts its output to what matters.

`discover` and `criteria` decide what may run. It runs with a minimal environment and a private
HOME, in the sandbox that it is given, up to a time limit; nothing it started outlives it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from sparing.errors import SandboxRefused
from sparing.failure import limit_words
from sparing.sandbox_path import told
from sparing.workspace.checks.discover import Check, find_checks
from sparing.workspace.checks.failures import failing, passing
from sparing.workspace.checks.live_output import live_output
from sparing.workspace.checks.output import READ_LIMIT, REPORTED, last_words, printed, trim
from sparing.workspace.checks.passed_tests import REPORT, passed_tests
from sparing.workspace.checks.running_commands import wait_for_command
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.sandbox.launcher import place_of, wrap
from sparing.workspace.sandbox.policy import (
    GIGABYTE,
    GitView,
    ProcessLimits,
    SandboxAccess,
    SandboxLevel,
    SandboxPolicy,
)
from sparing.workspace.sandbox.toolchains import past_shims

__all__ = ["Check", "CheckResult", "CheckSandbox", "find_checks", "printed", "run_check", "trim"]

_BROKEN, _NOT_FOUND = 125, 127
LIMITS = ProcessLimits(file_bytes=GIGABYTE)
_KEPT = ("PATH", "VIRTUAL_ENV", "RUSTUP_HOME")
CACHES = frozenset(
    {
        *("PIP_CACHE_DIR", "UV_CACHE_DIR", "POETRY_CACHE_DIR", "POETRY_VIRTUALENVS_IN_PROJECT"),
        *("npm_config_cache", "npm_config_store_dir", "CARGO_HOME", "GOMODCACHE"),
        *("UV_LINK_MODE", "npm_config_package_import_method"),
    }
)
"""Variables with which a set-up says where it has put things."""


class CheckResult(NamedTuple):
    name: str
    command: str
    passed: bool
    summary: str
    output: str
    failures: tuple[str, ...] = ()
    """Names of failing tests, where the output has them."""
    whole: str = ""
    """Path of the file with the complete output, if it was kept."""
    tests: int | None = None
    """How many tests passed, if the output says so."""
    names: tuple[str, ...] = ()
    """Names of the tests that passed, if the runner reports them."""
    rewritten: tuple[str, ...] = ()
    """Files of the commit that the run has written over, if it ran the tests."""


class CheckSandbox(NamedTuple):
    """What confines a check: it may write in its worktree, and reach no hosts but `services`."""

    scratch: Path
    """A folder of ours that no check may write to."""
    git_dir: Path | None = None
    readable: tuple[Path, ...] = ()
    """Where the user's tools are."""
    writable: tuple[Path, ...] = ()
    ports: frozenset[int] = frozenset()
    services: tuple[str, ...] = ()
    """As in `SandboxPolicy`."""
    level: SandboxLevel = SandboxLevel.SEALED
    limits: ProcessLimits = LIMITS
    covered: Mapping[Path, str] = MappingProxyType({})
    """As in `SandboxPolicy`."""
    git: GitView | None = None
    given: Mapping[str, str] = MappingProxyType({})
    """Variables in addition to those that every check gets."""
    before: tuple[str, ...] = ()
    """Prefix of its command line: a program that monitors it from outside the sandbox."""


class _Line(NamedTuple):
    """A command line that is ready to start."""

    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    end: Callable[[], None] | None = None
    report: Path | None = None
    """Where the test runner may have written which tests passed."""


def run_check(
    check: Check,
    worktree: Path,
    limit_seconds: float,
    environ: Mapping[str, str],
    sandbox: CheckSandbox | None = None,
    keep: Callable[[str], str] | None = None,
) -> CheckResult:
    """Run a check until it ends or reaches the limit; unsandboxed only if a person agreed to that.

    `keep` is called with the complete output and returns the path where it was stored.
    """
    seen = worktree if sandbox is None else place_of(worktree, sandbox.level)
    environment = _environment(worktree / check.folder, seen / check.folder, environ)
    with (
        _prepared(check, worktree, environment, sandbox) as line,
        _output(check, worktree, sandbox) as out,
    ):
        try:
            process = subprocess.Popen(
                line.argv,
                cwd=worktree / check.folder,
                env=line.env,
                pass_fds=line.pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return _not_started(check, error.strerror or "unknown reason")
        code = wait_for_command(process, limit_seconds, line.end)
        text = REPORTED.sub("", told(printed(out)))
        report = read_plain(line.report, READ_LIMIT) if line.report else None
    if sandbox is not None and text.startswith("sandbox: "):
        if code == _NOT_FOUND:
            return _not_started(check, text.strip().rpartition(": ")[2])
        if code == _BROKEN:
            raise SandboxRefused(f"a check can't be sandboxed: {text.strip()}", "sparing doctor")
    found = _result(check, code, text, limit_seconds)
    if check.name == "test":
        found = found._replace(names=passed_tests(text, report))
    reached = limit_words(code or 0, text)
    if reached:
        found = found._replace(summary=f"stopped: {reached}")
    return found._replace(whole=keep(text) if keep else "")


@contextlib.contextmanager
def _output(check: Check, worktree: Path, sandbox: CheckSandbox | None) -> Generator[BinaryIO]:
    """The file it prints to; in a run it can be read while the check is still running."""
    if sandbox is None:
        with tempfile.TemporaryFile() as out:
            yield out
        return
    with live_output(sandbox.scratch, check.name, check.words, worktree) as out:
        yield out


def _result(check: Check, code: int | None, text: str, limit_seconds: float) -> CheckResult:
    words = last_words(text) or ("it did not end" if code is None else f"exit code {code}")
    summary = f"{words}; stopped after {limit_seconds:g} s" if code is None else words
    failures = failing(text) if code != 0 else ()
    tests = passing(text) if check.name == "test" else None
    return CheckResult(
        check.name, check.words, code == 0, summary, trim(text), failures, tests=tests
    )


def not_installed_words(program: str) -> str:
    return f"{program} is not installed"


def _not_started(check: Check, why: str) -> CheckResult:
    program = check.command[0]
    absent = why == os.strerror(errno.ENOENT) and "/" not in program
    reason = not_installed_words(program) if absent else f"{program} can't be started: {why}"
    return CheckResult(check.name, check.words, False, reason, "")


@contextlib.contextmanager
def _prepared(
    check: Check, worktree: Path, environment: dict[str, str], sandbox: CheckSandbox | None
) -> Generator[_Line]:
    if sandbox is None:
        with tempfile.TemporaryDirectory(prefix="sparing-check-") as home:
            own = {**environment, "HOME": home, "TMPDIR": home}
            yield _Line(check.command, own, ())
        return
    policy = SandboxPolicy(
        SandboxAccess.AUTHOR,
        worktree,
        {**sandbox.given, **environment},
        git_dir=sandbox.git_dir,
        git=sandbox.git,
        covered=sandbox.covered,
        readable=sandbox.readable,
        client_state=sandbox.writable,
        ports=sandbox.ports,
        services=sandbox.services,
        messages=False,
        limits=sandbox.limits,
        level=sandbox.level,
    )
    wrapped = wrap(policy, check.command, sandbox.scratch)
    try:
        report = wrapped.folder / "tmp" / REPORT
        env = {**wrapped.env, "PYTEST_ADDOPTS": _reporting(wrapped.env)}
        yield _Line((*sandbox.before, *wrapped.argv), env, wrapped.pass_fds, wrapped.end, report)
    finally:
        wrapped.cleanup()


def _reporting(env: Mapping[str, str]) -> str:
    """Options that make pytest write a report; they also reach a pytest started through make."""
    return f"{env.get('PYTEST_ADDOPTS', '')} --junitxml={env['TMPDIR']}/{REPORT}"


def _environment(worktree: Path, seen: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a check; `seen` is the worktree's path from inside the sandbox."""
    kept = {"PATH": os.defpath, **{name: environ[name] for name in _KEPT if name in environ}}
    kept |= {name: value for name, value in environ.items() if name in CACHES}
    own = seen / ".venv"
    if os.path.lexists(worktree / ".venv" / "bin" / "python"):
        # What the set-up has installed here goes before what is installed elsewhere.
        kept |= {"PATH": f"{own / 'bin'}{os.pathsep}{kept['PATH']}", "VIRTUAL_ENV": str(own)}
    return {
        **kept,
        "PATH": past_shims(_absolute(kept["PATH"]), worktree),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        # An editable install leads to the user's checkout; here the worktree's files count.
        "PYTHONPATH": os.pathsep.join((str(seen / "src"), str(seen))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "MYPY_CACHE_DIR": os.devnull,
    }


def _absolute(path: str) -> str:
    """Drop relative entries of a PATH: they could lead to an agent's files."""
    return os.pathsep.join(one for one in path.split(os.pathsep) if os.path.isabs(one))  # noqa: PTH117
