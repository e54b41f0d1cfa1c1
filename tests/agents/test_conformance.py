"""What every backend promises: sessions, confinement, and failures as data.

Covers: G1, G2, G3, C15
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from sparing.agents.backend import ANSWERING, Access, AgentEvent, AgentReply
from sparing.agents.worktree_lock import worktree_lock
from sparing.failure import Failure
from sparing.turn_event import AgentAction
from sparing.usage import Usage
from tests.agents.acts import Act, Backends
from tests.agents.backends import call, gone, run, segments


def test_a_fresh_call(backends: Backends, cwd: Path) -> None:
    """G1: a reply, a session to come back to, and a bill."""
    backend = backends.make(Act(reply="all is well"))
    reply = run(backend, call(cwd))
    assert (reply.text, reply.failure, reply.detail) == ("all is well", None, "")
    assert reply.session
    prompt = sum(segment.tokens for segment in call(cwd).prompt)
    assert reply.usage.input >= prompt + backend.capabilities.base_tokens
    assert reply.usage.output > 0
    assert prompt < reply.context_tokens <= backend.capabilities.context_tokens


def test_two_fresh_calls_are_two_sessions(backends: Backends, cwd: Path) -> None:
    backend = backends.make()
    first = run(backend, call(cwd))
    second = run(backend, call(cwd, id="d2.1", at=1010.0))
    assert first.session != second.session
    assert first.context_tokens == second.context_tokens


@pytest.mark.parametrize("restarted", [False, True])
def test_a_resumed_session_knows_what_was_said(
    backends: Backends, cwd: Path, restarted: bool
) -> None:
    """C3, C15: also after a restart of ours. Only what is new is sent, the rest is cached."""
    backend = backends.make(Act(reply="noted. " * 300))
    first = run(backend, call(cwd))
    if restarted:
        backend = backends.make(Act(reply="still known"))
    news = segments("Only this is new.")
    second = run(backend, call(cwd, id="d1.2", prompt=news, resume=first.session, at=1060.0))

    assert second.failure is None
    assert second.context_tokens > first.context_tokens + news[0].tokens
    assert second.usage.input >= first.context_tokens
    asked = first.context_tokens - first.usage.output
    assert second.usage.read >= 0.95 * asked


def test_a_resumed_session_goes_on_and_on(backends: Backends, cwd: Path) -> None:
    """C3: each turn's id leads to the next, and the transcript only grows."""
    backend = backends.make()
    reply = run(backend, call(cwd))
    sizes = [reply.context_tokens]
    for number in range(4):
        turn = call(
            cwd, id=f"n{number}", prompt=segments(f"turn {number}"), resume=reply.session,
            at=1010.0 + 10 * number,
        )  # fmt: skip
        reply = run(backend, turn)
        assert reply.failure is None
        sizes.append(reply.context_tokens)
    assert sizes == sorted(set(sizes))


def test_a_fork_leaves_the_original_untouched(backends: Backends, cwd: Path) -> None:
    """C3: the original goes on as though the fork had never been."""
    backend = backends.make()
    first = run(backend, call(cwd))
    news = segments("What would you say?")
    fork = run(
        backend,
        call(cwd, id="f", prompt=news, resume=first.session, fork=True, at=1010.0),
    )
    again = run(backend, call(cwd, id="d1.2", prompt=news, resume=first.session, at=1020.0))
    assert fork.session not in ("", first.session)
    assert fork.context_tokens == again.context_tokens > first.context_tokens
    assert fork.usage.read > 0.9 * first.context_tokens

    later = run(backend, call(cwd, id="f2", prompt=news, resume=fork.session, at=1030.0))
    grown = later.context_tokens - again.context_tokens - news[0].tokens - later.usage.output
    assert 0 <= grown < 6, "nothing but what stands around a message"


