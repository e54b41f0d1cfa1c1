"""An agent that speaks the Agent Client Protocol as a backend: one process per turn.

It runs in a sandbox with a copy of its session, and finds two things on this machine: its provider,
behind a relay that knows the key, and tools of ours. What a turn used is read from its provider's
own answers, so nothing depends on what the agent reports.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sparing.agents.acp.agents import Placed
from sparing.agents.acp.homes import Homes
from sparing.agents.acp.loopback_server import LoopbackServer
from sparing.agents.acp.options import AcpSetup, needs
from sparing.agents.acp.relay import Relay, Upstream
from sparing.agents.acp.stream import AcpWatch
from sparing.agents.acp.tool_calls import ToolCalls
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
from sparing.agents.session_lock import held
from sparing.failure import Failure, limit_words
from sparing.usage import Origin, Usage


class AcpBackend:
    def __init__(self, setup: AcpSetup, name: str = "") -> None:
        self._setup = setup
        self.name = name or setup.agent.name

    @property
    def capabilities(self) -> Capabilities:
        agent = self._setup.agent
        return Capabilities(
            resume=True, fork=True, schema=False,
            marks=0, automatic=self._setup.automatic,
            context_tokens=agent.window_tokens,
            base_tokens=agent.base_tokens,
            writer_tokens=agent.writer_tokens,
            proven=False,
            trims=agent.own_tools,
            own_readers=agent.own_tools,
            own_writers=frozenset({EVERY_MODEL} if agent.own_tools else ()),
            own_writer_tokens=agent.writer_tokens,
        )  # fmt: skip

    def offer(self, tools: ToolOffer) -> None:
        """Offer our tools to all roles: a known agent has no others."""
        self._setup = replace(self._setup, tools=tools.to_everybody())

    @property
    def version(self) -> str:
        return self._setup.version

    @property
    def tested(self) -> str:
        return self._setup.agent.tested

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of the client, which differ in another version."""
        return tuple(map(Path, self._setup.program))

    @property
    def login(self) -> str:
        """Which keys are used, as text to show."""
        return ", ".join(key.words for key in self._setup.keys.values())

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        began, setup = time.monotonic(), self._setup
        homes, upstream = Homes(setup.config), setup.upstream_of(call.model)
        if upstream is None:
            vendor = setup.provider_of(call.model).vendor or "your server"
            return self._refusal(Failure.AUTH, f"no API key for {vendor} is set")
        if call.resume and not homes.name_of(call.resume):
            words = f"the session {call.resume[:80]} is not known"
            return self._refusal(Failure.INVALID_SESSION, words)
        with held(setup.config, "" if call.fork or call.ping else call.resume) as lock:
            if lock is None:
                return self._refusal(Failure.INVALID_SESSION, f"{call.resume} is in use")
            known = homes.name_of(call.resume)
            home = homes.begin(call.resume)
            try:
                watch = self._watch(call, events, homes, known)
                ended = await self._turn(watch, upstream, home, lock)
                session = self._kept(watch, ended, homes, home)
            finally:
                await asyncio.to_thread(homes.drop, home)
        reply = self._reply(watch, ended, session, time.monotonic() - began)
        if watch.desk.tools and reply.failure is None and session:
            watch.desk.tools.keep(session)
        return reply

    def _watch(
        self, call: AgentCall, events: Callable[[AgentEvent], None], homes: Homes, known: str
    ) -> AcpWatch:
        own = self._setup.agent.own_tools
        offer = muted(self._setup.tools) if call.ping else self._setup.tools
        desk = ToolDesk(offer.of(call) if own else None, events)
        if desk.tools:
            desk.tools.begin(call.resume)
        folder = str(homes.desk if own else call.seen)
        title = self._setup.agent.title
        return AcpWatch(call, desk, events, folder, title, known, says_system=not own)

    async def _turn(
        self, watch: AcpWatch, upstream: Upstream, home: Path, lock: tuple[int, ...]
    ) -> TurnOutcome:
        """Start the agent, talk to it, and make sure that nothing of it is left."""
        setup, call = self._setup, watch.call
        relay = Relay(
            upstream,
            setup.headers(call),
            setup.retries,
            began=watch.began,
            billed=watch.billed,
            stop=watch.stop,
            now=lambda: time.time(),
        )
        tools = ToolCalls(watch.desk, told=watch.folder, meant=str(call.seen))
        async with LoopbackServer(relay, tools) as server:
            if setup.agent.own_tools and watch.desk.tools:
                watch.tools = server.tools
            async with self._client(watch, server, home, lock) as client:
                ended = await self._converse(client, watch)
        if ended.failure is None and watch.tools and not tools.listed:
            why = f"{setup.agent.title} did not accept Sparing's tools"
            return TurnOutcome(Failure.CRASHED, why)
        return ended

    @asynccontextmanager
    async def _client(
        self, watch: AcpWatch, server: LoopbackServer, home: Path, lock: tuple[int, ...]
    ) -> AsyncGenerator[Client]:
        setup, call = self._setup, watch.call
        desk = Homes(setup.config).desk
        if watch.known:
            setup.agent.resumed(home, watch.known)
        provider = setup.provider_of(call.model)
        placed = Placed(setup, call, provider, home, desk, model=server.model, word=server.word)
        started = setup.agent.prepare(placed)
        wanted = needs(setup, started, home, desk, server.port)
        start = TurnStart(home, watch.opening(), lock)
        command = Command.of_turn(call, started.argv, wanted, start)
        async with Client(command) as client:
            try:
                yield client
            finally:
                await watch.desk.close()

    async def _converse(self, client: Client, watch: AcpWatch) -> TurnOutcome:
        limit = watch.call.limit_seconds
        stopped = asyncio.Event()
        watch.stopped = stopped.set
        listening = asyncio.create_task(self._listen(client, watch))
        stopping = asyncio.create_task(stopped.wait())
        try:
            async with asyncio.timeout(limit):
                await asyncio.wait({listening, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done() and watch.outcome is None:
                listening.result()
                return await self._ended(client, watch)
        except TimeoutError:
            watch.stop(TurnOutcome(Failure.TIMED_OUT, f"no result after {limit:g} s"))
        finally:
            for task in (listening, stopping):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        return watch.outcome or TurnOutcome(Failure.CRASHED, "the turn was stopped")

    async def _listen(self, client: Client, watch: AcpWatch) -> None:
        """Listen until the agent has ended the turn or is gone."""
        asked = False
        async for message in client.messages():
            watch.see(message, client.say)
            if watch.result is not None or watch.outcome is not None:
                return
            if watch.ready and not asked:
                asked = True
                watch.desk.start(self._ask(client, watch))

    async def _ask(self, client: Client, watch: AcpWatch) -> None:
        if watch.known and self._setup.agent.replays:
            await asyncio.sleep(self._setup.agent.settle_seconds)
        client.say(watch.prompt())

    async def _ended(self, client: Client, watch: AcpWatch) -> TurnOutcome:
        """Wait while the agent, after its last message, saves what it has to."""
        client.hush()
        code, words = 0, ""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._setup.grace_seconds):
                async for _ in client.messages():
                    pass
                code, words = await client.ended()
        if client.excess:
            return TurnOutcome(Failure.GARBAGE, client.excess)
        return ended_turn(watch, code, words)

    def _kept(self, watch: AcpWatch, ended: TurnOutcome, homes: Homes, home: Path) -> str:
        """The session that results from the turn; a failed turn leaves it unchanged."""
        call = watch.call
        if call.ping or not watch.session:
            return ""
        if ended.failure is not None:
            own = call.resume and not call.fork and ended.failure is not Failure.INVALID_SESSION
            return call.resume if own else ""
        session = call.resume if call.resume and not call.fork else uuid.uuid4().hex
        self._setup.agent.kept(home, watch.asked, watch.said)
        homes.keep(home, session, watch.session)
        return session

    def _refusal(self, failure: Failure, detail: str) -> AgentReply:
        return AgentReply(
            "", "", Usage(), self._setup.origin, context_tokens=0, seconds=0.0,
            failure=failure, detail=detail,
        )  # fmt: skip

    def _reply(
        self, watch: AcpWatch, ended: TurnOutcome, session: str, seconds: float
    ) -> AgentReply:
        last = watch.calls[-1] if watch.calls else Usage()
        return AgentReply(
            text=_answer(watch) if ended.failure is None else "",
            session=session,
            usage=sum(watch.calls, Usage()),
            origin=Origin.ESTIMATED if watch.estimated else self._setup.origin,
            context_tokens=last.input + last.output,
            seconds=seconds,
            calls=tuple(model_calls(watch.call, watch.calls)),
            files_read=(*watch.desk.read, *dict.fromkeys(watch.read)),
            files_written=(*watch.desk.written, *dict.fromkeys(watch.written)),
            opened=tuple(watch.desk.opened),
            changed=tuple(watch.desk.changed),
            failure=ended.failure,
            detail=_detail(ended, watch.resets_at),
            resets_at=watch.resets_at,
        )


def ended_turn(watch: AcpWatch, code: int, words: str) -> TurnOutcome:
    """How a turn ended, from what was observed, the agent's exit code and its last output."""
    call = watch.call
    if limit := limit_words(code, words):
        return TurnOutcome(Failure.LIMIT, limit)
    if watch.result is None:
        last = words.splitlines()[-1] if words else ""
        why = last or f"the agent exited with code {code} and no result"
        return TurnOutcome(Failure.CRASHED, why)
    if watch.denied:
        paths = ", ".join(dict.fromkeys(watch.denied))
        return TurnOutcome(Failure.PERMISSION_DENIED, f"{call.role} may not write {paths}")
    if watch.refused or watch.result.get("stopReason") == "refusal":
        return TurnOutcome(Failure.REFUSED, "the provider refused to answer")
    if not watch.said.strip():
        return TurnOutcome(Failure.GARBAGE, "the reply is empty")
    return TurnOutcome(None)


def _answer(watch: AcpWatch) -> str:
    """The answer; a JSON form requested in the prompt is cut out of the surrounding text."""
    text = watch.said.strip()
    if watch.call.schema is None:
        return text
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _detail(ended: TurnOutcome, until: float | None) -> str:
    if ended.failure is Failure.QUOTA and until is not None:
        return f"{ended.detail} (until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC)"
    return ended.detail
