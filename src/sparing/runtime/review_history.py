"""`.review-history.md`: looks, changes and markers, as the records have them.

A projection, like `.meta.json`: it is written whole each time a stage is closed, out of events
that a repeated step tells only once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from sparing.codec import JsonObject
from sparing.connection import Connection
from sparing.finding import Finding, Severity
from sparing.records import events
from sparing.records.events import Event
from sparing.review.governor import GovernorRuling, SeenVerdict
from sparing.review.history import (
    Fallback,
    HistoryEntry,
    Item,
    JudgedLook,
    LazyLoad,
    Noted,
    write_history,
)
from sparing.review.quotes import QuoteCheck
from sparing.review.tracking import Tracked
from sparing.stages.place import Place
from sparing.workspace.project.paths import Confined

NAME = ".review-history.md"
LOOK, CHANGES, FALLBACK, UNREAD = "look", "changes", "fallback", "unread"


def write_reviews(worktree: Path, folder: str, told: Iterable[Event]) -> str | None:
    """Write the file; None if there is nothing to tell."""
    items = items_of(told)
    if not items:
        return None
    path = f"{folder}/{NAME}"
    Confined(worktree).write_text(path, write_history(items))
    return path


def told_of(connection: Connection, feature: str) -> list[Event]:
    """In the order of what happened. Dispatches side by side tell in any order: between two
    decisions their names put it right."""
    ordered: list[Event] = []
    beside: list[Event] = []
    for one in events.since(connection, 0, feature):
        if one.kind in (FALLBACK, UNREAD):
            beside.append(one)
        elif one.kind in (LOOK, CHANGES):
            ordered += [*sorted(beside, key=lambda event: event.key), one]
            beside = []
    return [*ordered, *sorted(beside, key=lambda event: event.key)]


def items_of(told: Iterable[Event]) -> list[Item]:
    """Changes stand with the look that asked for them."""
    items: list[Item] = []
    last: dict[str, int] = {}
    for one in told:
        match one.kind:
            case "look":
                last[one.stage] = len(items)
                items.append(_entry(one))
            case "changes" if one.stage in last:
                entry = items[last[one.stage]]
                assert isinstance(entry, HistoryEntry)
                items[last[one.stage]] = replace(entry, changes=tuple(one.data["changes"]))
            case "fallback":
                items.append(Fallback(one.role, one.data["iteration"], one.data["error"]))
            case "unread":
                items.append(LazyLoad(one.role))
            case _:
                pass
    return items


def look_data(place: Place, seen: Sequence[SeenVerdict], ruled: GovernorRuling) -> JsonObject:
    """A look as an event: who looked, what was found, what it means for the loop."""
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
    parts += [] if one.counts else ["a note"]
    parts += ["its quote does not stand there: unverified"] if unverified else []
    return ", ".join(parts)


def _entry(told: Event) -> HistoryEntry:
    data = told.data
    judged = [JudgedLook(role, decision) for role, decision in data["judged"]]
    if judged and data["why"]:
        judged[-1] = replace(judged[-1], decision=f"{judged[-1].decision}; {data['why']}")
    return HistoryEntry(
        told.stage,
        data["iteration"],
        tuple(judged),
        tuple(_noted(one) for one in data["findings"]),
        final=data["final"],
    )


def _noted(value: JsonObject) -> Noted:
    finding = {**value["finding"], "severity": Severity(value["finding"]["severity"])}
    return Noted(Finding(**finding), tuple(value["roles"]), value["state"])
