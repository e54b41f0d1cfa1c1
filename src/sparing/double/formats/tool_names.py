"""Tools of ours under the names that a client or a provider has for them.

The rules that play a model know them by one server's name; a request is billed as it came.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.codec import JsonObject
from sparing.double.answer import ModelWords, ToolCall
from sparing.double.formats.conversation import OURS, inner_name, outer_name
from sparing.double.request import Message, ModelRequest

BEFORE = ("", "s_", "mcp_s_")
"""Prefixes that clients put before a tool's name; empty if there is no client in between."""


def before_names(asked: ModelRequest) -> str | None:
    """The prefix of our tools' names in a request; None if they already have the known names."""
    listed = {str(tool["name"]) for tool in asked.tools}
    return next((one for one in BEFORE if any(one + name in listed for name in OURS)), None)


def as_known(asked: ModelRequest) -> ModelRequest:
    """The request with the tool names that the model's rules know."""
    before = before_names(asked)
    if before is None:
        return asked

    def renamed(block: JsonObject) -> JsonObject:
        name = block.get("name")
        if not isinstance(name, str):
            return block
        return {**block, "name": inner_name(name.removeprefix(before))}

    messages = (
        Message(one.role, tuple(map(renamed, one.content))) if one.role == "assistant" else one
        for one in asked.messages
    )
    return replace(asked, tools=tuple(map(renamed, asked.tools)), messages=tuple(messages))


def as_asked(said: ModelWords, asked: ModelRequest) -> ModelWords:
    """The answer with the tool names that the request has."""
    before = before_names(asked)
    if before is None:
        return said
    return replace(said, calls=tuple(_outer(call, before) for call in said.calls))


def _outer(call: ToolCall, before: str) -> ToolCall:
    bare = outer_name(call.name)
    return ToolCall(before + bare if bare in OURS else bare, call.input)