@pytest.mark.parametrize("fork", [False, True])
@pytest.mark.parametrize(
    "session", ["0123456789abcdef" * 2, "gone", "../../etc/passwd", "a" * 5000, "x\0y"]
)
def test_an_unknown_session_costs_nothing(
    backends: Backends, cwd: Path, session: str, fork: bool
) -> None:
    """C8: it is said at once, so that the turn can be sent afresh."""
    reply = run(backends.make(), call(cwd, resume=session, fork=fork))
    assert (reply.failure, reply.usage) == (Failure.INVALID_SESSION, Usage())
    assert reply.detail
    assert reply.session == ""


@pytest.mark.parametrize("restarted", [False, True])
def test_a_session_takes_one_turn_at_a_time(backends: Backends, cwd: Path, restarted: bool) -> None:
    """G3: one lock a session, also between two processes of ours; the second turn is refused."""
    slow = backends.make(Act(delay_seconds=0.3))
    other = backends.make(Act(delay_seconds=0.3)) if restarted else slow
    session = run(backends.make(), call(cwd)).session

    async def both() -> tuple[AgentReply, AgentReply]:
        return await asyncio.gather(
            slow.run(call(cwd, id="a", resume=session, at=1010.0), lambda _: None),
            other.run(call(cwd, id="b", resume=session, at=1011.0), lambda _: None),
        )

    failures = [reply.failure for reply in asyncio.run(both())]
    assert sorted(failures, key=str) == [None, Failure.INVALID_SESSION]
    after = run(slow, call(cwd, id="c", resume=session, at=1030.0))
    assert after.failure is None


def test_a_fork_that_ends_gives_no_second_turn_a_way_in(backends: Backends, cwd: Path) -> None:
    """G3: whoever holds the session holds it to the end of the turn."""
    backend = backends.make(
        Act(role="quick", delay_seconds=0.1), Act(role="slow", delay_seconds=600)
    )
    session = run(backend, call(cwd, role="quick")).session

    async def three() -> list[Failure | None]:
        def turn(id: str, role: str, *, fork: bool = False) -> asyncio.Task[AgentReply]:
            asked = call(cwd, id=id, role=role, resume=session, fork=fork, at=1010.0)
            return asyncio.create_task(backend.run(asked, lambda _: None))

        fork = turn("fork", "quick", fork=True)
        await asyncio.sleep(0)
        first = turn("first", "slow")
        await fork
        second = await turn("second", "quick")
        assert not first.done()
        first.cancel()
        await asyncio.wait([first])
        return [(await fork).failure, second.failure]

    assert asyncio.run(three()) == [None, Failure.INVALID_SESSION]


def test_a_reviewer_that_wants_to_write(backends: Backends, cwd: Path) -> None:
    """H6: it is refused, and not a byte of the worktree has changed."""
    (cwd / "kept.txt").write_text("as it was")
    backend = backends.make(Act(write={"kept.txt": "mine now", "new/file.txt": "x"}))
    reply = run(backend, call(cwd, role="spec-reviewer", access=Access.READ_ONLY))
    assert reply.failure is Failure.PERMISSION_DENIED
    assert "kept.txt" in reply.detail
    assert reply.files_written == ()
    assert {path.name: path.read_text() for path in cwd.rglob("*")} == {"kept.txt": "as it was"}


def test_what_was_read_and_written_is_told(backends: Backends, cwd: Path) -> None:
    """B2, E2: in the reply and, as it happens, in events. A file that is not there was not read."""
    (cwd / "a.txt").write_text("some words")
    act = Act(read=("a.txt", "gone.txt"), write={"docs/b.txt": "more words"})
    seen: list[AgentEvent] = []
    reply = run(backends.make(act), call(cwd), seen.append)
    assert reply.failure is None
    assert (reply.files_read, reply.files_written) == (("a.txt",), ("docs/b.txt",))
    assert (cwd / "docs" / "b.txt").read_text() == "more words"
    assert seen[0].kind == ANSWERING
    told = [event for event in seen if event.kind in ("read", "write")]
    assert [(event.kind, event.text.partition(":")[0]) for event in told] == [
        (AgentAction.READ, "a.txt"),
        (AgentAction.WRITE, "docs/b.txt"),
    ]


