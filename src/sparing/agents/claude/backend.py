"""Claude Code as a backend: one process per turn, driven over its stream of JSON lines.

Not through the vendor's library: a turn's process must inherit locks, start in a group of its own
with an environment built from empty, and be gone the moment its task is cancelled. The library's
wheel contains the client and is not imported.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from json import dumps
from pathlib import Path

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, TurnOutcome, model_calls
from sparing.agents.claude.client import TESTED
from sparing.agents.claude.options import (
    Setup,
    argv,
    capabilities_with,
    hosts,
    needs,
    opening,
    request,
)
from sparing.agents.claude.outcome import outcome
from sparing.agents.claude.stream import Stop, Watch
from sparing.agents.claude.tools import ClaudeDesk
from sparing.agents.claude.transcript import TurnNote, spent
from sparing.agents.own_tools import ToolOffer, muted
from sparing.agents.process import Client, Command, TurnStart
from sparing.agents.session_lock import SessionFiles, files_in, held, private_folder
from sparing.agents.tunnel import Tunnel
from sparing.failure import Failure, limit_words
from sparing.usage import Usage

SESSION = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
GRACE_SECONDS = 5.0
"""Time for a client that is stopping, or has sent its last message, to save its session."""


class ClaudeBackend:
    name = "claude"

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.capabilities = capabilities_with(setup)

    def offer(self, tools: ToolOffer) -> None:
        """Give turns these tools of ours from now on, in place of the client's."""
        self._setup = replace(self._setup, tools=tools)
        self.capabilities = capabilities_with(self._setup)

    @property
    def version(self) -> str:
        return self._setup.version

    def spent(self, call: str) -> Usage:
        """What a turn used whose end was not seen."""
        return spent(self._setup.config, call)

    @property
    def tested(self) -> str:
        """The version that the conformance suite ran on."""
        return TESTED

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the client, which differ in another version."""
        return (self._setup.program,)

    @property
    def login(self) -> str:
        """Which login is used, as text to show."""
        return self._setup.login.words

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        if call.ping:
            return await self._ping(call, events)
        began = time.monotonic()
        private_folder(self._setup.config, "Claude Code")
        if call.resume and not self._knows(call.resume):
            return self._refusal(f"the session {call.resume[:80]} is not known")
        with held(self._setup.config, "" if call.fork else call.resume) as lock:
            if lock is None:
                return self._refusal(f"the session {call.resume} is in use")
            desk = ClaudeDesk(self._setup.tools.of(call), events)
            watch = Watch(call, call.cwd.resolve(), events, desk.names)
            if desk.tools:
                desk.tools.begin(call.resume)
            ended = await self._let_out(watch, desk, lock)
        reply = self._reply(watch, desk, ended, time.monotonic() - began)
        if desk.tools and reply.failure is None:
            desk.tools.keep(reply.session)
        return reply

    async def _ping(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        """Fork the session, read all of it in one request, and discard the fork; without a
        session, the prompt itself is sent to fill the cache."""
        once = ClaudeBackend(replace(self._setup, max_turns=1, tools=muted(self._setup.tools)))
        reply = await once.run(replace(call, ping=False, fork=bool(call.resume)), events)
        if SESSION.fullmatch(reply.session) and reply.session != call.resume:
            for path in self._setup.config.glob(f"projects/*/{reply.session}.jsonl"):
                path.unlink(missing_ok=True)
        usage = reply.usage
        done = usage.read if call.resume else usage.read + usage.write_5m + usage.write_1h
        # What it said, or that it would have gone on, is nothing to us.
        return replace(reply, failure=None, detail="") if done else reply

    async def _let_out(self, watch: Watch, desk: ClaudeDesk, lock: tuple[int, ...]) -> TurnOutcome:
        """Run a turn through a tunnel that reaches only its provider's hosts."""
        wanted = hosts(self._setup)
        if not wanted:
            return await _turn(self._setup, watch, desk, lock)
        async with Tunnel(wanted, self._setup.upstream) as tunnel:
            return await _turn(replace(self._setup, proxy=tunnel.url), watch, desk, lock)

    def _knows(self, session: str) -> bool:
        """Whether there is such a session; asking the client would be slow and accept titles."""
        return bool(self.session_files(session).paths)

    def session_files(self, session: str) -> SessionFiles:
        if not SESSION.fullmatch(session):
            return SessionFiles(self._setup.config)
        return files_in(self._setup.config, f"projects/*/{session}.jsonl")

    def _refusal(self, detail: str) -> AgentReply:
        return AgentReply(
            "", "", Usage(), self._setup.origin, context_tokens=0, seconds=0.0,
            failure=Failure.INVALID_SESSION, detail=detail,
        )  # fmt: skip

    def _reply(
        self, watch: Watch, desk: ClaudeDesk, ended: TurnOutcome, seconds: float
    ) -> AgentReply:
        if ended.failure is Failure.INVALID_SESSION:
            return replace(self._refusal(ended.detail), usage=watch.usage, seconds=seconds)
        last = watch.calls[-1] if watch.calls else Usage()
        return AgentReply(
            text=_text(watch),
            session=watch.session if watch.calls else "",
            usage=watch.usage,
            origin=self._setup.origin,
            context_tokens=last.input + last.output,
            seconds=seconds,
            calls=tuple(model_calls(watch.call, watch.calls, watch.asked)),
            files_read=(*watch.read, *desk.read),
            files_written=(*watch.written, *desk.written),
            opened=tuple(desk.opened),
            changed=tuple(desk.changed),
            searches=watch.searches,
            failure=ended.failure,
            detail=ended.detail,
            resets_at=watch.resets_at,
        )


