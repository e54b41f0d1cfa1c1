"""What a role gets besides documents: the user's request, and what research has found."""

from __future__ import annotations

from sparing.briefing.role_words import is_tier
from sparing.context.prompt.brief import Material
from sparing.context.prompt.turns import DESCRIPTION, RESEARCH
from sparing.flow.flows import FLOWS
from sparing.runtime.source import Source
from sparing.turn import Turn
from sparing.turn_kind import TurnKind

ROADMAP = "roadmap"
LONGEST_DESCRIPTION = 24_000


def background(source: Source, kind: TurnKind) -> tuple[Material, ...]:
    """The first author and those who look around get the request; a proposal its predecessor."""
    turn, told = source.job.turn, list[Material]()
    description = source.row.background.description
    first = source.stage == FLOWS[source.row.feature.flow].stages[0]
    writes = turn is Turn.WRITE and first and not is_tier(source)
    if description and (turn is Turn.RESEARCH or writes):
        told.append(Material(DESCRIPTION, description[:LONGEST_DESCRIPTION]))
    if turn is Turn.WRITE:
        told += [
            Material(f"{RESEARCH}{role}", source.fetch(digest))
            for role, digest in source.job.research
            if digest
        ]
    roadmap = source.text(f"{source.folder}/roadmap.md") if turn is Turn.PROPOSE else None
    if roadmap and kind is TurnKind.ASSIST:
        told.append(Material(ROADMAP, roadmap))
    return tuple(told)


def request_of(source: Source) -> str:
    """What the user asked for, for everybody who works or judges in a tier."""
    if not is_tier(source):
        return ""
    feature, asked = source.row.feature, source.row.background
    head = f"Title: {feature.title}\nPriority: {asked.priority}\n"
    said = asked.description[:LONGEST_DESCRIPTION].strip()
    return f"{head}\n{said}\n" if said else head
