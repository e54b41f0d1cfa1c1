"""What several turns have in common: the kind of prompt, the errand, the form of the reply.

A row a kind says what such a prompt holds. Where a turn is asked can sharpen its kind: findings
in code are not settled like findings in a document. Which turn has which stands in `turn`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class TurnKind(StrEnum):
    """What an agent is asked for."""

    WRITE = "write"
    """An author makes the stage's document."""
    PART = "part"
    """An author goes on with the next part of its document."""
    REVISE = "revise"
    """An author settles findings in a document."""
    REDO = "redo"
    """An author follows a person's words."""
    ANSWER = "answer"
    """An author goes on with what a person answered."""
    REVIEW = "review"
    VALIDATE = "validate"
    """A reviewer that has passed looks once more at everything since."""
    TASK = "task"
    FIX = "fix"
    """An implementer settles findings in the code."""
    CHECKS = "checks"
    """An author turns red checks green."""
    STAGE = "stage"
    """The continuing agent of a tier does its next stage."""
    JUDGE = "judge"
    ASSIST = "assist"
    """A role with one dispatch of its own: research, simplify, deepen tests, retro."""


class PromptKinds(NamedTuple):
    """The kind of prompt a turn is asked with, by where it is asked."""

    usual: TurnKind
    on_code: TurnKind
    """In a stage whose tasks become code."""
    in_tier: TurnKind
    final: TurnKind
    """Of a reviewer that has passed."""


def always(kind: TurnKind) -> PromptKinds:
    """Wherever it is asked."""
    return PromptKinds(kind, kind, kind, kind)


class Actor(StrEnum):
    """As whom the decision matrix sees an agent; it says which template is first, which follows."""

    REVIEWER = "reviewer"
    FIXER = "fixer"
    """An author who gets findings to settle: the implementer, or whoever wrote the document."""
    LONE = "lone"
    """A role that is always fresh."""


class Errand(StrEnum):
    """Turns that are about the same work: what the ledger learns from one, it expects of others."""

    WRITE = "write"
    REVISE = "revise"
    REVIEW = "review"
    IMPLEMENT = "implement"
    FIX = "fix"
    LONE = "lone"
    """A single turn with its own purpose: simplify, deepen tests, judge, look around."""
    RETRO = "retro"
    HAND_OVER = "hand over"


class ReplyForm(StrEnum):
    """What kind of answer is read out of a reply."""

    TEXT = "text"
    """Free words; the work is in the worktree."""
    VERDICT = "verdict"
    FINDINGS = "findings"
    """What somebody found who looked around."""
    PROPOSAL = "proposal"
    RETRO = "retro"
    HANDOFF = "handoff"


class KindRow(NamedTuple):
    actor: Actor
    judges: bool
    """A verdict is asked for."""
    formed: bool
    """The answer may have to be in a form."""
    own_documents: bool
    """Documents are those of the role's own file; else those that the stage reads."""
    has_subject: bool
    """The document that the stage writes is there, and at hand."""
    excerpts: bool
    """Given parts of documents, or a tier's summaries."""
    feedback: bool
    """Brings somebody's words with it: a person's, the checks', an earlier phase's."""
    settles: bool
    """Given the findings that are open."""
    preloads: bool
    """Files that it names come with it."""
    remembers: bool
    """One of a loop: whoever is asked has been here before."""
    catches_up: bool
    """Others had time to change something before it."""
    enters: bool
    """Opens a stage of a tier, and may do so in the session of the stage before."""
    lists_files: bool
    """Whoever changes files opens them; a list is enough."""


KINDS: Mapping[TurnKind, KindRow] = MappingProxyType({
    TurnKind.WRITE: KindRow(
        actor=Actor.LONE, judges=False, formed=False, own_documents=False, has_subject=False,
        excerpts=False, feedback=False, settles=False, preloads=True, remembers=False,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.PART: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=False, settles=False, preloads=False, remembers=False,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.REVISE: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=False, settles=True, preloads=True, remembers=True,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.REDO: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=True, settles=False, preloads=False, remembers=False,
        catches_up=True, enters=False, lists_files=False,
    ),
    TurnKind.ANSWER: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=True, settles=False, preloads=False, remembers=False,
        catches_up=True, enters=False, lists_files=False,
    ),
    TurnKind.REVIEW: KindRow(
        actor=Actor.REVIEWER, judges=True, formed=True, own_documents=True, has_subject=True,
        excerpts=False, feedback=False, settles=False, preloads=True, remembers=True,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.VALIDATE: KindRow(
        actor=Actor.REVIEWER, judges=True, formed=True, own_documents=True, has_subject=True,
        excerpts=False, feedback=False, settles=False, preloads=False, remembers=True,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.TASK: KindRow(
        actor=Actor.LONE, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=True, feedback=True, settles=False, preloads=True, remembers=False,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.FIX: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=False, settles=True, preloads=True, remembers=True,
        catches_up=False, enters=False, lists_files=True,
    ),
    TurnKind.CHECKS: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=True, settles=False, preloads=True, remembers=False,
        catches_up=False, enters=False, lists_files=False,
    ),
    TurnKind.STAGE: KindRow(
        actor=Actor.LONE, judges=False, formed=False, own_documents=False, has_subject=False,
        excerpts=True, feedback=True, settles=True, preloads=False, remembers=False,
        catches_up=True, enters=True, lists_files=False,
    ),
    TurnKind.JUDGE: KindRow(
        actor=Actor.LONE, judges=True, formed=True, own_documents=False, has_subject=True,
        excerpts=True, feedback=True, settles=False, preloads=False, remembers=False,
        catches_up=True, enters=True, lists_files=False,
    ),
    TurnKind.ASSIST: KindRow(
        actor=Actor.LONE, judges=False, formed=True, own_documents=True, has_subject=False,
        excerpts=True, feedback=True, settles=False, preloads=False, remembers=False,
        catches_up=False, enters=False, lists_files=True,
    ),
})  # fmt: skip
