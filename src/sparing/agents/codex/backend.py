"""Codex as a backend: one app server per turn, with our own process handling.

The vendor's library copies our whole environment and starts the process itself, so no lock could be
passed on; the protocol is spoken here. A thread's id is the session's id.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sparing.agents.backend import (
    EVERY_MODEL,
    AgentCall,
    AgentEvent,
    AgentReply,
    Capabilities,
    TurnOutcome,
    model_calls,
)
from sparing.agents.claude.stream import Stop
from sparing.agents.codex.client import NO_LOGIN, TESTED
from sparing.agents.codex.options import (
    WINDOW_TOKENS,
    CodexSetup,
    argv,
    hosts,
    link_login,
    needs,
    write_catalog,
)
from sparing.agents.codex.outcome import outcome
from sparing.agents.codex.stream import INTERRUPT, CodexWatch, fields, request
from sparing.agents.own_tools import ToolDesk, ToolOffer, muted
from sparing.agents.process import Client, Command, TurnStart
from sparing.agents.session_lock import SessionFiles, alone, files_in, held, private_folder
from sparing.agents.tunnel import Tunnel
from sparing.failure import Failure, limit_words
from sparing.usage import Usage

SESSION = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
GRACE_SECONDS = 5.0
READER_TOKENS, WRITER_TOKENS = 165, 365
"""Tokens of our tools, which are all that precedes a prompt, as the double counts them."""


class CodexBackend:
    name = "codex"

    def __init__(self, setup: CodexSetup) -> None:
        self._setup = setup

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            resume=True,
            fork=True,
            schema=True,
            marks=0,
            automatic=True,
            context_tokens=WINDOW_TOKENS,
            base_tokens=READER_TOKENS,
            writer_tokens=WRITER_TOKENS,
            proven=False,
            trims=True,
            own_readers=True,
            own_writers=frozenset({EVERY_MODEL}),
            own_writer_tokens=WRITER_TOKENS,
        )

    def offer(self, tools: ToolOffer) -> None:
        """Offer our tools to all roles: it has no others."""
        self._setup = replace(self._setup, tools=tools.to_everybody())

    @property
    def version(self) -> str:
        return self._setup.version

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
        began = time.monotonic()
        if not self._setup.login.there:
            return self._refusal(f"Codex is not logged in: {NO_LOGIN}", Failure.AUTH)
        private_folder(self._setup.config, "Codex")
        write_catalog(self._setup, call.model)
        link_login(self._setup)
        if call.resume and not self._knows(call.resume):
            return self._refusal(f"the session {call.resume[:80]} is not known")
        with held(self._setup.config, "" if call.fork or call.ping else call.resume) as lock:
            if lock is None:
                return self._refusal(f"the session {call.resume} is in use")
            offer = muted(self._setup.tools) if call.ping else self._setup.tools
            desk = ToolDesk(offer.of(call), events)
            if desk.tools:
                desk.tools.begin(call.resume)
            watch = CodexWatch(call, desk, events, self._setup.retries)
            ended = await self._let_out(watch, lock)
        reply = self._reply(watch, ended, time.monotonic() - began)
        if desk.tools and reply.failure is None:
            desk.tools.keep(reply.session)
        return reply

    async def _let_out(self, watch: CodexWatch, lock: tuple[int, ...]) -> TurnOutcome:
        """Run a turn through a tunnel that reaches only its provider's hosts."""
        wanted = hosts(self._setup)
        if not wanted:
            return await _turn(self._setup, watch, lock)
        async with Tunnel(wanted, self._setup.upstream) as tunnel:
            return await _turn(replace(self._setup, proxy=tunnel.url), watch, lock)

    def _knows(self, session: str) -> bool:
        """Whether there is such a session: with an unknown id a new thread would start silently."""
        return bool(self.session_files(session).paths)

    def session_files(self, session: str) -> SessionFiles:
        if not SESSION.fullmatch(session):
            return SessionFiles(self._setup.config)
        return files_in(self._setup.config, f"sessions/*/*/*/rollout-*-{session}.jsonl")

    def _refusal(self, detail: str, failure: Failure = Failure.INVALID_SESSION) -> AgentReply:
        return AgentReply(
            "", "", Usage(), self._setup.origin, context_tokens=0, seconds=0.0,
            failure=failure, detail=detail,
        )  # fmt: skip

    def _reply(self, watch: CodexWatch, ended: TurnOutcome, seconds: float) -> AgentReply:
        usage = sum(watch.calls, Usage())
        if ended.failure is Failure.INVALID_SESSION:
            return replace(self._refusal(ended.detail), usage=usage, seconds=seconds)
        last = watch.calls[-1] if watch.calls else Usage()
        kept = watch.calls and not watch.call.ping
        return AgentReply(
            text=watch.said if ended.failure is None else "",
            session=watch.thread if kept else "",
            usage=usage,
            origin=self._setup.origin,
            context_tokens=last.input + last.output,
            seconds=seconds,
            calls=tuple(model_calls(watch.call, watch.calls)),
            files_read=watch.desk.read,
            files_written=watch.desk.written,
            opened=tuple(watch.desk.opened),
            changed=tuple(watch.desk.changed),
            failure=ended.failure,
            detail=ended.detail,
            resets_at=watch.resets_at,
        )


