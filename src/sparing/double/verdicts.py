"""A reviewer's verdict, drawn by a seed from how reviews really went.

The draw depends on seed, role and iteration alone, never on the words or how they were sent: the
same review says the same whether it was composed afresh or resumed, so that ways of sending can
be compared. Another feature wants another seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, cast

from sparing.double.agent.workload import round_of
from sparing.double.panel import Half, is_panel, joined
from sparing.double.recognise import PlayedTurn
from sparing.double.request import JsonObject
from sparing.finding import Severity
from sparing.panel import members

T = TypeVar("T")
LEVELS = ("tasks", "spec", "design", "prd")
_CAUSES = (
    "leaves open what happens when the input is empty",
    "says the same thing in two ways that differ",
    "has no case that could fail",
    "relies on something that is shown nowhere",
    "does not follow from what was promised before",
    "names no limit and so allows any",
)
_NEUTRAL: Mapping[str, Any] = {
    "string": "",
    "boolean": True,
    "integer": 0,
    "number": 0,
    "array": [],
    "null": None,
}


class QuotableLine(NamedTuple):
    """A line that can be quoted, and where it is."""

    place: str
    text: str


def draw(*parts: object) -> float:
    """A number from 0 up to 1 that only depends on these."""
    digest = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def verdict(turn: PlayedTurn, seed: int | None, lines: Sequence[QuotableLine]) -> JsonObject:
    """The reviewer's verdict; with `seed` None everything is approved at once."""
    if is_panel(turn.role):
        return joined([Half(one.role, verdict(one, seed, lines)) for one in seats(turn)])
    findings = [] if seed is None else list(_findings(turn, seed, lines))
    open_ = sum(finding["severity"] != Severity.SUGGESTION for finding in findings)
    said: JsonObject = {
        "approved": not open_,
        "findings": findings,
        "summary": f"Iteration {turn.iteration}: {open_ or 'no'} open. No external claims.",
    }
    if turn.role == "implementation-reviewer":
        said["levels"] = {
            level: {"passed": not open_ or level != LEVELS[0], "issues_count": 0}
            for level in LEVELS
        }
    return said


def seats(turn: PlayedTurn) -> tuple[PlayedTurn, ...]:
    """A panel's turn as each of its reviewers would have it alone."""
    first, *others = members(turn.role)
    alone = [replace(turn, role=one, iteration=1, categories=()) for one in others]
    return (replace(turn, role=first), *alone)


def fit(value: object, schema: Mapping[str, Any]) -> Any:
    """The value in a schema's form: required fields are added, unknown ones dropped."""
    known = cast("Mapping[str, Any]", schema.get("properties") or {})
    if isinstance(value, list) and "items" in schema:
        return [fit(item, schema["items"]) for item in cast("list[object]", value)]
    if not known or not isinstance(value, dict):
        return cast("Any", value)
    given = cast("JsonObject", value)
    fitted = {name: fit(item, known[name]) for name, item in given.items() if name in known}
    for name in schema.get("required", ()):
        fitted.setdefault(name, _neutral(known.get(name, {})))
    return fitted


def _neutral(schema: Mapping[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return fit({}, schema) if kind == "object" else _NEUTRAL.get(kind, "")


def _findings(turn: PlayedTurn, seed: int, lines: Sequence[QuotableLine]) -> Iterator[JsonObject]:
    about = (seed, turn.role, turn.after)
    number = 0
    for severity, count in _counts(turn, about).items():
        for _ in range(count):
            number += 1
            yield _finding(turn, severity, (*about, severity.value, number), lines)


def _counts(turn: PlayedTurn, about: tuple[object, ...]) -> dict[Severity, int]:
    means, when = round_of(turn.role, turn.iteration), (*about, turn.iteration)
    suggestions = _whole(means.suggestions, *when, "suggestions")
    if draw(*when, "passed") < means.passed:
        return {Severity.SUGGESTION: suggestions}
    failing = 1 - means.passed
    blockers = _whole(means.blockers / failing, *when, "blockers")
    warnings = _whole(means.warnings / failing, *when, "warnings")
    return {
        Severity.BLOCKER: blockers,
        Severity.WARNING: warnings if blockers else max(1, warnings),
        Severity.SUGGESTION: suggestions,
    }


def _whole(mean: float, *parts: object) -> int:
    """A whole number whose mean is this."""
    return int(mean) + (draw(*parts) < mean % 1)


def _finding(
    turn: PlayedTurn, severity: Severity, about: tuple[object, ...], lines: Sequence[QuotableLine]
) -> JsonObject:
    # Half of them are the same in every iteration: what was found and is still open.
    if draw(*about, "lasting") < 0.5:
        about = (*about, turn.iteration)
    cause = _pick(_CAUSES, *about, "cause")
    line = _pick(lines, *about, "line") if lines else QuotableLine("", "")
    case = int(draw(*about) * 1000)
    text = f"This {cause}. Whoever works from it has to guess, as in case {case}."
    finding: JsonObject = {
        "severity": severity.value,
        "category": _pick(turn.categories, *about) if turn.categories else "",
        "location": line.place,
        "quote": line.text,
        "text": text,
        "suggestion": "State it in one sentence.",
    }
    if turn.role == "implementation-reviewer":
        finding["level"] = _pick(LEVELS, *about)
    return finding


def _pick(items: Sequence[T], *parts: object) -> T:
    return items[int(draw(*parts) * len(items))]
