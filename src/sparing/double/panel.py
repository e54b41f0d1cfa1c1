"""Two reviewers in one turn, as a model plays them: the second speaks if the first approves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from sparing.double.request import JsonObject
from sparing.finding import Severity
from sparing.panel import members

VERDICTS, REVIEWER = "verdicts", "reviewer"


class Half(NamedTuple):
    role: str
    said: JsonObject


def is_panel(role: str) -> bool:
    return len(members(role)) > 1


def wants_panel(form: Mapping[str, Any]) -> bool:
    """Whether a schema asks for a list of verdicts."""
    return VERDICTS in (form.get("properties") or {})


def formed(role: str, said: JsonObject, form: Mapping[str, Any]) -> JsonObject:
    """The verdict in the panel's form, if one reviewer alone is asked in a panel's session."""
    alone = wants_panel(form) and said and VERDICTS not in said
    return joined([Half(role, said)]) if alone else said


def joined(halves: Sequence[Half]) -> JsonObject:
    """The verdicts as one object; after one that does not pass there are no more."""
    found: list[JsonObject] = []
    for half in halves:
        found.append({REVIEWER: half.role, **half.said})
        if not _passes(half.said):
            break
    return {VERDICTS: found}


def joined_text(roles: Sequence[str], replies: Sequence[str]) -> str:
    """The same for replies as text; a reply that is not a verdict is returned unchanged."""
    halves: list[Half] = []
    for role, reply in zip(roles, replies, strict=False):
        try:
            said: object = json.loads(reply)
        except ValueError:
            return reply
        if not isinstance(said, dict):
            return reply
        halves.append(Half(role, cast("JsonObject", said)))
    return json.dumps(joined(halves))


def _passes(said: JsonObject) -> bool:
    listed = cast("list[JsonObject]", said.get("findings") or said.get("issues") or [])
    mild = all(one.get("severity") == Severity.SUGGESTION for one in listed)
    return said.get("approved") is True and mild