def test_an_empty_file_can_be_read_last(backends: Backends, cwd: Path) -> None:
    """B2: tools of ours have no line of it to show, so it was not read."""
    (cwd / "__init__.py").touch()
    backend = backends.make(Act(read=("__init__.py",)))
    reply = run(backend, call(cwd))
    shown = () if backend.capabilities.own_readers else ("__init__.py",)
    assert (reply.failure, reply.files_read) == (None, shown)


def test_a_turn_that_takes_too_long(backends: Backends, cwd: Path, tmp_path: Path) -> None:
    """G3: our own limit ends it, and nothing of its process group is left."""
    backend = backends.make(Act(delay_seconds=600, write={"late.txt": "x"}))
    began = time.monotonic()
    with worktree_lock(tmp_path / "lock") as lock:
        reply = run(backend, call(cwd, limit_seconds=1.0, lock=lock))
        agent = int((tmp_path / "lock").read_text())
    assert reply.failure is Failure.TIMED_OUT
    assert "1 s" in reply.detail
    assert time.monotonic() - began < 240
    assert gone(agent)
    assert not (cwd / "late.txt").exists()


def test_a_client_that_leaves_without_a_result(backends: Backends, cwd: Path) -> None:
    """G3: success is a result, not an exit code of 0."""
    for code in (0, 3):
        reply = run(backends.make(Act(reply="never said", leaves=code)), call(cwd))
        assert (reply.failure, reply.text) == (Failure.CRASHED, "")
        assert reply.detail


def test_a_cancelled_turn_leaves_nothing_behind(
    backends: Backends, cwd: Path, tmp_path: Path
) -> None:
    """G3: neither a process nor a lock; the session can be used again."""
    session = run(backends.make(), call(cwd)).session
    backend = backends.make(Act(delay_seconds=60))

    async def cancelled() -> int:
        begun = asyncio.Event()
        with worktree_lock(tmp_path / "lock") as lock:
            turn = call(cwd, id="d2", resume=session, lock=lock, at=1010.0)
            task = asyncio.create_task(backend.run(turn, lambda _: begun.set()))
            await asyncio.wait_for(begun.wait(), 240)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return int((tmp_path / "lock").read_text())

    assert gone(asyncio.run(cancelled()))
    again = run(backends.make(), call(cwd, id="d3", resume=session, at=1020.0))
    assert again.failure is None


def test_a_session_goes_on_in_another_worktree(
    backends: Backends, cwd: Path, tmp_path: Path
) -> None:
    """C3: worktrees come and go; what was said stays, and stays cached."""
    first = run(backends.make(), call(cwd))
    other = tmp_path / "elsewhere"
    other.mkdir()
    turn = call(other, id="d1.2", prompt=segments("Go on here."), resume=first.session, at=1060.0)
    second = run(backends.make(), turn)
    assert (second.failure, second.session) == (None, first.session)
    assert second.usage.read >= 0.95 * (first.context_tokens - first.usage.output)


def test_a_killed_turn_does_not_break_its_session(
    backends: Backends, cwd: Path, tmp_path: Path
) -> None:
    """G3: kill -9 in the middle is a crash with a session that can be resumed."""
    session = run(backends.make(), call(cwd)).session
    lock_file = tmp_path / "lock"

    def kill(_: AgentEvent) -> None:
        os.kill(int(lock_file.read_text()), signal.SIGKILL)

    with worktree_lock(lock_file) as lock:
        turn = call(cwd, id="d2", resume=session, lock=lock, at=1010.0)
        killed = run(backends.make(Act(delay_seconds=60)), turn, kill)
    assert (killed.failure, killed.text) == (Failure.CRASHED, "")
    again = run(backends.make(), call(cwd, id="d3", resume=session, at=1020.0))
    assert (again.failure, again.session) == (None, session)
