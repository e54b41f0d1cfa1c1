"""`.review-history.md`: reviews, changes and markers, as recorded.

A projection, like `.meta.json`: it is rewritten each time a stage is closed, from events that a
repeated step records only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path

from sparing.codec import JsonObject
from sparing.connection import Connection
from sparing.event import AnswerEvent, StuckEvent
from sparing.finding import Finding, Severity
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.flow.state import Cause
from sparing.records import events, verdicts
from sparing.records.events import Event
from sparing.review.governor import GovernorRuling, SeenVerdict
from sparing.review.history import (
    Fallback,
    HistoryEntry,
    Item,
    JudgedLook,
    LazyLoad,
    Noted,
    Rejection,
    write_history,
)
from sparing.review.quotes import QuoteCheck
from sparing.review.tracking import Tracked
from sparing.stages.place import Place
from sparing.workspace.project.paths import Confined

NAME = ".review-history.md"
LOOK, CHANGES, FALLBACK, UNREAD = "look", "changes", "fallback", "unread"
VERDICT = "verdict"
SENT_BACK_TO = {
    stage.name: stage.on_fail
    for flow in FLOWS.values()
    for stage in flow.stages
    if stage.work is StageWork.JUDGE
}
"""For each stage of a tier that judges, the one that settles what it finds."""
ABSENT = "its quote does not stand there: unverified"


def write_reviews(worktree: Path, folder: str, told: Iterable[Event]) -> str | None:
    """Write the file; None if there is nothing to tell."""
    items = items_of(told)
    if not items:
        return None
    path = f"{folder}/{NAME}"
    Confined(worktree).write_text(path, write_history(items))
    return path


def told_of(connection: Connection, feature: str) -> list[Event]:
    """Events in the order of what happened. Parallel dispatches record theirs in any order, so
    between two decisions they are sorted by name. A tier's judge has no loop: its verdict is its
    review."""
    ordered: list[Event] = []
    beside: list[Event] = []
    for one in events.since(connection, 0, feature):
        if one.kind in (FALLBACK, UNREAD):
            beside.append(one)
        elif one.kind in (LOOK, CHANGES) or _rejects(one) or _declines(one) or _judges(one):
            known = _look_of(connection, one) if _judges(one) else one
            ordered += [*sorted(beside, key=lambda event: event.key), known]
            beside = []
    return [*ordered, *sorted(beside, key=lambda event: event.key)]


def items_of(told: Iterable[Event]) -> list[Item]:
    """History items; changes are listed with the review that asked for them."""
    items: list[Item] = []
    last: dict[str, int] = {}
    for one in told:
        match one.kind:
            case "look":
                last[SENT_BACK_TO.get(one.stage, one.stage)] = len(items)
                items.append(_entry(one))
            case "changes" if one.stage in last:
                entry = items[last[one.stage]]
                assert isinstance(entry, HistoryEntry)
                items[last[one.stage]] = replace(entry, changes=tuple(one.data["changes"]))
            case "fallback":
                items.append(Fallback(one.role, one.data["iteration"], one.data["error"]))
            case "unread":
                items.append(LazyLoad(one.role))
            case "answered" if _rejects(one):
                items.append(Rejection(one.stage, one.text))
                last.pop(one.stage, None)
            case "stuck" if _declines(one) and items and isinstance(said := items[-1], Rejection):
                items[-1] = replace(said, reply=one.text)
            case _:
                pass
    return items


def _declines(told: Event) -> bool:
    """Whether an author changed nothing after a rejection, and said why."""
    return isinstance(told.what, StuckEvent) and told.what.cause == Cause.DECLINED


def _rejects(told: Event) -> bool:
    """Whether a person rejected a stage's result, and not the proposal of a handoff."""
    what = told.what
    return isinstance(what, AnswerEvent) and what.answer == "reject" and not what.about


def _judges(told: Event) -> bool:
    return told.kind == VERDICT and told.stage in SENT_BACK_TO


def _look_of(connection: Connection, told: Event) -> Event:
    """A judge's verdict as a review; findings that count have the ids that its author is given."""
    row = verdicts.get(connection, told.key.removesuffix(f".{VERDICT}"))
    if row is None:
        return told
    ids, found = count(1), list[JsonObject]()
    for n, finding in enumerate(row.verdict.findings):
        parts = [] if finding.severity is Severity.SUGGESTION else [f"F{next(ids)}"]
        parts += [ABSENT] if row.quotes[n : n + 1] == (QuoteCheck.ABSENT.value,) else []
        found.append({"finding": asdict(finding), "roles": [], "state": ", ".join(parts)})
    decision = "passes" if row.passed else f"does not pass: back to {SENT_BACK_TO[told.stage]}"
    data = {
        "iteration": row.iteration, "final": False, "why": "", "findings": found,
        "judged": [[row.verdict.role, decision]],
    }  # fmt: skip
    return replace(told, kind=LOOK, data=data)


def look_data(place: Place, seen: Sequence[SeenVerdict], ruled: GovernorRuling) -> JsonObject:
    """A review as an event: who reviewed, what was found, what it means for the loop."""
    assert place.loop is not None
    looked = [one.verdict.role for one in seen]
    absent = {
        finding
        for one in seen
        for finding, quote in zip(one.verdict.findings, one.quotes, strict=False)
        if quote is QuoteCheck.ABSENT
    }
    raised = [
        one for one in ruled.state.tracked if one.open and any(role in looked for role in one.roles)
    ]
    several = len(seen) > 1
    return {
        "iteration": place.loop.iteration,
        "final": place.loop.final,
        "decision": ruled.decision.value,
        "judged": [[role, _decided(role, n, ruled)] for n, role in enumerate(looked)],
        "findings": [
            {
                "finding": asdict(one.finding),
                "roles": list(one.roles) if several else [],
                "state": _state(one, unverified=one.finding in absent),
            }
            for one in raised
        ],
        "why": ruled.reasons[-1] if ruled.reasons else "",
    }


def _decided(role: str, number: int, ruled: GovernorRuling) -> str:
    return ruled.reasons[number].removeprefix(f"{role} ")


def _state(one: Tracked, *, unverified: bool) -> str:
    parts = [one.id, one.status.value]
    parts += [] if one.counts else ["does not block"]
    parts += [ABSENT] if unverified else []
    return ", ".join(parts)


def _entry(told: Event) -> HistoryEntry:
    data = told.data
    judged = [JudgedLook(role, decision) for role, decision in data["judged"]]
    if len(judged) == 1 and data["why"]:
        judged[-1] = replace(judged[-1], decision=f"{judged[-1].decision}; {data['why']}")
    return HistoryEntry(
        told.stage,
        data["iteration"],
        tuple(judged),
        tuple(_noted(one) for one in data["findings"]),
        final=data["final"],
        then=data["why"] if len(judged) > 1 else "",
    )


def _noted(value: JsonObject) -> Noted:
    found = value["finding"]  # a quote's indentation would be written as codes
    changed = {"severity": Severity(found["severity"]), "quote": found["quote"].strip()}
    return Noted(Finding(**{**found, **changed}), tuple(value["roles"]), value["state"])
