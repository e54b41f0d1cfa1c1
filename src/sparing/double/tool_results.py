"""Every tool call gets its result in the very next message, and no result comes without a call.

Consecutive messages of one side are one turn. System messages between two turns do not count.
Results come before anything else in their turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from sparing.double.refusal import Refusal
from sparing.double.request import JsonObject, Message

CALL = "tool_use"
RESULT = "tool_result"
_SIDES = {CALL: "assistant", RESULT: "user"}


class _Placed(NamedTuple):
    message: int
    place: int
    block: JsonObject

    @property
    def where(self) -> str:
        return f"messages.{self.message}.content.{self.place}"

    @property
    def kind(self) -> str:
        return self.block["type"]

    @property
    def id(self) -> str:
        return str(self.block.get("id" if self.kind == CALL else "tool_use_id", ""))


class _Turn(NamedTuple):
    role: str
    blocks: list[_Placed]

    def of_kind(self, kind: str) -> list[_Placed]:
        return [placed for placed in self.blocks if placed.kind == kind]


def check_pairing(messages: Sequence[Message]) -> None:
    turns = _turns(messages)
    _check_sides(turns)
    calls: list[_Placed] = []
    for turn in turns:
        _check_answered(calls, turn)
        calls = turn.of_kind(CALL)
    _check_answered(calls, _Turn("", []))
    _check_unique(placed for turn in turns for placed in turn.of_kind(CALL))


def _turns(messages: Sequence[Message]) -> list[_Turn]:
    turns: list[_Turn] = []
    for number, message in enumerate(messages):
        if message.role == "system":
            continue
        if not turns or turns[-1].role != message.role:
            turns.append(_Turn(message.role, []))
        turns[-1].blocks.extend(
            _Placed(number, n, block) for n, block in enumerate(message.content)
        )
    return turns


def _check_sides(turns: Iterable[_Turn]) -> None:
    for turn in turns:
        for placed in turn.blocks:
            side = _SIDES.get(placed.kind, turn.role)
            if side != turn.role:
                raise Refusal(
                    400, f"{placed.where}: `{placed.kind}` blocks can only be in `{side}` messages"
                )


def _check_answered(calls: Sequence[_Placed], turn: _Turn) -> None:
    """Raise unless this turn begins with exactly the results of those calls."""
    wanted = {call.id for call in calls}
    seen: set[str] = set()
    for result in turn.of_kind(RESULT):
        if result.id not in wanted:
            words = "unexpected `tool_use_id` found in `tool_result` blocks"
            raise Refusal(400, f"{result.where}: {words}: {result.id}")
        if result.id in seen:
            words = "each tool_use must have a single result; found several with id"
            raise Refusal(400, f"{result.where}: {words} {result.id}")
        seen.add(result.id)
    first = {placed.id for placed in takewhile(lambda placed: placed.kind == RESULT, turn.blocks)}
    missing = [call.id for call in calls if call.id not in first]
    if missing:
        words = "`tool_use` ids were found without `tool_result` blocks immediately after"
        raise Refusal(400, f"messages.{calls[0].message}: {words}: {', '.join(missing)}")


def _check_unique(calls: Iterable[_Placed]) -> None:
    seen: set[str] = set()
    for call in calls:
        if not call.id or call.id in seen:
            raise Refusal(400, f"{call.where}.id: `tool_use` ids must be unique")
        seen.add(call.id)
