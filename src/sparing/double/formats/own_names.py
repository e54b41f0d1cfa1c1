"""Tools of ours under their bare names, as a provider has them where no client stands between.

The rules that play a model know them by a server's name; a request is billed as it came.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.codec import JsonObject
from sparing.double.answer import ModelWords, ToolCall
from sparing.double.formats.conversation import OURS, inner_name, outer_name
from sparing.double.request import Message, ModelRequest


def are_bare(asked: ModelRequest) -> bool:
    return any(tool["name"] in OURS for tool in asked.tools)


def as_known(asked: ModelRequest) -> ModelRequest:
    """The request as the rules that play a model know it."""
    if not are_bare(asked):
        return asked
    messages = (
        Message(one.role, tuple(map(_renamed, one.content))) if one.role == "assistant" else one
        for one in asked.messages
    )
    return replace(asked, tools=tuple(map(_renamed, asked.tools)), messages=tuple(messages))


def as_asked(said: ModelWords, asked: ModelRequest) -> ModelWords:
    """What is said, under the names that the request has."""
    if not are_bare(asked):
        return said
    calls = tuple(ToolCall(outer_name(call.name), call.input) for call in said.calls)
    return replace(said, calls=calls)


def _renamed(block: JsonObject) -> JsonObject:
    name = block.get("name")
    return {**block, "name": inner_name(name)} if isinstance(name, str) else block
