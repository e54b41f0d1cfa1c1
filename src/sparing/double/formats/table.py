"""Which format a request has, by its path, and how its provider caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sparing.codec import JsonObject
from sparing.double.answer import ModelAnswer
from sparing.double.delivery import Body
from sparing.double.formats import chat, gemini, responses
from sparing.double.formats.automatic_cache import AutomaticRule
from sparing.double.plan import PlannedReply
from sparing.double.refusal import Refusal
from sparing.double.request import ModelRequest
from sparing.usage import Usage

OWN_SERVER = "/own"
"""Prefix of paths that simulate a self-hosted server, whose cache is not billed."""


@dataclass(frozen=True, slots=True)
class WireFormat:
    read: Callable[[JsonObject, str], ModelRequest]
    body_of: Callable[[ModelAnswer, Usage, PlannedReply, bool], Body]
    error_of: Callable[[Refusal, str], JsonObject]
    rule: AutomaticRule | None = None


OPENAI = AutomaticRule()
GOOGLE = AutomaticRule(minimum_tokens=2048)
RESPONSES = WireFormat(responses.read, responses.body_of, responses.error_of, OPENAI)
CHAT = WireFormat(chat.read, chat.body_of, chat.error_of, OPENAI)
OWN_CHAT = WireFormat(chat.read, chat.body_of, chat.error_of)
GEMINI = WireFormat(gemini.read, gemini.body_of, gemini.error_of, GOOGLE)


def format_of(path: str) -> WireFormat | None:
    """The format for a path; None for the Messages API and for unknown paths."""
    if path.endswith("/responses"):
        return RESPONSES
    if path.endswith("/chat/completions"):
        return OWN_CHAT if path.startswith(OWN_SERVER) else CHAT
    return GEMINI if path.endswith((gemini.STREAM, gemini.GENERATE)) else None
