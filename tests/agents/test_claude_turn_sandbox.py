"""Claude Code behind our fences: what it may touch, what it and its commands may know.

Covers: G1, G3, H1, H5, H6
"""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentEvent
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.worktree_lock import worktree_lock
from sparing.failure import Failure
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.agents.backends import call, gone, run, segments
from tests.agents.claude_double import ClaudeDouble, client
from tests.agents.doubled_client import KEY, Json
from tests.agents.sandboxed import sandboxed

OK: Json = {"text": "ok"}

behind_walls = pytest.mark.skipif(
    level_reached().level < SandboxLevel.SHELL, reason="this host can't confine a shell"
)


def uses(*calls: tuple[str, Json]) -> Json:
    return {"tool_use": [{"name": name, "input": given} for name, given in calls]}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside.txt"
    path.write_text("the word is swordfish")
    return path


def test_nothing_outside_of_the_worktree(claude: ClaudeDouble, cwd: Path, outside: Path) -> None:
    """H6: not by its path, not through a link, not by dots; what is inside stays readable."""
    (cwd / "link.txt").symlink_to(outside)
    (cwd / "mine.txt").write_text("my own words")
    (cwd / "folder").symlink_to(outside.parent)
    step = uses(
        ("Read", {"file_path": str(outside)}),
        ("Read", {"file_path": str(cwd / "link.txt")}),
        ("Read", {"file_path": f"{cwd}/../outside.txt"}),
        ("Grep", {"pattern": "word", "path": str(cwd / "folder"), "output_mode": "content"}),
        ("Glob", {"pattern": "*.txt", "path": str(outside.parent)}),
        ("Read", {"file_path": "/etc/passwd"}),
        ("Write", {"file_path": str(outside), "content": "mine now"}),
        ("Read", {"file_path": str(cwd / "mine.txt")}),
    )
    seen: list[AgentEvent] = []
    reply = run(claude.planned(step, OK), call(cwd), seen.append)
    assert (reply.failure, reply.files_read, reply.files_written) == (None, ("mine.txt",), ())
    assert outside.read_text() == "the word is swordfish"
    said = claude.log.read_text()
    assert "swordfish" not in said
    assert "root:" not in said
    assert "my own words" in said
    # The write does not come so far: a file must have been read before it is changed.
    assert sum(event.kind == "denied" for event in seen) == 6


def test_a_reviewer_has_no_tool_that_changes_anything(claude: ClaudeDouble, cwd: Path) -> None:
    """H6: asked for one all the same it fails, and the reply that it gave is not used."""
    step = uses(("Bash", {"command": "touch made"}), ("Edit", {"file_path": "x"}))
    reply = run(claude.planned(step, OK), call(cwd, access=Access.READ_ONLY, role="judge"))
    assert reply.failure is Failure.PERMISSION_DENIED
    assert reply.detail == "judge may not write touch made, x"
    assert list(cwd.iterdir()) == []


def test_files_in_the_order_of_the_calls(claude: ClaudeDouble, cwd: Path) -> None:
    """B2: results come as they are ready, the big file last; the report does not depend on it."""
    names = ["big.txt", "a.txt", "b.txt"]
    for name in names:
        (cwd / name).write_text("words\n" * (1500 if name == "big.txt" else 1))
    step = uses(*(("Read", {"file_path": str(cwd / name)}) for name in names))
    assert run(claude.planned(step, OK), call(cwd)).files_read == tuple(names)


@behind_walls
def test_a_whole_turn_behind_walls(
    claude: ClaudeDouble, cwd: Path, outside: Path, tmp_path: Path
) -> None:
    """H6: an author works in its worktree; its commands know no key, no session, no network."""
    port = claude.double.url.rpartition(":")[2]
    probe = (
        f"env > env.txt; cat {outside} > stolen.txt; ls {claude.config} > sessions.txt;"
        f" (echo > /dev/tcp/127.0.0.1/{port}) && touch reached; touch {outside.parent}/made;"
        " tr '\\0' '\\n' < /proc/$PPID/environ > parent.txt; true"
    )
    steps = (uses(("Bash", {"command": probe})), OK, OK)
    backend = claude.planned(*steps)
    launch = sandboxed(cwd, tmp_path / "scratch")
    first = run(backend, call(cwd, launch=launch))
    assert (first.failure, first.text) == (None, "ok")
    assert KEY not in "".join(path.read_text() for path in cwd.iterdir())
    assert (cwd / "env.txt").read_text()
    assert [(cwd / name).read_text() for name in ("stolen.txt", "sessions.txt")] == ["", ""]
    assert not (cwd / "reached").exists()
    assert not (outside.parent / "made").exists()

    turn = call(cwd, id="d2", prompt=segments("Go on."), resume=first.session, launch=launch)
    second = run(backend, turn)
    assert (second.failure, second.session) == (None, first.session)
    assert second.usage.read > 0.9 * (first.context_tokens - first.usage.output)
    assert first.usage + second.usage == claude.bill()
    assert not any((tmp_path / "scratch").iterdir())


