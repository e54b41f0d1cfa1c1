"""Runs one command of the repository's own, and cuts its output to what matters.

What may run is for `discover` and `criteria` to say. It runs with a minimal environment and a
private HOME, in the sandbox that it is given, up to a time limit; nothing it started
outlives it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from sparing.errors import SandboxRefused
from sparing.workspace.checks.discover import Check, find_checks
from sparing.workspace.checks.failures import failing, passing
from sparing.workspace.checks.live_output import live_output
from sparing.workspace.sandbox.launcher import wrap
from sparing.workspace.sandbox.policy import (
    GIGABYTE,
    ProcessLimits,
    SandboxAccess,
    SandboxLevel,
    SandboxPolicy,
)

__all__ = ["Check", "CheckResult", "CheckSandbox", "find_checks", "printed", "run_check", "trim"]

OUTPUT_LIMIT = 6_000
READ_LIMIT = 32 * 1024 * 1024
"""Of what a check prints; beyond it the middle is left out."""
TAIL_LINES = 30
END_SECONDS = 2.0
_BROKEN, _NOT_FOUND = 125, 127
LIMITS = ProcessLimits(file_bytes=GIGABYTE)
_KEPT = ("PATH", "VIRTUAL_ENV")
CACHES = frozenset(
    {
        *("PIP_CACHE_DIR", "UV_CACHE_DIR", "POETRY_CACHE_DIR", "POETRY_VIRTUALENVS_IN_PROJECT"),
        *("npm_config_cache", "npm_config_store_dir", "CARGO_HOME", "GOMODCACHE"),
        *("UV_LINK_MODE", "npm_config_package_import_method"),
    }
)
"""Variables with which a set-up says where it has put things."""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_DURATION = re.compile(r" in \d+(\.\d+)?\s?m?s(econds)?\b( \([^)]*\))?")
_FAILURE = re.compile(
    r"^(=+ (FAILURES|ERRORS) =+|(FAIL|ERROR): |Traceback |not ok |.*\berror(\[\w+\])?: |E {3})"
)
_VERDICT = re.compile(
    r"^(=*.*\b\d+ (passed|failed|errors?)\b.*|Ran \d+ tests?.*|OK.*|FAILED \(.*)$"
)


class CheckResult(NamedTuple):
    name: str
    command: str
    passed: bool
    summary: str
    output: str
    failures: tuple[str, ...] = ()
    """Names of failing tests, where the output has them."""
    whole: str = ""
    """The file that has all it printed, if it was kept."""
    tests: int | None = None
    """How many tests passed, where the output says it."""


class CheckSandbox(NamedTuple):
    """What confines a check: it may write in its worktree, and calls nobody."""

    scratch: Path
    """A folder of ours that no check may write."""
    git_dir: Path | None = None
    readable: tuple[Path, ...] = ()
    """Where the user's tools are."""
    writable: tuple[Path, ...] = ()
    ports: frozenset[int] = frozenset()
    level: SandboxLevel = SandboxLevel.SEALED
    covered: Mapping[Path, str] = MappingProxyType({})
    """As in `SandboxPolicy`."""


class _Line(NamedTuple):
    """What to start."""

    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    end: Callable[[], None] | None = None


