"""From a reviewer's reply to a verdict, or to one precise complaint.

A reply is foreign text: it may hold prose, fences, several objects or none. What is no valid
verdict is never read as an approval.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sparing.finding import Finding, Severity, Verdict

REPLY_LIMIT = 400_000
CANDIDATE_LIMIT = 64


class Complaint(NamedTuple):
    what: str
    """Said back to the reviewer, once."""


def _severity(value: object) -> object:
    """The design and plan reviewers' `challenge` is a suggestion."""
    word = value.strip().lower() if isinstance(value, str) else value
    return "suggestion" if word == "challenge" else word


class _FindingText(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    severity: Annotated[Literal["blocker", "warning", "suggestion"], BeforeValidator(_severity)]
    text: str = Field(validation_alias=AliasChoices("text", "description"), min_length=1)
    category: str = ""
    location: str = ""
    quote: str = ""
    suggestion: str = ""


class _VerdictText(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    approved: bool
    findings: list[_FindingText] = Field(
        validation_alias=AliasChoices("findings", "issues"), max_length=200
    )
    summary: str = ""


SCHEMA: dict[str, Any] = _VerdictText.model_json_schema(mode="serialization")
"""One schema for all reviewers: their dispatches can then share a cached prefix."""


def read_verdict(role: str, reply: str) -> Verdict | Complaint:
    if len(reply) > REPLY_LIMIT:
        return Complaint(f"the reply has {len(reply)} characters; at most {REPLY_LIMIT} are read")
    candidates = _objects(reply)
    if not candidates:
        return Complaint("the reply holds no JSON object; answer with the verdict object alone")
    if len(candidates) > 1:
        return Complaint(f"the reply holds {len(candidates)} verdict objects; answer with one")
    try:
        parsed = _VerdictText.model_validate(candidates[0])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Complaint(f"the verdict is not valid at '{where}': {first['msg']}")
    return Verdict(
        role, parsed.approved, tuple(_finding(item) for item in parsed.findings), parsed.summary
    )


def passes(verdict: Verdict) -> bool:
    """Approved, and nothing that blocks or warns: a reply can't approve what it calls a blocker."""
    return verdict.approved and not any(
        finding.severity is not Severity.SUGGESTION for finding in verdict.findings
    )


def _finding(item: _FindingText) -> Finding:
    return Finding(
        Severity(item.severity),
        item.text,
        item.category,
        item.location,
        item.quote,
        item.suggestion,
    )


def _objects(reply: str) -> list[dict[str, Any]]:
    """Outermost JSON objects that look like a verdict, in order; each character is read once."""
    decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    found: list[dict[str, Any]] = []
    position, tries = reply.find("{"), 0
    while position != -1 and tries < CANDIDATE_LIMIT:
        tries += 1
        try:
            value, end = decoder.raw_decode(reply, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if isinstance(value, dict) and "approved" in value:
                found.append(value)  # pyright: ignore[reportUnknownArgumentType]
        position = reply.find("{", end)
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value