async def _turn(setup: CodexSetup, watch: CodexWatch, lock: tuple[int, ...]) -> TurnOutcome:
    """Start the client, talk to it, and make sure that nothing of it is left."""
    call = watch.call
    start = TurnStart(setup.config, watch.opening(), lock)
    command = Command.of_turn(call, argv(setup, call), needs(setup, call), start)
    async with alone(setup.config) as let_in, Client(command) as client:
        watch.up = let_in
        try:
            return await _converse(client, watch)
        finally:
            await watch.desk.close()


async def _converse(client: Client, watch: CodexWatch) -> TurnOutcome:
    limit = watch.call.limit_seconds
    code, words = 0, ""
    try:
        async with asyncio.timeout(limit):
            await _listen(client, watch, until_stop=True)
            if watch.stop is None:
                code, words = await client.ended()
    except TimeoutError:
        watch.stop = watch.stop or Stop(Failure.TIMED_OUT, f"no result after {limit:g} s")
    if watch.stop is not None and watch.result is None and watch.turn:
        # Told to stop it closes its transcript and says what it has used.
        params = {"threadId": watch.thread, "turnId": watch.turn}
        client.say(request(INTERRUPT, "turn/interrupt", params))
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await _listen(client, watch, until_stop=False)
                await client.ended()
    if watch.stop is None and client.excess:
        return TurnOutcome(Failure.GARBAGE, client.excess)
    return ended_turn(watch, code, words)


async def _listen(client: Client, watch: CodexWatch, *, until_stop: bool) -> None:
    async for message in client.messages():
        watch.see(message, client.say)
        if watch.result is not None or _warm(watch):
            client.hush()
        elif until_stop and watch.stop is not None:
            return


def _warm(watch: CodexWatch) -> bool:
    """Whether a ping is done, which it is with the first answer."""
    return watch.call.ping and bool(watch.calls)


def ended_turn(watch: CodexWatch, code: int, words: str) -> TurnOutcome:
    """How a turn ended, from what was observed, the client's exit code and its last output."""
    if _warm(watch):
        return TurnOutcome(None)
    if watch.stop is not None:
        return TurnOutcome(*watch.stop)
    if limit := limit_words(code, words):
        return TurnOutcome(Failure.LIMIT, limit)
    if watch.result is None:
        last = words.splitlines()[-1] if words else ""
        why = last or f"the client exited with code {code} and no result"
        return TurnOutcome(Failure.CRASHED, why)
    return _judged(watch, watch.result.get("status"))


def _judged(watch: CodexWatch, status: object) -> TurnOutcome:
    """Judge a result: what the client takes for a success may still be a failure."""
    call, result = watch.call, watch.result or {}
    if status != "completed":
        ended = outcome(fields(result, "error"), resumed=bool(call.resume))
        if ended.failure is Failure.QUOTA and watch.resets_at is not None:
            until = datetime.fromtimestamp(watch.resets_at, UTC)
            return TurnOutcome(ended.failure, f"{ended.detail} (until {until:%Y-%m-%d %H:%M} UTC)")
        return ended
    if watch.denied:
        paths = ", ".join(dict.fromkeys(watch.denied))
        return TurnOutcome(Failure.PERMISSION_DENIED, f"{call.role} may not write {paths}")
    if not watch.said.strip():
        return TurnOutcome(Failure.GARBAGE, "the reply is empty")
    return TurnOutcome(None)
