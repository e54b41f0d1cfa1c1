"""What several turns have in common: the kind of prompt, the errand, the reply's form.

One row per kind says what such a prompt contains. The context can refine a turn's kind: findings in
code are not settled like findings in a document. `turn` says which turn has which.
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
    """An author continues with the next part of its document."""
    REVISE = "revise"
    """An author settles findings in a document."""
    REDO = "redo"
    """An author follows a person's comments."""
    ANSWER = "answer"
    """An author continues with a person's answers."""
    REVIEW = "review"
    VALIDATE = "validate"
    """A reviewer that has passed reviews everything since once more."""
    TASK = "task"
    FIX = "fix"
    """An implementer settles findings in the code."""
    CHECKS = "checks"
    """An author fixes red checks."""
    STAGE = "stage"
    """The continuing agent of a tier does its next stage."""
    JUDGE = "judge"
    ASSIST = "assist"
    """A role with one dispatch of its own: research, simplify, deepen tests, retro."""


class PromptKinds(NamedTuple):
    """The kind of prompt for a turn, by context."""

    usual: TurnKind
    on_code: TurnKind
    """The kind in a stage whose tasks become code."""
    in_tier: TurnKind
    final: TurnKind
    """The kind for a reviewer that has passed."""

    def here(self, *, on_code: bool, in_tier: bool, final: bool) -> TurnKind:
        """The kind of prompt in this context."""
        places = ((final, self.final), (on_code, self.on_code), (in_tier, self.in_tier))
        return next(
            (kind for is_so, kind in places if is_so and kind is not self.usual), self.usual
        )


def always(kind: TurnKind) -> PromptKinds:
    """The same kind in every context."""
    return PromptKinds(kind, kind, kind, kind)


class Actor(StrEnum):
    """An agent's role in the decision matrix; decides which template is first and which follows."""

    REVIEWER = "reviewer"
    FIXER = "fixer"
    """An author that gets findings to settle: the implementer, or the document's author."""
    LONE = "lone"
    """A turn that opens a session: there is none it could continue."""


class Errand(StrEnum):
    """Turns of the same sort of work: what the ledger learns from one applies to the others."""

    WRITE = "write"
    REVISE = "revise"
    REVIEW = "review"
    IMPLEMENT = "implement"
    FIX = "fix"
    LONE = "lone"
    """A single turn with its own purpose: simplify, deepen tests, judge, research."""
    RETRO = "retro"
    HAND_OVER = "hand over"


class ReplyForm(StrEnum):
    """The kind of answer that is parsed from a reply."""

    TEXT = "text"
    """Free text; the work is in the worktree."""
    VERDICT = "verdict"
    FINDINGS = "findings"
    """The results of research."""
    PROPOSAL = "proposal"
    RETRO = "retro"
    HANDOFF = "handoff"


class KindRow(NamedTuple):
    actor: Actor
    judges: bool
    """True if a verdict is asked for."""
    formed: bool
    """True if the answer may have to follow a schema."""
    own_documents: bool
    """True if the documents are those the role's own file names; else those the stage reads."""
    has_subject: bool
    """True if the document that the stage writes exists and is available."""
    excerpts: bool
    """True if it gets parts of documents, or a tier's summaries."""
    feedback: bool
    """True if it brings feedback: from a person, the checks or an earlier phase."""
    settles: bool
    """True if it gets the open findings."""
    preloads: bool
    """True if files that it names are included."""
    remembers: bool
    """True if it is part of a loop, so that the agent has been asked before."""
    catches_up: bool
    """True if others may have changed something before it."""
    enters: bool
    """True if it opens a stage of a tier, and may do so in the previous stage's session."""
    lists_files: bool
    """True if a list of files is enough, as an agent that changes files opens them anyway."""


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
        catches_up=True, enters=False, lists_files=True,
    ),
    TurnKind.ANSWER: KindRow(
        actor=Actor.FIXER, judges=False, formed=False, own_documents=False, has_subject=True,
        excerpts=False, feedback=True, settles=False, preloads=False, remembers=False,
        catches_up=True, enters=False, lists_files=True,
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
        catches_up=False, enters=False, lists_files=True,
    ),
    TurnKind.STAGE: KindRow(
        actor=Actor.LONE, judges=False, formed=False, own_documents=False, has_subject=False,
        excerpts=True, feedback=True, settles=True, preloads=False, remembers=False,
        catches_up=True, enters=True, lists_files=True,
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