async def _turn(setup: Setup, watch: Watch, desk: ClaudeDesk, lock: tuple[int, ...]) -> TurnOutcome:
    """Start the client, talk to it, and make sure that nothing of it is left."""
    call = watch.call
    start = TurnStart(setup.config, opening(call, desk.names), lock)
    command = Command.of_turn(call, argv(setup, call, desk.names), needs(setup, call), start)
    note = TurnNote(setup.config, call)
    note.begin()
    async with Client(command) as client:
        try:
            return await _converse(client, watch, desk, note)
        finally:
            await desk.close()


async def _converse(client: Client, watch: Watch, desk: ClaudeDesk, note: TurnNote) -> TurnOutcome:
    limit = watch.call.limit_seconds
    code, words = 0, ""
    try:
        async with asyncio.timeout(limit):
            await _listen(client, watch, desk, note, until_stop=True)
            if watch.stop is None:
                code, words = await client.ended()
    except TimeoutError:
        watch.stop = watch.stop or Stop(Failure.TIMED_OUT, f"no result after {limit:g} s")
    if watch.stop is not None and watch.result is None:
        # Told to stop it closes its transcript and says what it has used.
        client.say(request("stop", subtype="interrupt"))
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await _listen(client, watch, desk, note, until_stop=False)
                await client.ended()
    if watch.stop is None and client.excess:
        return TurnOutcome(Failure.GARBAGE, client.excess)
    return ended_turn(watch, code, words)


async def _listen(
    client: Client, watch: Watch, desk: ClaudeDesk, note: TurnNote, *, until_stop: bool
) -> None:
    async for message in client.messages():
        if desk.take(message, client.say):
            continue
        answer = watch.see(message)
        note.name(watch.session)
        if answer:
            client.say(answer)
        if watch.result is not None:
            client.hush()
        elif until_stop and watch.stop is not None:
            return


def ended_turn(watch: Watch, code: int, words: str) -> TurnOutcome:
    """How a turn ended, from what was observed, the client's exit code and its last output."""
    if watch.stop is not None:
        return _judged(watch, TurnOutcome(*watch.stop))
    if words_of_limit := limit_words(code, words):
        return TurnOutcome(Failure.LIMIT, words_of_limit)
    if watch.result is None:
        why = words or f"the client exited with code {code} and no result"
        return TurnOutcome(Failure.CRASHED, why)
    return _judged(watch, outcome(watch.result, resumed=bool(watch.call.resume)))


def _judged(watch: Watch, ended: TurnOutcome) -> TurnOutcome:
    """Judge a result: what the client takes for a success may still be a failure."""
    call = watch.call
    if ended.failure is Failure.QUOTA and watch.resets_at is not None:
        until = datetime.fromtimestamp(watch.resets_at, UTC)
        return TurnOutcome(ended.failure, f"{ended.detail} (until {until:%Y-%m-%d %H:%M} UTC)")
    if ended.failure is not None:
        return ended
    if call.resume and (watch.session == call.resume) is call.fork:
        what = "was continued instead of forked" if call.fork else f"became {watch.session}"
        return TurnOutcome(Failure.INVALID_SESSION, f"the session {call.resume} {what}")
    if watch.denied:
        paths = ", ".join(dict.fromkeys(watch.denied))
        return TurnOutcome(Failure.PERMISSION_DENIED, f"{call.role} may not write {paths}")
    if not _text(watch).strip():
        return TurnOutcome(Failure.GARBAGE, "the reply is empty")
    return ended


def _text(watch: Watch) -> str:
    """The reply: the object that the schema asks for, else the last text."""
    result = watch.result or {}
    said = result.get("structured_output")
    if said is not None:
        return dumps(said, ensure_ascii=False)
    text = result.get("result")
    return text if isinstance(text, str) and result.get("is_error") is not True else ""
