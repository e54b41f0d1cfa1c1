"""The unit of work: one idea on its way to a merged branch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

SLUG_LIMIT = 30


class Status(StrEnum):
    PLANNED = "planned"
    ACTIVE = "active"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


def slugify(title: str) -> str:
    """Lower case, dashes, at most 30 characters, never empty."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:SLUG_LIMIT].rstrip("-") or "untitled"


@dataclass(frozen=True, slots=True)
class Feature:
    key: str
    """Unique over all repositories; heads every workflow id."""
    number: int
    slug: str
    title: str
    flow: str
    repository: str
    """The folder of the user's checkout."""
    base_branch: str
    base_commit: str
    created: float

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"feature number {self.number}; they count from 1")
        if self.slug != slugify(self.slug):
            raise ValueError(f"{self.slug!r} is no slug")

    @property
    def id(self) -> str:
        return f"{self.number:03d}"

    @property
    def name(self) -> str:
        return f"{self.id}-{self.slug}"

    @property
    def branch(self) -> str:
        return f"feature/{self.name}"
