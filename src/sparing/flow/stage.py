"""What a stage is: who writes, what is read and written, who judges, where a person is asked.

Stages are values. The engine carries them out; which comes next is decided in `advance`.
"""

from __future__ import annotations

from enum import StrEnum

from sparing.artifact import ArtifactName
from sparing.lazy_dataclass import lazy_dataclass


class StageWork(StrEnum):
    """The kind of work a stage does."""

    DOCUMENT = "document"
    """An author writes one artifact; reviewers judge it in a loop."""
    IMPLEMENT = "implement"
    """Tasks become code, one dispatch each; then the repository's checks and reviewers."""
    BUILD = "build"
    """The continuing agent writes the code in one turn; then the repository's checks."""
    JUDGE = "judge"
    """One role reads what was made and returns a verdict with its report."""
    CHECK = "check"
    """The program runs the repository's own checks; no model's word counts."""
    PROPOSE = "propose"
    """One role proposes, in a form; the program checks it and writes it down."""


class ModelClass(StrEnum):
    STRONG = "strong"
    STANDARD = "standard"
    CHEAP = "cheap"


@lazy_dataclass
class Stage:
    name: str
    work: StageWork
    author: str = ""
    reads: tuple[ArtifactName, ...] = ()
    writes: ArtifactName | None = None
    requires: tuple[ArtifactName, ...] = ()
    """Artifacts without which the stage can't be entered, however one gets here."""
    reviewers: tuple[tuple[str, ...], ...] = ()
    """Groups in order; a group's roles are asked in parallel and have their own counter."""
    cap: int = 10
    """The most reviews, even if the settings would allow more."""
    gate: bool = False
    budget_tokens: int = 0
    model: ModelClass = ModelClass.STANDARD
    on_fail: str = ""
    """The stage to go back to when this one's verdict is negative."""
    breaker: str = ""
    """Stages with the same word share one count of rejections."""
    learns: bool = False
    """Before its checks: unfinished tasks are asked about, and lessons are drawn."""
    research: tuple[str, ...] = ()
    """Roles that do research in parallel before the author begins."""
    parts: tuple[str, ...] = ()
    """What the author writes one after the other, a turn each, in one session."""

    def __post_init__(self) -> None:
        if self.work is StageWork.DOCUMENT and (not self.author or self.writes is None):
            raise ValueError(f"{self.name}: a document stage has an author and an artifact")
        if self.cap < 1:
            raise ValueError(f"{self.name}: a cap of {self.cap} would never ask a reviewer")


@lazy_dataclass
class Flow:
    name: str
    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        names = self.names
        if not names or len(set(names)) != len(names):
            raise ValueError(f"flow {self.name}: stages are named once each, and there is one")
        for position, stage in enumerate(self.stages):
            if stage.on_fail and stage.on_fail not in names[: position + 1]:
                raise ValueError(f"{self.name}.{stage.name}: goes back to {stage.on_fail}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(stage.name for stage in self.stages)

    def stage(self, name: str) -> Stage:
        return self.stages[self.index(name)]

    def index(self, name: str) -> int:
        return self.names.index(name)

    def is_last(self, name: str) -> bool:
        return self.index(name) + 1 == len(self.stages)

    def after(self, name: str) -> Stage | None:
        position = self.index(name) + 1
        return self.stages[position] if position < len(self.stages) else None
