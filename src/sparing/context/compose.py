"""One composer: from what a dispatch may say to the segments it sends.

The steadiest comes first: documents that many roles share (the trunk), then the artifact at
hand, then the role, then this turn. A resumed session gets the last part alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sparing.artifact import Artifact
from sparing.context.wrap import wrap
from sparing.segment import Segment, Volatility
from sparing.way import Way


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything one dispatch may say."""

    key: str
    documents: tuple[Artifact, ...]
    """What the role must know, in the flow's order: the trunk."""
    role: str
    role_text: str
    turn: str
    """What is to be done now, for a fresh session."""
    subject: Artifact | None = None
    """The artifact under review or revision, as it stands."""
    code: str = ""
    """The diff under review."""
    rest: tuple[Artifact, ...] = ()
    """Documents that only some roles of the group need: they follow the code."""
    scope: str = ""
    """Sections and the text of one task."""
    again: str = ""
    """What is to be done now, for a session that knows the rest; empty if there is no such turn."""


def compose(brief: Brief, way: Way) -> tuple[Segment, ...]:
    if way in (Way.RESUME, Way.FORK) and brief.again:
        return (Segment("turn", brief.again, Volatility.ITERATION),)
    return (
        *_trunk(brief),
        *(_document(brief, document, Volatility.ROLE) for document in brief.rest),
        *_scope(brief),
        Segment("role", brief.role_text, Volatility.ROLE),
        Segment("turn", brief.turn, Volatility.ITERATION),
    )


def _trunk(brief: Brief) -> list[Segment]:
    """What all roles of a group share; a cache entry is wanted at its end."""
    trunk = [_document(brief, document, Volatility.FEATURE) for document in brief.documents]
    if brief.subject is not None:
        trunk.append(_document(brief, brief.subject, Volatility.STAGE))
    if brief.code:
        code = wrap(brief.code, brief.key, "changes.diff")
        trunk.append(Segment("code", code, Volatility.STAGE))
    if trunk:
        trunk[-1] = replace(trunk[-1], mark=True)
    return trunk


def _scope(brief: Brief) -> list[Segment]:
    if not brief.scope:
        return []
    return [Segment("scope", wrap(brief.scope, brief.key, "task"), Volatility.ROLE)]


def naive(brief: Brief) -> Segment:
    """The baseline: every document inline, in one block; the role is the system prompt there."""
    documents = [*brief.documents, *brief.rest, *([brief.subject] if brief.subject else [])]
    parts = [
        *(wrap(document.text, brief.key, document.name.filename) for document in documents),
        wrap(brief.code, brief.key, "changes.diff") if brief.code else "",
        wrap(brief.scope, brief.key, "task") if brief.scope else "",
        brief.turn,
    ]
    return Segment("prompt", "\n".join(part for part in parts if part), Volatility.ITERATION)


def _document(brief: Brief, document: Artifact, volatility: Volatility) -> Segment:
    text = wrap(document.text, brief.key, document.name.filename)
    return Segment(document.name.value, text, volatility)
