"""Everything one dispatch may say, as values: what is composed, not how.

A brief is gathered once and can be composed in every way and order, so that the ways can be
priced against each other before one is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sparing.artifact import ArtifactName
from sparing.change import FileChange
from sparing.turn_kind import KINDS, Actor, TurnKind

REVIEWS = tuple(kind for kind, row in KINDS.items() if row.actor is Actor.REVIEWER)
JUDGING = tuple(kind for kind, row in KINDS.items() if row.judges)


@dataclass(frozen=True, slots=True)
class Document:
    name: ArtifactName
    text: str | None
    """None if the feature has no such document."""
    path: str = ""
    """Absolute, for a reference."""
    label: str = ""
    """What it is called if it is not the whole file."""


class Material(NamedTuple):
    """Any other text that is data."""

    name: str
    text: str


class SheetText(NamedTuple):
    """A part of the fact sheet."""

    behind: ArtifactName
    stage: str
    text: str


class QuotedFinding(NamedTuple):
    id: str
    severity: str
    role: str
    category: str
    location: str
    text: str
    suggestion: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """The change under review or repair."""

    diff: str
    files: tuple[FileChange, ...]
    since: tuple[str, ...] = ()
    """The changes that came after `diff`, one by one, where that is kept as it was first
    reviewed: a trunk that only grows stays cached."""


@dataclass(frozen=True, slots=True)
class PromptRole:
    """What a prompt needs of a role."""

    name: str
    text: str
    artifacts: frozenset[ArtifactName] = frozenset()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnSubject:
    """What this turn is about, in a few small words."""

    kind: TurnKind
    stage: str
    title: str = ""
    target: str = ""
    """The file to write, relative to the working folder."""
    subject: str = ""
    """What is judged: `spec.md`, `the code changes`."""
    iteration: int = 1
    cap: int = 1
    seen: int = 0
    """The iteration at which this role last looked."""
    lost: bool = False
    """It had a session, and the session is gone."""
    task: str = ""
    done_stated: bool = True
    """The task says when it is done."""
    phase: str = ""
    """Where a role works in phases: A or B, or the part of a document."""
    words: str = "turns/assist"
    """Of a role with one dispatch of its own: the file it is asked with, by folder and name."""
    panel: tuple[str, ...] = ()
    """Reviewers who look in one turn; the role is the first whose word is wanted."""
    back: bool = False
    """Of a stage that a session goes on with: it was told the stage's text and guide before."""


@dataclass(frozen=True, slots=True)
class Brief:
    key: str
    """Of the wrappers."""
    role: PromptRole
    asked: TurnSubject
    rules: Material | None = None
    """The repository's own rules file."""
    documents: tuple[Document, ...] = ()
    """What the role must know, in the order of the flow."""
    subject: Document | None = None
    """The document under review or revision, as it stands."""
    code: Code | None = None
    goals: str = ""
    """Problem and goals of the PRD."""
    project: str = ""
    request: str = ""
    """Of a tier: what the user asked for, in their words, where no handoff has it."""
    sections: tuple[Material, ...] = ()
    """Parts of plan and design that a task refers to."""
    task: str = ""
    stage_texts: tuple[Material, ...] = ()
    """Of a tier: the stage's text and its guide. Words of ours."""
    materials: tuple[Material, ...] = ()
    outcome: str = ""
    """The Domain Reviewer Outcome block."""
    facts: str = ""
    """What the program has seen for itself."""
    findings: tuple[QuotedFinding, ...] = ()
    """An author's to settle; a reviewer's own of the last iteration."""
    mentioned: tuple[QuotedFinding, ...] = ()
    """What else the author's answers name by its id: resolved ones, and those of other roles."""
    delta: str = ""
    fix_summary: str = ""
    changed: tuple[FileChange, ...] = ()
    """Files that changed since the session last saw them."""
    schema: Mapping[str, Any] | None = None
    resumable: bool = False
    """There is a session, and what follows says all that it must learn."""
    full: tuple[Document, ...] = ()
    """What the naive way would send in full."""
    warnings: tuple[str, ...] = ()
    map: str = ""
    """The repository at a glance."""
    knowledge: str = ""
    """Lessons of earlier features, chosen once for all prompts of this one."""
    notes: str = ""
    """What this role saw and said the last time, for a session that knows nothing of it."""
    handoff: str = ""
    """What the session of the stages before left, for one that begins."""
    handoff_notes: str | None = None
    """The same without documents and without what the program saw of the code, where no session
    has added a word of its own to it."""
    news: tuple[Document, ...] = ()
    """For a session that goes on: documents it has not seen as they are now."""
    sheet: tuple[SheetText, ...] = ()
    """Quoted lines, each part behind the document of the stage that named them."""
    stale: str = ""
    """Which of them no longer stand as they were quoted."""
    covered: tuple[str, ...] = ()
    """Files of which the sheet quotes lines, whether it is shown or only kept to compare with."""
    names_facts: bool = False
    """The author is asked to name the places that its document rests on."""
    given: tuple[str, ...] = ()
    """Files among sections or materials, by path: nobody has to open them."""


def without_aids(brief: Brief) -> Brief:
    """Without what the program adds so that an agent need not look for it."""
    return replace(brief, map="", notes="", given=(), sheet=(), stale="", covered=())
