"""What reviewers contribute for their cost, and what to do about one that contributes little.

A blocker counts for the role that raised it first, and as accepted if it was settled and no person
had dismissed it. Advice waits until there are enough reviews: nothing found in n reviews still
allows three finds in n, with 95 % certainty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain
from statistics import median
from typing import NamedTuple

ENOUGH_TO_SAMPLE = 10
ENOUGH_TO_DROP = 20
ENOUGH_TO_MERGE = 3
SAME = 0.8
DEAR = 5.0


class Post(NamedTuple):
    """A reviewer: its role, its model, and the stage it reviews."""

    role: str
    model: str
    stage: str


class PricedLook(NamedTuple):
    post: Post
    nano_usd: int | None
    """None if unknown."""


class RaisedFinding(NamedTuple):
    """A finding, credited to a role that raised it first."""

    post: Post
    blocker: bool
    accepted: bool
    others: tuple[str, ...] = ()
    """Other roles that raised it in the same round."""


class Yield(NamedTuple):
    post: Post
    looks: int
    blockers: int
    accepted: int
    """Number of blockers that were accepted."""
    settled: int
    """Warnings that were settled."""
    shared: dict[str, int]
    """Accepted blockers that another role raised as well, by role."""
    nano_usd: int | None
    """None if no review has a known cost."""

    @property
    def each(self) -> int | None:
        """Cost per accepted blocker; None if unknown."""
        known = self.nano_usd is not None and self.accepted
        return self.nano_usd // self.accepted if known and self.nano_usd else None


class ReviewerAdvice(StrEnum):
    DROP = "drop"
    MERGE = "merge"
    SAMPLE = "sample"


class Advice(NamedTuple):
    role: str
    measure: ReviewerAdvice
    why: str

    @property
    def words(self) -> str:
        return f"{self.measure} {self.role}: {self.why}"


def yields(looks: Sequence[PricedLook], raised: Sequence[RaisedFinding]) -> tuple[Yield, ...]:
    """By role, model and stage, in the order of the first review."""
    posts = dict.fromkeys(look.post for look in looks)
    return tuple(
        _yield(
            post,
            [look for look in looks if look.post == post],
            [one for one in raised if one.post == post],
        )
        for post in posts
    )


def _yield(post: Post, looks: Sequence[PricedLook], raised: Sequence[RaisedFinding]) -> Yield:
    accepted = [one for one in raised if one.blocker and one.accepted]
    costs = [look.nano_usd for look in looks if look.nano_usd is not None]
    return Yield(
        post=post,
        looks=len(looks),
        blockers=sum(one.blocker for one in raised),
        accepted=len(accepted),
        settled=sum(one.accepted and not one.blocker for one in raised),
        shared=dict(Counter(chain.from_iterable(one.others for one in accepted))),
        nano_usd=sum(costs) if costs else None,
    )


def by_role(found: Iterable[Yield]) -> tuple[Yield, ...]:
    """Over all models and stages."""
    groups: dict[str, list[Yield]] = {}
    for one in found:
        groups.setdefault(one.post.role, []).append(one)
    return tuple(_sum(role, group) for role, group in groups.items())


def _sum(role: str, group: Sequence[Yield]) -> Yield:
    costs = [one.nano_usd for one in group if one.nano_usd is not None]
    return Yield(
        post=Post(
            role, _only({one.post.model for one in group}), _only({one.post.stage for one in group})
        ),
        looks=sum(one.looks for one in group),
        blockers=sum(one.blockers for one in group),
        accepted=sum(one.accepted for one in group),
        settled=sum(one.settled for one in group),
        shared=dict(sum((Counter(one.shared) for one in group), Counter[str]())),
        nano_usd=sum(costs) if costs else None,
    )


def _only(names: set[str]) -> str:
    return names.pop() if len(names) == 1 else ""


def advice(found: Iterable[Yield]) -> tuple[Advice, ...]:
    """At most one for each role."""
    roles = by_role(found)
    dear = [one.each for one in roles if one.each]
    usual = median(dear) if dear else None
    told = (_advice(one, usual) for one in roles)
    return tuple(one for one in told if one is not None)


def _advice(one: Yield, usual: float | None) -> Advice | None:
    role = one.post.role
    if not one.accepted and not one.settled and one.looks >= ENOUGH_TO_DROP:
        return Advice(
            role, ReviewerAdvice.DROP, f"nothing it raised was accepted; {_at_most(one.looks)}"
        )
    if not one.accepted and one.looks >= ENOUGH_TO_SAMPLE:
        return Advice(
            role, ReviewerAdvice.SAMPLE, f"none of its blockers was accepted; {_at_most(one.looks)}"
        )
    twin = max(one.shared, key=lambda name: one.shared[name], default="")
    if one.accepted >= ENOUGH_TO_MERGE and twin and one.shared[twin] >= SAME * one.accepted:
        why = (
            f"{one.shared[twin]} of its {one.accepted} accepted blockers were raised by {twin} too"
        )
        return Advice(role, ReviewerAdvice.MERGE, why)
    if usual and one.each and one.looks >= ENOUGH_TO_SAMPLE and one.each > DEAR * usual:
        why = f"its accepted blockers cost {one.each / usual:.0f} times as much as usual"
        return Advice(role, ReviewerAdvice.SAMPLE, why)
    return None


def _at_most(looks: int) -> str:
    """What zero finds in so many reviews still allow, with 95 % certainty: the rule of three."""
    return f"none in {looks} reviews: at most 1 in {looks // 3} finds one (95 % certain)"
