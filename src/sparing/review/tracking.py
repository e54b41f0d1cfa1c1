"""What becomes of each finding from look to look, under a stable id.

Ids are counted within a stage. A finding that another one takes in goes on under that one's id;
of one that is split the part that is most like it keeps the id, the others name it as their kin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sparing.codec import Stored
from sparing.finding import Finding
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.identity import Link, Relation, match, restates
from sparing.review.merge import STRICTEST_FIRST, Merged


class FindingStatus(StrEnum):
    NEW = "new"
    REPEATED = "repeated"
    REGRESSED = "regressed"
    """Raised again after it was resolved."""
    RESOLVED = "resolved"
    CONTESTED = "contested"
    """The author gave a reason, and the reviewer holds to it."""


class RulingKind(StrEnum):
    UPHELD = "upheld"
    """The reviewer is right: it must be settled."""
    DISMISSED = "dismissed"
    """The author is right, or it may stay: it never counts again."""


class Ruling(NamedTuple):
    """A human's word on a finding, kept for as long as the feature lives."""

    id: str
    kind: RulingKind
    words: str = ""


@dataclass(frozen=True, slots=True)
class Tracked(Stored):
    id: str
    finding: Finding
    """In its latest words."""
    roles: tuple[str, ...]
    """Who holds it open."""
    status: FindingStatus = FindingStatus.NEW
    times: int = 1
    """In how many looks it was raised."""
    restated: bool = False
    """Its latest words say nothing that was not said."""
    evidence: bool = False
    """It came with a line that stands there and was not quoted for it before."""
    quotes: tuple[str, ...] = ()
    counts: bool = True
    """It holds the loop up."""
    answer: AuthorAnswer | None = None
    """What the author said to it last."""
    ruling: Ruling | None = None
    kin: tuple[str, ...] = ()
    """What it was split from."""
    into: str = ""
    """Which one goes on for it."""

    @property
    def open(self) -> bool:
        return self.status is not FindingStatus.RESOLVED and not self.into


def told(
    tracked: Sequence[Tracked], answers: Sequence[AuthorAnswer], rulings: Sequence[Ruling]
) -> tuple[Tracked, ...]:
    """With what the author and a human have said since."""
    answered = {answer.id: answer for answer in answers}
    ruled = {ruling.id: ruling for ruling in rulings}
    return tuple(
        replace(
            one,
            answer=answered.get(one.id, one.answer),
            ruling=ruled.get(one.id, one.ruling),
        )
        for one in tracked
    )


def follow(
    tracked: Sequence[Tracked],
    raised: Sequence[Merged],
    verified: Sequence[bool],
    looked: Sequence[str],
) -> tuple[Tracked, ...]:
    """All findings after a look: known ones in their order, then new ones.

    `verified` says of each raised finding whether its quote was found.
    """
    live = [one for one in tracked if not one.into]
    links = match([one.finding for one in live], [one.finding for one in raised])
    by_raised = _by_raised(links)
    number, found, gone = len(tracked), list[Tracked](), dict[str, str]()
    for place, merged in enumerate(raised):
        own = by_raised.get(place, [])
        link = next((link for link in own if _continues(link)), None)
        before = live[link.earlier] if link else None
        now = _now(before, merged, looked, verified=verified[place])
        if not link or link.relation is Relation.SPLIT or _is_apart(before, now):
            number += 1
            now = _fresh(now, f"F{number}", before)
        found.append(now)
        gone.update({live[link.earlier].id: now.id for link in own if not _continues(link)})
    continued = {one.id: one for one in found}
    known = (continued.pop(one.id, None) or _unraised(one, looked, gone) for one in tracked)
    return (*known, *continued.values())


def _continues(link: Link) -> bool:
    return link.relation is not Relation.MERGED


def _is_apart(before: Tracked | None, now: Tracked) -> bool:
    """A human's dismissal covers what was said then, not what may follow from it."""
    if before is None or before.ruling is None:
        return before is None
    return before.ruling.kind is RulingKind.DISMISSED and not now.restated


def _fresh(now: Tracked, id: str, before: Tracked | None) -> Tracked:
    kin = (before.id,) if before else ()
    if _is_apart(before, now):
        return replace(
            now, id=id, kin=kin, status=FindingStatus.NEW, times=1, answer=None, ruling=None
        )
    return replace(now, id=id, kin=kin)


def _by_raised(links: Sequence[Link]) -> dict[int, list[Link]]:
    grouped: dict[int, list[Link]] = {}
    for link in links:
        grouped.setdefault(link.later, []).append(link)
    return grouped


def _now(
    before: Tracked | None, merged: Merged, looked: Sequence[str], *, verified: bool
) -> Tracked:
    finding = merged.finding
    fresh = verified and (before is None or finding.quote not in before.quotes)
    if before is None:
        quotes = (finding.quote,) if verified else ()
        return Tracked("", finding, merged.roles, evidence=fresh, quotes=quotes)
    worse = STRICTEST_FIRST.index(finding.severity) < STRICTEST_FIRST.index(before.finding.severity)
    restated = not worse and any(restates(one, before.finding) for one in merged.said)
    return replace(
        before,
        finding=finding,
        roles=(*merged.roles, *(role for role in before.roles if role not in looked)),
        status=_status(before, restated=restated),
        times=before.times + 1,
        restated=restated,
        evidence=fresh,
        quotes=(*before.quotes, finding.quote) if fresh else before.quotes,
    )


def _status(before: Tracked, *, restated: bool) -> FindingStatus:
    if before.status is FindingStatus.RESOLVED:
        return FindingStatus.REGRESSED
    answered = before.answer is not None and before.answer.kind is AnswerKind.ANSWERED
    return FindingStatus.CONTESTED if answered and restated else FindingStatus.REPEATED


def _unraised(one: Tracked, looked: Sequence[str], gone: Mapping[str, str]) -> Tracked:
    """Resolved when all who raised it have looked again and are silent."""
    if one.id in gone:
        return replace(one, into=gone[one.id], counts=False)
    left = tuple(role for role in one.roles if role not in looked)
    if not one.open or left:
        return replace(one, roles=left) if one.open else one
    return replace(one, status=FindingStatus.RESOLVED, counts=False)
