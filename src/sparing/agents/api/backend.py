"""A provider's models as a backend: a process per turn, our tools, sessions in our own store.

The turn's process knows the key and its provider's address, and nothing of the worktree; what
agents do there they do with `look`, `change` and `run`, which are answered here as for any client.
A session is the conversation, stored when a turn succeeds: a killed turn leaves it unchanged.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

from sparing.agents.api.options import ApiSetup, StoredConversation, hosts, needs, order
from sparing.agents.api.stream import ApiWatch
from sparing.agents.backend import (
    EVERY_MODEL,
    AgentCall,
    AgentEvent,
    AgentReply,
    Capabilities,
    TurnOutcome,
    model_calls,
)
from sparing.agents.own_tools import ToolDesk, ToolOffer, muted
from sparing.agents.process import Client, Command, TurnStart
from sparing.agents.session_lock import held, private_folder
from sparing.agents.tunnel import Tunnel
from sparing.failure import Failure, limit_words
from sparing.segment import estimate_tokens
from sparing.usage import Origin, Usage

SESSION = re.compile("[0-9a-f]{32}")
READER_TOKENS, WRITER_TOKENS = 250, 420
"""Tokens of our tools, which are all that precedes a prompt, as the double counts them."""
REFUSING = "content_filter"


class ApiBackend:
    def __init__(self, setup: ApiSetup, name: str = "") -> None:
        self._setup = setup
        self.name = name or setup.provider.backend

    @property
    def capabilities(self) -> Capabilities:
        provider = self._setup.provider
        marked = provider.marks > 0
        return Capabilities(
            resume=True,
            fork=True,
            schema=True,
            marks=provider.marks,
            automatic=provider.automatic,
            context_tokens=provider.window_tokens,
            base_tokens=READER_TOKENS,
            writer_tokens=WRITER_TOKENS,
            two_lives=marked,
            primes=marked,
            trims=True,
            own_readers=True,
            own_writers=frozenset({EVERY_MODEL}),
            own_writer_tokens=WRITER_TOKENS,
        )

    def offer(self, tools: ToolOffer) -> None:
        """Offer our tools to all roles: there are no others."""
        self._setup = replace(self._setup, tools=tools.to_everybody())

    @property
    def version(self) -> str:
        return self._setup.version

    @property
    def login(self) -> str:
        """Which key is used, as text to show."""
        return self._setup.key.words

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        began = time.monotonic()
        provider = self._setup.provider
        if provider.needs_key and not self._setup.key.secret:
            return self._refusal(f"no API key for {provider.vendor} is set", Failure.AUTH)
        private_folder(self._setup.folder, "a provider")
        own = "" if call.fork or call.ping else call.resume
        known = SESSION.fullmatch(call.resume)
        with ExitStack() as stack:
            lock = stack.enter_context(held(self._setup.folder, own if known else ""))
            if lock is None:
                return self._refusal(f"the session {call.resume} is in use")
            stored = self._setup.store.load(call.resume) if known else None
            if call.resume and stored is None:
                return self._refusal(f"the session {call.resume[:80]} is not known")
            offer = muted(self._setup.tools) if call.ping else self._setup.tools
            desk = ToolDesk(offer.of(call), events)
            if desk.tools:
                desk.tools.begin(call.resume)
            watch = ApiWatch(call, desk, events, estimate_tokens(stored.text) if stored else 0)
            ended = await self._let_out(watch, stored, lock)
            session, ended = self._kept(watch, stored, ended)
        reply = self._reply(watch, ended, session, time.monotonic() - began)
        if desk.tools and reply.failure is None and session:
            desk.tools.keep(session)
        return reply

    async def _let_out(
        self, watch: ApiWatch, stored: StoredConversation | None, lock: tuple[int, ...]
    ) -> TurnOutcome:
        """Run a turn through a tunnel that reaches only its provider's host."""
        wanted, history = hosts(self._setup), stored.text if stored else ""
        if not wanted:
            return await _turn(self._setup, watch, history, lock)
        async with Tunnel(wanted, self._setup.upstream) as tunnel:
            return await _turn(replace(self._setup, proxy=tunnel.url), watch, history, lock)

    def _kept(
        self, watch: ApiWatch, stored: StoredConversation | None, ended: TurnOutcome
    ) -> tuple[str, TurnOutcome]:
        """The session that results from the turn, if it succeeded."""
        call, text = watch.call, str((watch.result or {}).get("history") or "")
        if call.ping or ended.failure is not None or not text:
            return "", ended
        goes_on = bool(call.resume) and not call.fork
        session = call.resume if goes_on else uuid.uuid4().hex
        turns = stored.turns + 1 if stored and goes_on else 1
        if self._setup.store.save(session, call.model, text, turns, call.at):
            return session, ended
        return "", TurnOutcome(Failure.INVALID_SESSION, f"{session} was continued elsewhere")

    def _refusal(self, detail: str, failure: Failure = Failure.INVALID_SESSION) -> AgentReply:
        return AgentReply(
            "", "", Usage(), self._setup.origin, context_tokens=0, seconds=0.0,
            failure=failure, detail=detail,
        )  # fmt: skip

    def _reply(
        self, watch: ApiWatch, ended: TurnOutcome, session: str, seconds: float
    ) -> AgentReply:
        usage, told = sum(watch.calls, Usage()), watch.result or {}
        if ended.failure is Failure.INVALID_SESSION:
            return replace(self._refusal(ended.detail), usage=usage, seconds=seconds)
        last = watch.calls[-1] if watch.calls else Usage()
        resets = told.get("resets_at")
        return AgentReply(
            text=str(told.get("text") or "") if ended.failure is None else "",
            session=session,
            usage=usage,
            origin=Origin.ESTIMATED if watch.estimated else self._setup.origin,
            context_tokens=last.input + last.output,
            seconds=seconds,
            calls=tuple(model_calls(watch.call, watch.calls)),
            files_read=watch.desk.read,
            files_written=watch.desk.written,
            opened=tuple(watch.desk.opened),
            changed=tuple(watch.desk.changed),
            failure=ended.failure,
            detail=ended.detail,
            resets_at=float(resets) if isinstance(resets, int | float) else None,
        )


