"""Reading the reply of two reviewers in one turn into their verdicts.

Each half is read by the rules of a single verdict, so that it means the same whether it came alone
or not. What follows a failing first verdict is ignored: the second reviewer judges what the first
has passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from sparing.codec import JsonObject
from sparing.finding import Verdict
from sparing.review.reply import ReplyObject, ReplyProblem, find_answer, stands_in
from sparing.review.verdict import (
    KEYS,
    QUOTED,
    SCHEMA,
    UNKNOWN,
    Complaint,
    ReviewedText,
    clean,
    passes,
    read_object,
)

VERDICTS, REVIEWER = "verdicts", "reviewer"


class Reviewer(NamedTuple):
    name: str
    categories: tuple[str, ...] = ()


class PanelReading(NamedTuple):
    verdicts: tuple[Verdict, ...]
    """Those that count, in the order of the reviewers."""
    complaint: str = ""
    """What is wrong with the one that is missing."""


def _schema() -> JsonObject:
    one = {
        **SCHEMA,
        "properties": {REVIEWER: {"type": "string"}, **SCHEMA["properties"]},
        "required": [REVIEWER, *SCHEMA["required"]],
    }
    listed = {"type": "array", "items": one}
    return {"type": "object", "properties": {VERDICTS: listed}, "required": [VERDICTS]}


PANEL_SCHEMA = _schema()
"""One schema for all panels, whatever their roles: their dispatches share a cached prefix."""


def read_panel(
    reply: str, wanted: Sequence[Reviewer], subject: ReviewedText = UNKNOWN
) -> PanelReading:
    """The verdicts of those whose word is wanted; a later one only if those before it pass."""
    answer = find_answer(reply, (VERDICTS, *KEYS))
    if isinstance(answer, ReplyProblem):
        return PanelReading((), clean(answer.what))
    if not answer.alone and stands_in(answer.text, subject.documents):
        return PanelReading((), QUOTED)
    given = _given(answer, wanted)
    if isinstance(given, Complaint):
        return PanelReading((), clean(given.what))
    found: list[Verdict] = []
    for who in wanted:
        if who.name not in given:
            return PanelReading(tuple(found), _missing(who, found))
        told = answer._replace(value=given[who.name])
        verdict = read_object(who.name, told, who.categories, subject)
        if isinstance(verdict, Complaint):
            return PanelReading(tuple(found), f"the verdict of {who.name}: {verdict.what}")
        found.append(verdict)
        if not passes(verdict):
            break
    return PanelReading(tuple(found))


def _missing(who: Reviewer, found: Sequence[Verdict]) -> str:
    why = f"; {found[-1].role} approves, so it is asked for" if found else ""
    return f"the verdict of {who.name} is missing{why}"


def _given(answer: ReplyObject, wanted: Sequence[Reviewer]) -> dict[str, JsonObject] | Complaint:
    """Each reviewer's half, by name; a single reviewer may answer without the list."""
    names = [who.name for who in wanted]
    if VERDICTS not in answer.value:
        if len(wanted) == 1:
            return {names[0]: answer.value}
        return Complaint(f"give a verdict of each reviewer, under '{VERDICTS}'")
    listed = answer.value[VERDICTS]
    if not isinstance(listed, list):
        return Complaint(f"'{VERDICTS}' is no list")
    found: dict[str, JsonObject] = {}
    for one in cast("list[object]", listed):
        name = _name(one)
        if not name:
            return Complaint(f"an entry of '{VERDICTS}' has no '{REVIEWER}'")
        if name in found:
            return Complaint(f"{name[:80]} has two verdicts; give one")
        found[name] = cast("JsonObject", one)
    return found


def _name(one: object) -> str:
    if not isinstance(one, dict):
        return ""
    said = cast("Mapping[str, object]", one).get(REVIEWER)
    return said.strip().lower() if isinstance(said, str) else ""
