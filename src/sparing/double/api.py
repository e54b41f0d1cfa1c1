"""What the double refuses, what it answers, and what that costs, in every format that it speaks.

A request starts when it arrives and is billed when its answer begins, with both times, so that
siblings sent before that pay for themselves. Nothing is sent anywhere but back.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import unquote

from sparing.cache import PromptCache
from sparing.double.agent.play import TurnFacts, read_identity
from sparing.double.answer import ModelWords, compose
from sparing.double.blocks import count_tokens, to_cache
from sparing.double.delivery import body_of, deliver, json_body
from sparing.double.formats.automatic_cache import AutomaticCache, AutomaticRule
from sparing.double.formats.conversation import prompt_text
from sparing.double.formats.table import WireFormat, format_of
from sparing.double.formats.tool_names import as_asked, as_known
from sparing.double.log import Log, safe_headers
from sparing.double.model import Model
from sparing.double.plan import USUAL, PlannedReply, RequestPlan
from sparing.double.refusal import Refusal, error_body, status_of
from sparing.double.request import JsonObject, ModelRequest, is_aside, newest, read_asked, read_json
from sparing.double.tool_results import check_pairing
from sparing.double.wire import HttpRequest, Line
from sparing.errors import ScriptError
from sparing.segment import CHARS_PER_TOKEN
from sparing.usage import Usage

WINDOW_TOKENS = 1_000_000
LATEST_SECONDS = 1e12
TICK_SECONDS = 0.001
KEY_HEADERS = ("x-api-key", "authorization", "x-goog-api-key")
Biller = Callable[[float, float, int], Usage]
"""Bills a request from its arrival time, the start of its answer, and the output tokens."""


class DoubleClock:
    """The double's virtual time, which passes only when told to.

    Every event takes a tick, so that earlier events have earlier times. A client may state the
    time; the clock then moves there, and never back.
    """

    def __init__(self) -> None:
        self.now = 0.0

    def tick(self, at_least: float = 0.0) -> float:
        """The time of the next event."""
        self.now = at_least if at_least > self.now else self.now + TICK_SECONDS
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@dataclass(slots=True)
class Exchange:
    """One request in progress, and what will be logged about it."""

    number: int
    at: float
    http: HttpRequest
    line: Line
    body: JsonObject | None = None

    @property
    def id(self) -> str:
        return f"req_{self.number:08d}"


class Api:
    def __init__(self, model: Model, log: Log, *, window_tokens: int = WINDOW_TOKENS) -> None:
        self.model = model
        self.clock = DoubleClock()
        self.plan = RequestPlan()
        self.requests = 0
        self.holding = False
        """While True, no answer begins."""
        self._window_tokens = window_tokens
        self._log = log
        self._cache = PromptCache()
        self._automatic: dict[AutomaticRule | None, AutomaticCache] = {}
        self._held: list[asyncio.Future[None]] = []

    @property
    def waiting(self) -> int:
        return len(self._held)

    def release(self) -> None:
        """Let all held answers begin."""
        self.holding = False
        for future in self._held:
            future.set_result(None)
        self._held.clear()

    def reset_cache(self, *, lives_apart: bool = False) -> None:
        self._cache = PromptCache(lives_apart=lives_apart)
        self._automatic.clear()
        self._log.reset(lives_apart=lives_apart)

    async def handle(self, http: HttpRequest, line: Line) -> bool:
        """Answer one request; whether the connection can be used again."""
        self.requests += 1
        exchange = Exchange(self.requests, self.clock.now, http, line)
        try:
            exchange.at = self.clock.tick(_told_time(http))
            wire = format_of(http.path)
            _check_headers(http, wire)
            exchange.body = read_json(http.body)
            if http.path.endswith("/count_tokens"):
                return await self._count(exchange, exchange.body)
            asked = wire.read(exchange.body, http.path) if wire else read_asked(exchange.body)
            return await self._answered(exchange, asked, wire)
        except Refusal as refusal:
            return await self.refuse(exchange, refusal)

    async def refuse(self, exchange: Exchange, refusal: Refusal) -> bool:
        self._note(exchange, status=refusal.status, error=refusal.message)
        wire, usual = format_of(exchange.http.path), (refusal.kind, refusal.message, exchange.id)
        told = wire.error_of(refusal, exchange.id) if wire else error_body(*usual)
        body = json_body(told)
        headers = {"request-id": exchange.id, **refusal.headers}
        return await deliver(exchange.line, body, USUAL, headers, status=refusal.status)

    async def _count(self, exchange: Exchange, body: JsonObject) -> bool:
        asked = read_asked(body, counting=True)
        check_pairing(asked.messages)
        to_cache(asked)
        count = {"input_tokens": count_tokens(asked)}
        self._note(exchange, status=200, answer=count)
        return await deliver(exchange.line, json_body(count), USUAL, {"request-id": exchange.id})

    async def _answered(
        self, exchange: Exchange, asked: ModelRequest, wire: WireFormat | None
    ) -> bool:
        told = _told_turn(exchange.http)
        later = self.model.seconds(as_known(asked), told)
        if later:
            exchange.at = self.clock.tick(_told_time(exchange.http) + later)
        check_pairing(asked.messages)
        bill = self._biller(asked, wire)
        step = self._step(exchange, asked, wire)
        _raise_error(step, asked)
        if not await self._begins(exchange, step):
            return False
        said = step.said or self._said(asked, told)
        answer = compose(said, asked, hashlib.sha256(exchange.http.body).hexdigest()[:24])
        output = answer.tokens if step.output_tokens is None else step.output_tokens
        self.clock.advance(step.first_token_seconds)
        ready_at = self.clock.tick()
        usage = bill(exchange.at, ready_at, output)
        self.clock.advance(step.answer_seconds)
        self._note(
            exchange,
            status=200,
            ready_at=ready_at,
            bill=asdict(usage),
            answer={"content": answer.content, "stop_reason": answer.stop_reason},
            fault=_fault(step),
        )
        made = (answer, usage, step)
        reply = wire.body_of(*made, asked.stream) if wire else body_of(*made, stream=asked.stream)
        return await deliver(exchange.line, reply, step, {"request-id": exchange.id})

    def _step(
        self, exchange: Exchange, asked: ModelRequest, wire: WireFormat | None
    ) -> PlannedReply:
        planned = self.plan and (wire is not None or not is_aside(asked))
        tag = exchange.http.headers.get("x-plan-tag", "")
        return self.plan.take(newest(asked), tag) if planned else USUAL

    def _biller(self, asked: ModelRequest, wire: WireFormat | None) -> Biller:
        """How to bill the request; raises a Refusal where its provider would refuse it."""
        if wire is not None:
            cache = self._automatic.setdefault(wire.rule, AutomaticCache(wire.rule))
            text = prompt_text(asked)
            self._check_size(len(text) // CHARS_PER_TOKEN)
            return lambda at, ready, out: cache.bill(asked.model, text, at, ready, out)
        request, own = to_cache(asked), self._cache
        self._check_size(sum(block.tokens for block in request.blocks))
        return lambda at, ready, out: own.bill(request, at, output=out, ready_at=ready)

    def _check_size(self, size: int) -> None:
        if size > self._window_tokens:
            raise Refusal(400, f"prompt is too long: {size} tokens > {self._window_tokens} maximum")

    def _said(self, asked: ModelRequest, told: TurnFacts) -> ModelWords:
        try:
            return as_asked(self.model.say(as_known(asked), told), asked)
        except ScriptError as error:
            raise Refusal(400, f"{error.what}; {error.repair}") from None

    async def _begins(self, exchange: Exchange, step: PlannedReply) -> bool:
        """Wait as long as the plan or the control wants it; False if the client left before."""
        if step.hang:
            await exchange.line.left()
        elif not (step.hold or self.holding) or await self._held_back(exchange.line):
            return True
        self._note(exchange, status=None, fault="hang")
        return False

    async def _held_back(self, line: Line) -> bool:
        released: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held.append(released)
        left = asyncio.ensure_future(line.left())
        try:
            await asyncio.wait({released, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
            if released in self._held:
                self._held.remove(released)
        return released.done()

    def _note(self, exchange: Exchange, **fields: Any) -> None:
        http, body = exchange.http, exchange.body
        self._log.request(
            number=exchange.number,
            at=exchange.at,
            method=http.method,
            path=http.path,
            headers=safe_headers(http.headers),
            request=http.body.decode("utf-8", "backslashreplace") if body is None else body,
            **fields,
        )


def _told_time(http: HttpRequest) -> float:
    """The time by the client's own clock."""
    told = http.headers.get("x-virtual-time", "0")
    try:
        seconds = float(told)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < LATEST_SECONDS:
        raise Refusal(400, "x-virtual-time: not a number of seconds")
    return seconds