async def _turn(
    setup: ApiSetup, watch: ApiWatch, history: str, lock: tuple[int, ...]
) -> TurnOutcome:
    """Start the process, answer its calls, and make sure that nothing of it is left."""
    call = watch.call
    start = TurnStart(setup.folder, order(setup, call, watch.desk.specs, history), lock)
    command = Command.of_turn(call, setup.program, needs(setup), start)
    async with Client(command) as client:
        try:
            return await _converse(client, watch)
        finally:
            await watch.desk.close()


async def _converse(client: Client, watch: ApiWatch) -> TurnOutcome:
    limit = watch.call.limit_seconds
    try:
        async with asyncio.timeout(limit):
            async for message in client.messages():
                watch.see(message, client.say)
                if watch.result is not None:
                    return ended_turn(watch, 0, "")
            if client.excess:
                return TurnOutcome(Failure.GARBAGE, client.excess)
            return ended_turn(watch, *await client.ended())
    except TimeoutError:
        return TurnOutcome(Failure.TIMED_OUT, f"no result after {limit:g} s")


def ended_turn(watch: ApiWatch, code: int, words: str) -> TurnOutcome:
    """How a turn ended, from what was observed, the process's exit code and its last output."""
    if watch.call.ping and watch.calls:
        return TurnOutcome(None)  # it has done its work with the first answer
    if limit := limit_words(code, words):
        return TurnOutcome(Failure.LIMIT, limit)
    if watch.result is None:
        last = words.splitlines()[-1] if words else ""
        return TurnOutcome(
            Failure.CRASHED, last or f"the turn's process exited with code {code} and no result"
        )
    return _judged(watch, watch.result)


def _judged(watch: ApiWatch, result: dict[str, object]) -> TurnOutcome:
    """Judge a result: what the library takes for a success may still be a failure."""
    call, failure = watch.call, watch.failure
    if watch.denied:
        paths = ", ".join(dict.fromkeys(watch.denied))
        return TurnOutcome(Failure.PERMISSION_DENIED, f"{call.role} may not write {paths}")
    if watch.stop == REFUSING:
        return TurnOutcome(Failure.REFUSED, "the provider refused to answer")
    if failure is Failure.GARBAGE and str(result.get("text") or "").strip():
        return TurnOutcome(None)  # an answer of another form than was asked for is judged later
    if failure is not None:
        return TurnOutcome(failure, _detail(failure, result))
    if not str(result.get("text") or "").strip():
        return TurnOutcome(Failure.GARBAGE, "the reply is empty")
    return TurnOutcome(None)


def _detail(failure: Failure, result: dict[str, object]) -> str:
    words, until = str(result.get("detail") or failure.value), result.get("resets_at")
    if failure is Failure.QUOTA and isinstance(until, int | float):
        return f"{words} (until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC)"
    return words
