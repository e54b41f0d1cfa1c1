"""Tracking each finding from review to review, under a stable id.

Ids are counted within a stage. A reviewer says which earlier finding one continues, else its words
decide, and in doubt a finding is new. Of several that continue the same one the first keeps the id,
the others name it as their kin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sparing.codec import Stored
from sparing.finding import Finding, Severity, Verdict
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.identity import match, restates
from sparing.review.merge import STRICTEST_FIRST, Merged


class FindingStatus(StrEnum):
    NEW = "new"
    REPEATED = "repeated"
    REGRESSED = "regressed"
    """Raised again after it was resolved."""
    RESOLVED = "resolved"
    CONTESTED = "contested"
    """The author gave a reason, and the reviewer holds to it."""
    NOT_REPEATED = "not repeated"
    """A suggestion that nobody mentioned again, which says nothing of whether it was taken up:
    reviewers are asked to return to blockers and warnings alone."""


class RulingKind(StrEnum):
    UPHELD = "upheld"
    """The reviewer is right: it must be settled."""
    DISMISSED = "dismissed"
    """The author is right, or it may stay: it never counts again."""


class Ruling(NamedTuple):
    """A person's decision on a finding, kept for as long as the feature exists."""

    id: str
    kind: RulingKind
    words: str = ""


@dataclass(frozen=True, slots=True)
class Tracked(Stored):
    id: str
    finding: Finding
    """In its latest words."""
    roles: tuple[str, ...]
    """Roles that still hold it open."""
    status: FindingStatus = FindingStatus.NEW
    times: int = 1
    """Number of reviews in which it was raised."""
    restated: bool = False
    """True if a reviewer said, or its words show, that it repeats an earlier finding."""
    evidence: bool = False
    """True if it quotes a line that exists and was not quoted for it before."""
    quotes: tuple[str, ...] = ()
    counts: bool = True
    """True if it keeps the loop from ending."""
    answer: AuthorAnswer | None = None
    """The author's latest answer to it."""
    ruling: Ruling | None = None
    kin: tuple[str, ...] = ()
    """Ids of findings that it was split from."""
    into: str = ""
    """The finding it was merged into; only in records of earlier versions."""
    by: tuple[str, ...] = ()
    """Roles that have ever raised it, if more than those that hold it open."""

    @property
    def open(self) -> bool:
        return self.status is not FindingStatus.RESOLVED and not self.into

    @property
    def dismissed(self) -> bool:
        return self.ruling is not None and self.ruling.kind is RulingKind.DISMISSED


def told(
    tracked: Sequence[Tracked], answers: Sequence[AuthorAnswer], rulings: Sequence[Ruling]
) -> tuple[Tracked, ...]:
    """Findings with what the author and a person have said since."""
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


def owned(verdict: Verdict, tracked: Sequence[Tracked]) -> Verdict:
    """The verdict, naming only earlier findings that exist and were raised by this role."""
    own = {one.id for one in tracked if verdict.role in (*one.roles, *one.by)}
    checked = (
        one if one.continues in own else replace(one, continues="") for one in verdict.findings
    )
    return replace(verdict, findings=tuple(checked))


def follow(
    tracked: Sequence[Tracked],
    raised: Sequence[Merged],
    verified: Sequence[bool],
    looked: Sequence[str],
) -> tuple[Tracked, ...]:
    """All findings after a look: known ones in their order, then new ones.

    `verified` says of each raised finding whether its quote was found.
    """
    number, found = len(tracked), dict[str, Tracked]()
    heirs = _heirs([one for one in tracked if not one.into], raised)
    for place, merged in enumerate(raised):
        before = heirs.get(place)
        now = _now(before, merged, looked, verified=verified[place])
        if before is None or before.id in found or _is_apart(before, merged):
            number += 1
            now = _fresh(now, f"F{number}", before, apart=before and _is_apart(before, merged))
        found[now.id] = now
    known = (found.pop(one.id, None) or _unraised(one, looked) for one in tracked)
    return (*known, *found.values())


def _heirs(live: Sequence[Tracked], raised: Sequence[Merged]) -> dict[int, Tracked]:
    """Which earlier finding each continues: as the reviewer says, else by its words."""
    known = {one.id: one for one in live}
    heirs = {
        place: known[one.continues] for place, one in enumerate(raised) if one.continues in known
    }
    named = {one.id for one in heirs.values()}
    rest = [one for one in live if one.id not in named]
    unnamed = [place for place in range(len(raised)) if place not in heirs]
    links = match([one.finding for one in rest], [raised[place].finding for place in unnamed])
    return heirs | {unnamed[link.later]: rest[link.earlier] for link in links}


def _is_apart(before: Tracked, merged: Merged) -> bool:
    """A person's dismissal covers what was said then, not what may follow from it: only matching
    words show that it is the same, whatever the reviewer calls it."""
    if not before.dismissed:
        return False
    return _is_worse(before, merged) or not _said_again(before, merged)


def _fresh(now: Tracked, id: str, before: Tracked | None, *, apart: bool | None) -> Tracked:
    kin = (before.id,) if before else ()
    if apart:
        return replace(
            now, id=id, kin=kin, status=FindingStatus.NEW, times=1, answer=None, ruling=None
        )
    return replace(now, id=id, kin=kin)


def _said_again(before: Tracked, merged: Merged) -> bool:
    return any(restates(one, before.finding) for one in merged.said)


def _is_worse(before: Tracked, merged: Merged) -> bool:
    rank = STRICTEST_FIRST.index
    return rank(merged.finding.severity) < rank(before.finding.severity)


def _now(
    before: Tracked | None, merged: Merged, looked: Sequence[str], *, verified: bool
) -> Tracked:
    finding = merged.finding
    fresh = verified and (before is None or finding.quote not in before.quotes)
    if before is None:
        quotes = (finding.quote,) if verified else ()
        return Tracked("", finding, merged.roles, evidence=fresh, quotes=quotes, by=merged.roles)
    again = merged.continues == before.id or _said_again(before, merged)
    restated = again and not _is_worse(before, merged)
    return replace(
        before,
        finding=finding,
        roles=(*merged.roles, *(role for role in before.roles if role not in looked)),
        status=_status(before, restated=restated),
        times=before.times + 1,
        restated=restated,
        evidence=fresh,
        quotes=(*before.quotes, finding.quote) if fresh else before.quotes,
        by=tuple(dict.fromkeys((*before.by, *before.roles, *merged.roles))),
    )


def _status(before: Tracked, *, restated: bool) -> FindingStatus:
    if before.status is FindingStatus.RESOLVED:
        return FindingStatus.REGRESSED
    answered = before.answer is not None and before.answer.kind is AnswerKind.ANSWERED
    return FindingStatus.CONTESTED if answered and restated else FindingStatus.REPEATED


def _unraised(one: Tracked, looked: Sequence[str]) -> Tracked:
    """Mark it resolved once all roles that raised it have reviewed again without raising it."""
    left = tuple(role for role in one.roles if role not in looked)
    if not one.open or left:
        return replace(one, roles=left) if one.open else one
    return dropped(one)


def dropped(one: Tracked) -> Tracked:
    """A finding that is not held open any longer: resolved; a suggestion only if its author said
    that it was taken up."""
    if one.open and one.finding.severity is Severity.SUGGESTION and not _was_changed(one):
        return replace(one, roles=(), status=FindingStatus.NOT_REPEATED, counts=False)
    return replace(one, status=FindingStatus.RESOLVED, counts=False)


def _was_changed(one: Tracked) -> bool:
    return one.answer is not None and one.answer.kind is AnswerKind.CHANGED
