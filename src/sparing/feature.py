"""The unit of work: one idea on its way to a merged branch."""

from __future__ import annotations

import re
from enum import StrEnum

from sparing.lazy_dataclass import lazy_dataclass

SLUG_LIMIT = 30
_NEVER_LAST = frozenset(
    ("a", "an", "and", "by", "for", "in", "of", "on", "or", "the", "to", "with")
)
PROJECT = "project"
"""The name of a project's flow."""


class FeatureStatus(StrEnum):
    PLANNED = "planned"
    ACTIVE = "active"
    COMPLETED = "completed"
    ABANDONED = "abandoned"

    @property
    def is_over(self) -> bool:
        return self in (FeatureStatus.COMPLETED, FeatureStatus.ABANDONED)


def slugify(title: str) -> str:
    """Lower case, dashes, at most 30 characters, never empty. Cut between words, and not after one
    that needs another."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    if len(words) <= SLUG_LIMIT:
        return words or "untitled"
    whole = words[: SLUG_LIMIT + 1].rpartition("-")[0]
    while (last := whole.rpartition("-"))[2] in _NEVER_LAST:
        whole = last[0]
    return whole or words[:SLUG_LIMIT]


class Priority(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@lazy_dataclass
class Background:
    """Where a feature comes from, and what it waits for."""

    description: str = ""
    """The full request, if its title does not say everything."""
    source: str = ""
    """The document or the issue that it began with."""
    project: str = ""
    """Such as `P001`."""
    depends_on: tuple[str, ...] = ()
    """Names of features that must be done first, such as `012-record-a-payment`."""
    priority: Priority = Priority.MEDIUM


@lazy_dataclass
class Feature:
    key: str
    """Unique across all repositories; the prefix of every workflow id."""
    number: int
    """The feature's number; projects are numbered separately, downwards from -1."""
    slug: str
    title: str
    flow: str
    repository: str
    """The folder of the user's checkout."""
    base_branch: str
    base_commit: str
    created: float

    def __post_init__(self) -> None:
        if self.number == 0 or self.is_project != (self.flow == PROJECT):
            raise ValueError(f"feature number {self.number}; they count from 1")
        if self.slug != slugify(self.slug):
            raise ValueError(f"{self.slug!r} is no slug")

    @property
    def id(self) -> str:
        return f"P{-self.number:03d}" if self.is_project else f"{self.number:03d}"

    @property
    def is_project(self) -> bool:
        """Whether it is a project, which is worked on like a feature but yields a roadmap."""
        return self.number < 0

    @property
    def name(self) -> str:
        return f"{self.id}-{self.slug}"

    @property
    def branch(self) -> str:
        return f"{'project' if self.is_project else 'feature'}/{self.name}"
