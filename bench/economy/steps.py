"""One turn of a feature as numbers, and the files it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sparing.double.agent_draws import TurnIdentity, TurnNeeds
from sparing.turn import Turn
from sparing.turn_kind import Errand, TurnKind


class File(NamedTuple):
    """A file as it stood once."""

    path: str
    version: int
    tokens: int


class Wait(StrEnum):
    """What a turn waits for before it can begin."""

    NONE = "none"
    ROUND = "round"
    """A loop goes on: the work was changed, and is looked at again."""
    GATE = "gate"
    """A person approved the stage before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One dispatch, as numbers."""

    turn: Turn
    kind: TurnKind
    errand: Errand
    stage: str
    role: str
    loop: str
    """Turns of one loop can go on in one session."""
    round: int
    needs: TurnNeeds
    wait: Wait = Wait.NONE
    waits_for: str = ""
    """The stage whose gate it is."""
    wave: str = ""
    """Steps of one wave run at the same time."""
    task: int = 0
    part: str = ""
    authored: bool = True
    """Its stage writes a document."""
    on_documents: bool = False
    """Its stage makes a document and no code."""
    document: str = ""
    """That is written, revised or judged."""
    size: int = 0
    """Characters that are typed for it."""
    changed: float = 0.0
    """Of a revision: the share of lines that it changes."""
    makes: tuple[File, ...] = ()
    changes: tuple[File, ...] = ()
    """Files of the feature as a fix leaves them."""
    rejects: bool = False
    """Its verdict opens another round."""
    final: bool = False
    findings: tuple[int, ...] = ()
    """Characters of each finding of its verdict."""
    answer: int = 0
    """Tokens of its last words."""
    panel: tuple[str, ...] = field(default=(), repr=False)
    """Two reviewers who look in one turn; empty where each has its own."""
    beside: TurnIdentity | None = field(default=None, repr=False)
    """Of whom the second verdict of the turn is."""

    @property
    def identity(self) -> TurnIdentity:
        return TurnIdentity(self.role, self.stage, str(self.task or ""), self.round)


def is_test(file: File) -> bool:
    return file.path.startswith("tests/")
