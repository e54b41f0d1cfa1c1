"""Everything one dispatch may say, as values: the content, not the composition.

A brief is gathered once and can be composed in every way of sending and every order, so that these
can be compared by price before one is chosen.
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
    """Absolute path, for sending it by reference."""
    label: str = ""
    """What it is called if it is not the whole file."""


class Material(NamedTuple):
    """Any other text that is data."""

    name: str
    text: str


def part_of(filename: str, text: str, whole: str | None) -> Material:
    """The part of a document that a task is given, labelled as a part unless it is the whole."""
    return Material(filename if text == whole else f"{filename}, for this task", text)


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
    """What a prompt needs to know about a role."""

    name: str
    text: str
    artifacts: frozenset[ArtifactName] = frozenset()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnSubject:
    """What this turn is about: a few short values."""

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
    """The iteration in which this role last reviewed or worked."""
    lost: bool = False
    """True if the role had a session that has been lost."""
    task: str = ""
    done_stated: bool = True
    """The task says when it is done."""
    phase: str = ""
    """Where a role works in phases: A or B, or the part of a document."""
    words: str = "turns/assist"
    """For a role with a single dispatch: the prompt file to use, by folder and name."""
    panel: tuple[str, ...] = ()
    """Reviewers that share one turn; the role is the first whose verdict is wanted."""
    last: bool = False
    """True if no stage comes after this one."""
    back: bool = False
    """True if the session returns to a stage whose text and guide it was given before."""
    decided: bool = False
    """True if the session knows all that a person has decided in this stage."""
    stranger: bool = False
    """True if only other roles have worked in the session."""


@dataclass(frozen=True, slots=True)
class Brief:
    key: str
    """Key of the wrappers around documents."""
    role: PromptRole
    asked: TurnSubject
    rules: Material | None = None
    """The repository's own rules file."""
    documents: tuple[Document, ...] = ()
    """What the role must know, in the order of the flow."""
    subject: Document | None = None
    """The current text of the document under review or revision."""
    code: Code | None = None
    goals: str = ""
    """Problem and goals of the PRD."""
    project: str = ""
    request: str = ""
    """In a tier: the user's request, verbatim, unless a handoff contains it."""
    sections: tuple[Material, ...] = ()
    """Parts of plan and design that a task refers to."""
    task: str = ""
    stage_texts: tuple[Material, ...] = ()
    """In a tier: the stage's text and its guide, which are our own prompts."""
    materials: tuple[Material, ...] = ()
    outcome: str = ""
    """The Domain Reviewer Outcome block."""
    facts: str = ""
    """What the program has seen for itself."""
    findings: tuple[QuotedFinding, ...] = ()
    """For an author: findings to settle. For a reviewer: its own from the last iteration."""
    mentioned: tuple[QuotedFinding, ...] = ()
    """What else the author's answers name by its id: resolved ones, and those of other roles."""
    delta: str = ""
    fix_summary: str = ""
    changed: tuple[FileChange, ...] = ()
    """Files that changed since the session last saw them."""
    schema: Mapping[str, Any] | None = None
    resumable: bool = False
    """True if a session exists and the rest of the brief covers all that it must learn."""
    full: tuple[Document, ...] = ()
    """The documents that the naive baseline would send in full."""
    warnings: tuple[str, ...] = ()
    map: str = ""
    """The repository at a glance."""
    knowledge: str = ""
    """Lessons of earlier features, chosen once for all prompts of this one."""
    notes: str = ""
    """What this role saw and said last time, for a fresh session."""
    handoff: str = ""
    """What the session of the previous stages left for a fresh one."""
    handoff_notes: str | None = None
    """The handoff without documents and without the program's observations of the code; None if
    a session has added text of its own to it."""
    news: tuple[Document, ...] = ()
    """For a resumed session: documents whose current text it has not seen."""
    sheet: tuple[SheetText, ...] = ()
    """Quoted lines, each part to be placed after the document of the stage that named them."""
    stale: str = ""
    """Which of the quoted lines have changed since they were quoted."""
    covered: tuple[str, ...] = ()
    """Files of which the sheet quotes lines, whether it is shown or only kept to compare with."""
    names_facts: bool = False
    """True if the author is asked to name the source lines that its document relies on."""
    given: tuple[str, ...] = ()
    """Paths of files included in sections or materials, which the agent need not open."""


def without_aids(brief: Brief) -> Brief:
    """The brief without what the program adds to save an agent from exploring."""
    return replace(brief, map="", notes="", given=(), sheet=(), stale="", covered=())
