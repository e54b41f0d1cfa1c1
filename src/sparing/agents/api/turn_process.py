"""One turn with a provider, as a process of its own: `python -m sparing.agents.api.turn_process`.

The loop, its retries and its limits are Pydantic AI's; it is loaded here and nowhere else. Orders
come as one line of JSON on standard input, the key among them, so that it is in no process list.
Tool calls are answered by the parent process: a call goes out as a line, its answer comes in as
one. Nothing here touches a file.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from decimal import Decimal
from typing import Any

from sparing.agents.api.failures import failure_of
from sparing.agents.api.models import model_of, settings_of
from sparing.codec import JsonObject

LINE_LIMIT = 256 * 1024 * 1024
TOOL_RETRIES = 8
"""How often a model may call a missing tool before the turn is given up."""


class Wire:
    """Lines to and from the parent process."""

    def __init__(self) -> None:
        self._answers: dict[int, asyncio.Future[JsonObject]] = {}
        self._reader = asyncio.StreamReader(limit=LINE_LIMIT)

    async def open(self) -> JsonObject:
        """Start reading, and return the orders."""
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), sys.stdin.buffer
        )
        return json.loads(await self._reader.readline())

    async def listen(self) -> None:
        async for line in self._reader:
            answer = json.loads(line)
            waiting = self._answers.pop(answer["id"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)

    def tell(self, kind: str, **fields: object) -> None:
        line = json.dumps({"kind": kind, **fields}, separators=(",", ":"))
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    async def ask(self, name: str, given: JsonObject) -> JsonObject:
        id = len(self._answers) + time.monotonic_ns()
        answer = self._answers[id] = asyncio.get_running_loop().create_future()
        self.tell("call", id=id, tool=name, given=given)
        return await answer


def main() -> None:
    asyncio.run(_main())


async def _main() -> None:
    wire = Wire()
    order = await wire.open()
    listening = asyncio.create_task(wire.listen())
    turn = ProviderTurn(order, wire)
    try:
        await turn.play()
        wire.tell("end", text=turn.said, history=turn.history())
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told and is data there
        turn.report()
        told = failure_of(error, time.time())
        wire.tell("failed", **told._asdict(), text=turn.said, history=turn.history())
    listening.cancel()


class ProviderTurn:
    def __init__(self, order: JsonObject, wire: Wire) -> None:
        self._order = order
        self._wire = wire
        self._library: Any = importlib.import_module("pydantic_ai")
        self._messages: Any = importlib.import_module("pydantic_ai.messages")
        self._run: Any = None
        self._reported = len(self._known)
        self.said = ""

    @property
    def _known(self) -> list[Any]:
        """The session's conversation before this turn."""
        text = self._order["history"]
        return self._messages.ModelMessagesTypeAdapter.validate_json(text) if text else []

    async def play(self) -> None:
        order = self._order
        agent: Any = self._library.Agent(
            model_of(order),
            instructions=order["system"] or None,
            tools=[self._tool(spec) for spec in order["tools"]],
            output_type=self._form(),
            retries={"tools": TOOL_RETRIES, "output": 0},
            model_settings=settings_of(order),
        )
        limits = self._library.UsageLimits(
            request_limit=1 if order["ping"] else order["limit_requests"],
            total_tokens_limit=order["limit_tokens"],
            cost_limit=Decimal(order["limit_usd"]) if order["limit_usd"] else None,
        )
        known = self._known
        async with agent.iter(
            self._prompt(), message_history=known or None, usage_limits=limits
        ) as run:
            self._run = run
            async for node in run:
                await self._step(agent, node)
        self.report()
        if run.result is not None:
            output = run.result.output
            self.said = output if isinstance(output, str) else json.dumps(output)

    async def _step(self, agent: Any, node: Any) -> None:
        if agent.is_model_request_node(node):
            async with node.stream(self._run.ctx) as stream:
                begun = False
                async for _ in stream:
                    if not begun:
                        self._wire.tell("begins")
                        begun = True
        elif agent.is_call_tools_node(node):
            self.report()

    def report(self) -> None:
        """Report answers that were not reported yet."""
        messages: list[Any] = self._run.all_messages() if self._run is not None else []
        for message in messages[self._reported :]:
            if message.kind == "response":
                self._tell(message)
        self._reported = max(self._reported, len(messages))

    def _tell(self, message: Any) -> None:
        used = message.usage
        said = "".join(part.content for part in message.parts if part.part_kind == "text")
        calls = [
            {"name": part.tool_name, "given": part.args_as_json_str()}
            for part in message.parts
            if part.part_kind == "tool-call"
        ]
        self.said = said
        self._wire.tell(
            "answer",
            input=used.input_tokens,
            read=used.cache_read_tokens,
            written=used.cache_write_tokens,
            written_1h=used.cache_write_1h_tokens,
            output=used.output_tokens,
            measured=used.has_values(),
            text=said,
            calls=calls,
            stop=message.finish_reason,
        )

    def history(self) -> str:
        if self._run is None:
            return ""
        return self._messages.ModelMessagesTypeAdapter.dump_json(self._run.all_messages()).decode()

    def _prompt(self) -> list[Any]:
        parts: list[Any] = []
        for part in self._order["prompt"]:
            parts.append(part["text"])
            if part["mark"]:
                parts.append(self._messages.CachePoint(ttl=self._order["life"]))
        return parts

    def _form(self) -> Any:
        schema = self._order["schema"]
        if schema is None:
            return str
        form = self._library.StructuredDict(schema, name="reply")
        return self._library.NativeOutput(form)

    def _tool(self, spec: JsonObject) -> Any:
        async def call(**given: Any) -> str:
            answer = await self._wire.ask(spec["name"], given)
            if answer["failed"]:
                raise self._library.ToolFailed(answer["text"])
            return answer["text"]

        return self._library.Tool.from_schema(
            call, spec["name"], spec["description"], spec["schema"]
        )


if __name__ == "__main__":
    main()
