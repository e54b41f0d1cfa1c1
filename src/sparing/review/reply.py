"""The one JSON object of a reply, or what is wrong with the reply.

A reply may hold prose, fences, samples of code and several objects. Only an outermost object can be
the answer: one inside a broken object, or inside a list, was meant as part of something else. Each
character is read a fixed number of times.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, cast

from sparing.codec import JsonObject

REPLY_LIMIT = 400_000
DEPTH_LIMIT = 32
_FENCE = "```"


class ReplyObject(NamedTuple):
    value: JsonObject
    text: str
    alone: bool
    """True if the reply holds nothing but the object, or a fence around it."""
    before: str = ""
    after: str = ""


class ReplyProblem(NamedTuple):
    what: str


class _Span(NamedTuple):
    start: int
    end: int
    """-1 if it is not closed."""
    depth: int


def find_answer(
    reply: str, keys: Collection[str], limit: int = REPLY_LIMIT
) -> ReplyObject | ReplyProblem:
    """The only object that has one of these keys."""
    if len(reply) > limit:
        return ReplyProblem(f"the reply has {len(reply)} characters; at most {limit} are read")
    found: list[tuple[_Span, JsonObject]] = []
    for span in _spans(reply):
        value = _meant(reply, span, keys)
        if isinstance(value, ReplyProblem):
            return value
        found += [(span, value)] if value else []
    if not found:
        return ReplyProblem("the reply holds no JSON object; answer with the verdict object alone")
    if len(found) > 1:
        return ReplyProblem(f"the reply holds {len(found)} verdict objects; answer with one")
    span, value = found[0]
    return ReplyObject(
        value=value,
        text=reply[span.start : span.end],
        alone=_is_alone(reply, span),
        before=reply[: span.start],
        after=reply[span.end :],
    )


def _meant(reply: str, span: _Span, keys: Collection[str]) -> JsonObject | ReplyProblem | None:
    """Nothing for an object, or what is none, that was not meant as an answer."""
    text = reply[span.start :] if span.end == -1 else reply[span.start : span.end]
    named = any(f'"{key}"' in text for key in keys)
    if not named and "\\" not in text:  # a key may be written with escapes
        return None
    value = _parsed(span, text)
    if isinstance(value, ReplyProblem):
        return value if named else None
    if not any(key in value for key in keys):
        return None
    if _in_list(reply, span):
        return ReplyProblem("the object stands in a list; answer with the object alone")
    return value


def stands_in(text: str, documents: Iterable[str]) -> bool:
    """Whether the text occurs in one of the documents, ignoring whitespace."""
    wanted = "".join(text.split())
    return any(wanted in "".join(document.split()) for document in documents)


def _spans(reply: str) -> Iterator[_Span]:
    position = reply.find("{")
    while position != -1:
        span = _span(reply, position)
        yield span
        position = -1 if span.end == -1 else reply.find("{", span.end)


def _span(reply: str, start: int) -> _Span:
    depth = deepest = 0
    at = start
    while 0 <= at < len(reply):
        one = reply[at]
        if one == '"':
            at = _after_string(reply, at)
            continue
        depth += (one in "{[") - (one in "}]")
        deepest = max(deepest, depth)
        at += 1
        if depth == 0:
            return _Span(start, at, deepest)
    return _Span(start, -1, deepest)


def _after_string(reply: str, start: int) -> int:
    """Behind the quotation mark that ends the string; -1 if none does."""
    end = reply.find('"', start + 1)
    while end != -1:
        before = end
        while reply[before - 1] == "\\":
            before -= 1
        if (end - before) % 2 == 0:
            return end + 1
        end = reply.find('"', end + 1)
    return -1


def _parsed(span: _Span, text: str) -> JsonObject | ReplyProblem:
    if span.end == -1:
        return ReplyProblem("the verdict object is not closed; the reply seems to be cut off")
    if span.depth > DEPTH_LIMIT:
        return ReplyProblem(f"the verdict object is nested more than {DEPTH_LIMIT} deep")
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        return ReplyProblem(f"the verdict object is not valid JSON: {str(error)[:120]}")
    return cast("JsonObject", value)


def _in_list(reply: str, span: _Span) -> bool:
    before, after = span.start - 1, span.end
    while before >= 0 and reply[before].isspace():
        before -= 1
    while after < len(reply) and reply[after].isspace():
        after += 1
    return before >= 0 and reply[before] in "[," and reply[after : after + 1] in ("]", ",")


def _is_alone(reply: str, span: _Span) -> bool:
    before, after = reply[: span.start].strip(), reply[span.end :].strip()
    opened = before.startswith(_FENCE) and "\n" not in before
    return (not before and not after) or (opened and after == _FENCE)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
