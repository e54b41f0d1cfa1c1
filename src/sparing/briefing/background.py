"""What a role gets besides documents: the full request, and what research has found."""

from __future__ import annotations

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
    if description and (turn is Turn.RESEARCH or (turn is Turn.WRITE and first)):
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