def run_check(
    check: Check,
    worktree: Path,
    limit_seconds: float,
    environ: Mapping[str, str],
    sandbox: CheckSandbox | None = None,
    keep: Callable[[str], str] | None = None,
) -> CheckResult:
    """Run it to its end or to the limit. Without a sandbox only what a person has agreed to.

    `keep` is given all that it printed and says where it is.
    """
    environment = _environment(worktree, environ)
    with (
        _prepared(check, worktree, environment, sandbox) as line,
        _output(check, worktree, sandbox) as out,
    ):
        try:
            process = subprocess.Popen(
                line.argv,
                cwd=worktree,
                env=line.env,
                pass_fds=line.pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return _not_started(check, error.strerror or "unknown reason")
        code = _wait(process, limit_seconds, line.end)
        text = printed(out)
    if sandbox is not None and text.startswith("sandbox: "):
        if code == _NOT_FOUND:
            return _not_started(check, text.strip().rpartition(": ")[2])
        if code == _BROKEN:
            raise SandboxRefused(f"a check can't be confined: {text.strip()}", "sparing doctor")
    return _result(check, code, text, limit_seconds)._replace(whole=keep(text) if keep else "")


@contextlib.contextmanager
def _output(check: Check, worktree: Path, sandbox: CheckSandbox | None) -> Generator[BinaryIO]:
    """Where it prints to; in a run somebody may be waiting for it, and looks."""
    if sandbox is None:
        with tempfile.TemporaryFile() as out:
            yield out
        return
    with live_output(sandbox.scratch, check.name, check.words, worktree) as out:
        yield out


def _result(check: Check, code: int | None, text: str, limit_seconds: float) -> CheckResult:
    words = _summary(text) or ("it did not end" if code is None else f"exit code {code}")
    summary = f"{words}; stopped after {limit_seconds:g} s" if code is None else words
    failures = failing(text) if code != 0 else ()
    tests = passing(text) if check.name == "test" else None
    return CheckResult(
        check.name, check.words, code == 0, summary, trim(text), failures, tests=tests
    )


def _not_started(check: Check, why: str) -> CheckResult:
    reason = f"{check.command[0]} can't be started: {why}"
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
        environment,
        git_dir=sandbox.git_dir,
        covered=sandbox.covered,
        readable=sandbox.readable,
        client_state=sandbox.writable,
        ports=sandbox.ports,
        messages=False,
        limits=LIMITS,
        level=sandbox.level,
    )
    wrapped = wrap(policy, check.command, sandbox.scratch)
    try:
        yield _Line(wrapped.argv, wrapped.env, wrapped.pass_fds, wrapped.end)
    finally:
        wrapped.cleanup()


def printed(out: BinaryIO) -> str:
    """What a command printed into this file, without colours."""
    return _ESCAPE.sub("", _read(out))


def _read(out: BinaryIO) -> str:
    """Without the middle of what is too much for anybody."""
    size = out.seek(0, os.SEEK_END)
    out.seek(0)
    if size <= READ_LIMIT:
        return out.read().decode(errors="replace")
    head = out.read(READ_LIMIT // 2)
    out.seek(-READ_LIMIT // 2, os.SEEK_END)
    gap = f"\n… {size - READ_LIMIT} bytes left out …\n"
    return head.decode(errors="replace") + gap + out.read().decode(errors="replace")


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


def _wait(
    process: subprocess.Popen[bytes], limit_seconds: float, end: Callable[[], None] | None
) -> int | None:
    try:
        return process.wait(limit_seconds)
    except subprocess.TimeoutExpired:
        if end is not None:
            # The supervisor ends what has left the group too, if it is given the time.
            end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _environment(worktree: Path, environ: Mapping[str, str]) -> dict[str, str]:
    kept = {"PATH": os.defpath, **{name: environ[name] for name in _KEPT if name in environ}}
    kept |= {name: value for name, value in environ.items() if name in CACHES}
    own = worktree / ".venv"
    if (own / "bin" / "python").exists():
        # What the set-up has installed here goes before what is installed elsewhere.
        kept |= {"PATH": f"{own / 'bin'}{os.pathsep}{kept['PATH']}", "VIRTUAL_ENV": str(own)}
    return {
        **kept,
        "PATH": _absolute(kept["PATH"]),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        # An editable install leads to the user's checkout; here the worktree's files count.
        "PYTHONPATH": os.pathsep.join((str(worktree / "src"), str(worktree))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "MYPY_CACHE_DIR": os.devnull,
    }


def _absolute(path: str) -> str:
    """Without places that depend on where a program is started: there are an agent's files."""
    return os.pathsep.join(one for one in path.split(os.pathsep) if os.path.isabs(one))  # noqa: PTH117
