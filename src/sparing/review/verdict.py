"""From a reviewer's reply to a verdict, or to one precise complaint.

A reply is foreign text: it may hold prose, fences, several objects or none. What is no valid
verdict is never read as an approval, nor is an object that the words around it contradict.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sparing.codec import JsonObject
from sparing.finding import Finding, LevelResult, Severity, Verdict
from sparing.review.prose import refuses_itself, retraction
from sparing.review.reply import REPLY_LIMIT, ReplyObject, ReplyProblem, find_answer, stands_in

__all__ = ["REPLY_LIMIT", "SCHEMA", "Complaint", "ReviewedText", "passes", "read_verdict"]

LIST_LIMIT = 200
KEYS = ("approved", "findings", "issues")
"""Keys that mark an object as a verdict."""
COMMIT_KEYS = ("commit", "commit_id", "reviewed_commit", "sha", "head", "revision")
COMMIT_CHARS = 7
QUOTED = "the object in the reply is quoted from a document; give your own verdict"
UNASKED = ("verification", "strengths")
"""Read where a reply has them; every role is asked to say them in `summary`."""
UNSAID = frozenset({"$defs", "title", "default", "description", "maxItems", "minLength"})


class Complaint(NamedTuple):
    what: str
    """Said back to the reviewer, once."""


def _severity(value: object) -> object:
    """The design and plan reviewers' `challenge` is a suggestion."""
    word = value.strip().lower() if isinstance(value, str) else value
    return "suggestion" if word == "challenge" else word


def _line(value: object) -> object:
    """Turn any value of a purely informative field into text."""
    if value is None or isinstance(value, str):
        return clean(value or "")
    return clean(json.dumps(value, ensure_ascii=False))


def _text(value: object) -> object:
    """Clean a finding's text, so that an invisible one counts as empty."""
    return clean(value).strip() if isinstance(value, str) else value


def clean(text: str) -> str:
    """The text without characters that can't be stored or that would disguise it."""
    return text if text.isprintable() else "".join(_seen(one) for one in text)


def _seen(one: str) -> str:
    match unicodedata.category(one):
        case "Cs":
            return "\ufffd"
        case "Zl" | "Zp":
            return " "
        case "Cc" | "Cf":
            return one if one in "\n\t" else ""
        case _:
            return one


def _lines(value: object) -> object:
    given = cast("list[object]", value) if isinstance(value, list) else [value] if value else []
    return [_line(item) for item in given][:LIST_LIMIT]


def _evidence(value: object) -> object:
    """Evidence as two named lists; a bare list is what was verified."""
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    return {"verified": _lines(value)}


def _levels(value: object) -> object:
    """Levels, without unreadable ones: a level never decides."""
    given = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return {name: found for name, one in given.items() if (found := _level(one)) is not None}


def _level(value: object) -> object:
    if isinstance(value, bool):
        return {"passed": value}
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    count, passed = fields.get("issues_count", 0), fields.get("passed")
    known = isinstance(passed, bool) and isinstance(count, int) and not isinstance(count, bool)
    return {"passed": passed, "issues_count": count} if known else None


Line = Annotated[str, BeforeValidator(_line)]
Lines = Annotated[list[str], BeforeValidator(_lines)]