def _told_turn(http: HttpRequest) -> TurnFacts:
    try:
        who = read_identity(unquote(http.headers.get("x-turn", "")))
    except (ValueError, TypeError):
        raise Refusal(400, "x-turn: not role, stage, task and iteration") from None
    feature, worktree = (
        unquote(http.headers.get(name, "")) for name in ("x-feature-folder", "x-worktree")
    )
    return TurnFacts(feature, who, worktree)


def _check_headers(http: HttpRequest, wire: WireFormat | None) -> None:
    if not any(http.headers.get(name) for name in KEY_HEADERS):
        raise Refusal(401, "x-api-key header is required")
    if wire is None and not http.headers.get("anthropic-version"):
        raise Refusal(400, "anthropic-version: header is required")


def _raise_error(step: PlannedReply, asked: ModelRequest) -> None:
    if step.error is not None:
        raise Refusal(step.error, step.message, kind=step.kind, headers=step.headers)
    if step.sse_error and not asked.stream:
        raise Refusal(status_of(step.sse_error), step.message, kind=step.sse_error)


def _fault(step: PlannedReply) -> str:
    """The fault that was deliberately caused while answering; empty if none."""
    faults = {
        "cut": step.cut is not None,
        "stall": step.stall is not None,
        "error event": bool(step.sse_error),
    }
    return next((name for name, so in faults.items() if so), "")