@behind_walls
def test_what_a_turn_started_ends_with_it(claude: ClaudeDouble, cwd: Path, tmp_path: Path) -> None:
    """G3: also what has left the process group, also when the turn is cancelled in the middle."""
    command = "setsid sh -c 'echo $$ > pid; sleep 600' > /dev/null 2>&1 & sleep 0.3; sleep 600"
    backend = claude.planned(uses(("Bash", {"command": command})))

    async def cancelled() -> None:
        with worktree_lock(tmp_path / "lock") as lock:
            turn = call(cwd, lock=lock, launch=sandboxed(cwd, tmp_path / "scratch"))
            task = asyncio.create_task(backend.run(turn, lambda _: None))
            async with asyncio.timeout(240):
                while not (cwd / "pid").exists():
                    await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
    assert gone(int((tmp_path / "lock").read_text()), 60)
    assert _sleepers(cwd) == []


@behind_walls
def test_a_client_dies_with_us(claude: ClaudeDouble, cwd: Path, tmp_path: Path) -> None:
    """G3: kill -9 of the orchestrator leaves neither the client nor what it had started."""
    claude.planned(uses(("Bash", {"command": "touch begun; sleep 600"})))
    lock = tmp_path / "lock"
    words = (client().program, claude.config, claude.double.url, cwd, lock, tmp_path / "scratch")
    argv = [sys.executable, "-m", "tests.agents.orphan", *map(str, words)]
    with subprocess.Popen(argv, cwd=Path(__file__).parents[2]) as orchestrator:
        limit = time.monotonic() + 240
        while not (cwd / "begun").exists():
            assert time.monotonic() < limit
            time.sleep(0.05)
        orchestrator.send_signal(signal.SIGKILL)
    assert gone(int(lock.read_text()), 60)
    assert _sleepers(cwd) == []


def _sleepers(cwd: Path) -> list[str]:
    """Processes that still work in there."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").resolve() == cwd.resolve():
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("kind", [LoginKind.API_KEY, LoginKind.TOKEN])
def test_a_secret_is_not_in_the_client_s_environment(
    claude: ClaudeDouble, cwd: Path, monkeypatch: pytest.MonkeyPatch, kind: LoginKind
) -> None:
    """H5: it comes through a pipe that is empty afterwards; nothing of ours is inherited."""
    monkeypatch.setenv("SPARING_TEST_SECRET", "inherited")
    command = "env > env.txt; tr '\\0' '\\n' < /proc/$PPID/environ >> env.txt"
    steps = (uses(("Bash", {"command": command})), OK)
    reply = run(claude.planned(*steps, login=Login(kind, "sk-very-secret")), call(cwd))
    assert reply.failure is None
    told = (cwd / "env.txt").read_text()
    assert "CLAUDE_CONFIG_DIR" in told
    assert "sk-very-secret" not in told
    assert "inherited" not in told
    assert "sk-very-secret" not in claude.log.read_text()


def test_the_user_s_own_login(claude: ClaudeDouble, cwd: Path, tmp_path: Path) -> None:
    """H1: found in their folder, while sessions lie in ours; nothing of theirs is touched."""
    own = tmp_path / "own"
    own.mkdir()
    kept = (
        '{"claudeAiOauth": {"accessToken": "sk-ant-oat01-own", "refreshToken": "r",'
        ' "expiresAt": 4102444800000, "scopes": ["user:inference"], "subscriptionType": "max"}}'
    )
    (own / ".credentials.json").write_text(kept)
    backend = claude.planned(OK, login=Login(LoginKind.OWN, folder=own))
    reply = run(backend, call(cwd))
    assert (reply.failure, backend.login) == (None, f"your own login in {own}")
    assert "authorization" in claude.requests()[-1]["headers"]
    assert (own / ".credentials.json").read_text() == kept
    assert not list(own.glob("projects"))
    assert list(claude.config.glob("projects/*/*.jsonl"))


def test_without_a_login(claude: ClaudeDouble, cwd: Path) -> None:
    reply = run(claude.planned(OK, login=Login(LoginKind.API_KEY, "")), call(cwd))
    assert (reply.failure, claude.requests()) == (Failure.AUTH, [])


class Listening:
    """A host that hears the first bytes of whoever comes, and hangs up."""

    def __enter__(self) -> Listening:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.heard: list[bytes] = []
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _hear(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.heard.append(connection.recv(16))


@behind_walls
def test_the_way_out_is_by_name_and_encrypted(
    claude: ClaudeDouble, cwd: Path, tmp_path: Path
) -> None:
    """G4, H6: without a name server, through our tunnel, to the provider's host alone."""
    with Listening() as host:
        setup = claude.setup(base_url=f"https://localhost:{host.port}")
        launch = sandboxed(cwd, tmp_path / "scratch")
        reply = run(ClaudeBackend(setup), call(cwd, launch=launch))
    assert reply.failure is Failure.NETWORK
    assert host.heard
    assert all(heard[:2] == b"\x16\x03" for heard in host.heard)


def test_a_client_that_takes_no_hook_is_stopped(
    claude: ClaudeDouble, cwd: Path, tmp_path: Path
) -> None:
    """H6: one that would not let us look at its calls gets no turn."""
    program = tmp_path / "old-client"
    answer = '{"type":"control_response","response":{"request_id":"initialize","response":{}}}'
    program.write_text(f"#!/bin/sh\nread line\necho '{answer}'\nsleep 60\n")
    program.chmod(0o700)
    changes: dict[str, Any] = {"program": program}
    reply = run(claude.planned(OK, **changes), call(cwd))
    assert reply.failure is Failure.CRASHED
    assert "report its tool calls" in reply.detail