class _FindingText(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    severity: Annotated[Literal["blocker", "warning", "suggestion"], BeforeValidator(_severity)]
    text: Annotated[str, BeforeValidator(_text)] = Field(
        validation_alias=AliasChoices("text", "description"), min_length=1
    )
    category: Line = ""
    location: Line = Field(default="", validation_alias=AliasChoices("location", "task"))
    quote: Line = ""
    suggestion: Line = ""
    continues: Line = ""
    level: Line = ""


class _LevelText(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    passed: bool
    issues_count: int = 0


class _EvidenceText(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    verified: Lines = []
    missing: Lines = []


class _VerdictText(BaseModel):
    """The union of what all reviewers return; most of it only some of them."""

    model_config = ConfigDict(extra="ignore", strict=True)

    approved: bool
    findings: list[_FindingText] = Field(
        validation_alias=AliasChoices("findings", "issues"), max_length=LIST_LIMIT
    )
    summary: Line = ""
    levels: Annotated[dict[str, _LevelText], BeforeValidator(_levels)] = {}
    evidence: Annotated[_EvidenceText, BeforeValidator(_evidence)] = _EvidenceText()
    verification: Line = ""
    strengths: Lines = []
    files_read: Line = ""


def _lean(node: Any, known: Mapping[str, Any]) -> Any:
    """A schema without titles and defaults, definitions put where they are used."""
    if not isinstance(node, dict):
        return node
    given = cast("dict[str, Any]", node)
    if "$ref" in given:
        return _lean(known[str(given["$ref"]).rpartition("/")[2]], known)
    kept = {key: one for key, one in given.items() if key not in UNSAID}
    for key in ("items", "additionalProperties"):
        if key in kept:
            kept[key] = _lean(kept[key], known)
    if "properties" in kept:
        kept["properties"] = {k: _lean(one, known) for k, one in kept["properties"].items()}
    return kept


def _schema() -> JsonObject:
    full = _VerdictText.model_json_schema(mode="serialization")
    for name in UNASKED:
        del full["properties"][name]
    return _lean(full, full.get("$defs", {}))


SCHEMA = _schema()
"""One schema for all reviewers: their dispatches can then share a cached prefix."""


class ReviewedText(NamedTuple):
    """What the reviewer was given, as far as its reply is held against it."""

    commit: str = ""
    documents: Sequence[str] = ()
    """Texts it may quote from: an object that stands in one is not the reviewer's own."""


UNKNOWN = ReviewedText()


def read_verdict(
    role: str,
    reply: str,
    categories: Sequence[str] | None = None,
    subject: ReviewedText = UNKNOWN,
) -> Verdict | Complaint:
    """`categories` are the role's own words; any other word for a finding's is left out."""
    answer = find_answer(reply, KEYS)
    if isinstance(answer, ReplyProblem):
        return Complaint(clean(answer.what))
    if not answer.alone and stands_in(answer.text, subject.documents):
        return Complaint(QUOTED)
    return read_object(role, answer, categories, subject)


def read_object(
    role: str, answer: ReplyObject, categories: Sequence[str] | None, subject: ReviewedText
) -> Verdict | Complaint:
    """Read the verdict from an object of a reply."""
    wrong = _misplaced(answer.value) or _other_commit(answer.value, subject.commit)
    if wrong:
        return Complaint(clean(wrong))
    try:
        parsed = _VerdictText.model_validate(answer.value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Complaint(clean(f"the verdict is not valid at '{where[:80]}': {first['msg']}"))
    back = _taken_back(answer, parsed) if parsed.approved else ""
    return Complaint(back) if back else _verdict(role, parsed, categories)


def _taken_back(answer: ReplyObject, parsed: _VerdictText) -> str:
    """Why an approval does not count, if anything else in the reply contradicts it."""
    if refuses_itself(parsed.summary):
        return "the object approves, and its summary does not"
    return retraction(answer.before, answer.after)


def _verdict(role: str, parsed: _VerdictText, categories: Sequence[str] | None) -> Verdict:
    return Verdict(
        role=role,
        approved=parsed.approved,
        findings=tuple(_finding(item, categories) for item in parsed.findings),
        summary=parsed.summary,
        levels=tuple(
            LevelResult(clean(name), one.passed, one.issues_count)
            for name, one in parsed.levels.items()
        ),
        verified=tuple(parsed.evidence.verified),
        missing=tuple(parsed.evidence.missing),
        verification=parsed.verification,
        strengths=tuple(parsed.strengths),
    )


def _misplaced(value: Mapping[str, Any]) -> str:
    """Complaint about findings that would be overlooked where they are."""
    if "findings" in value and "issues" in value:
        return "findings stand under two names; put all of them under 'findings'"
    for key, held in value.items():
        if key.strip().lower() in KEYS and key not in KEYS:
            return f"the key '{key[:40]}' is misspelt"
        if key not in KEYS and _holds_findings(held):
            return f"findings stand under '{key[:40]}'; put them under 'findings'"
    return ""


def _holds_findings(value: object) -> bool:
    if isinstance(value, dict):
        held = cast("dict[str, object]", value)
        return "severity" in held or any(_holds_findings(one) for one in held.values())
    return isinstance(value, list) and any(
        _holds_findings(one) for one in cast("list[object]", value)
    )


def _other_commit(value: Mapping[str, Any], commit: str) -> str:
    """Complaint if a verdict names a commit, which is optional, other than the reviewed one."""
    for key in COMMIT_KEYS:
        named = value.get(key)
        if not commit or named in (None, ""):
            continue
        same = isinstance(named, str) and len(named) >= COMMIT_CHARS
        if not same or not (commit.startswith(named.lower()) or named.lower().startswith(commit)):
            return f"the verdict is about commit {str(named)[:40]!r}, under review is {commit}"
    return ""


def passes(verdict: Verdict) -> bool:
    """Whether it approves without blockers or warnings: both together are a contradiction."""
    return verdict.approved and not any(
        finding.severity is not Severity.SUGGESTION for finding in verdict.findings
    )


def _finding(item: _FindingText, categories: Sequence[str] | None) -> Finding:
    category = item.category.strip().lower().replace("_", "-").replace(" ", "-")
    if categories is None:
        category = item.category
    return Finding(
        severity=Severity(item.severity),
        text=item.text,
        category=category if categories is None or category in categories else "",
        location=item.location,
        quote=item.quote,
        suggestion=item.suggestion,
        level=item.level,
        continues=item.continues.strip("`* "),
    )
