"""The table of turns: what an agent can be asked for, one row each, with all that differs.

Everything about a turn is looked up here. There are no defaults: a new turn is a row in which every
column is decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from sparing.turn_kind import Errand, PromptKinds, ReplyForm, TurnKind, always


class Turn(StrEnum):
    """What an agent is asked to do; also its name in the ledger."""

    NONE = ""
    WRITE = "write"
    REVISE = "revise"
    REDO = "redo"
    REVIEW = "review"
    IMPLEMENT = "implement"
    BUILD = "build"
    REPAIR_CHECKS = "repair_checks"
    JUDGE = "judge"
    ANSWER = "answer"
    """Continue with a person's answers."""
    RESEARCH = "research"
    """Do research for an author, and report."""
    PART = "part"
    """Continue with the next part of the document."""
    PROPOSE = "propose"
    SIMPLIFY = "simplify"
    OUTLINE = "outline"
    """List the tests that the documents ask for, without seeing the code."""
    DEEPEN = "deepen"
    """Write missing tests."""
    MEND = "mend"
    """Change the code to pass the deeper tests."""
    RESOLVE = "resolve"
    """Adapt a feature to the base branch that was brought in."""
    REFINE = "refine"
    """Update a document after a change in those it builds on, and leave the rest as it is."""
    RETRO = "retro"
    """Review the feature in retrospect, and judge the entries of the knowledge bank."""
    HAND_OVER = "hand_over"
    """Write down what only this session knows, before another one takes over."""


class StageStep(StrEnum):
    """The step within a stage: a turn, or something the program does itself."""

    OPEN = "open"
    RESEARCH = "research"
    AUTHOR = "author"
    PART = "part"
    REVIEW = "review"
    TASKS = "tasks"
    TASK = "task"
    PROVE = "prove"
    WAVE = "wave"
    JOIN = "join"
    NOTE = "note"
    SKIP = "skip"
    SIMPLIFY = "simplify"
    TRIAL = "trial"
    OUTLINE = "outline"
    DEEPEN = "deepen"
    DEEPENED = "deepened"
    MEND = "mend"
    ACCEPT = "accept"
    CHECK = "check"
    WEIGH = "weigh"
    HAND_OFF = "hand off"
    REPAIR = "repair"
    SURVEY = "survey"
    RETRO = "retro"
    CLOSE = "close"
    REOPEN = "reopen"
    HANDOVER = "handover"
    UNDO = "undo"
    SYNC = "sync"
    RESOLVE = "resolve"
    TRACE = "trace"


class TurnRow(NamedTuple):
    kinds: PromptKinds
    errand: Errand
    code_errand: Errand
    """The errand in a stage whose tasks become code."""
    step: StageStep
    """The stage's step during this turn."""
    form: ReplyForm
    words: str
    """The usual prompt file in `prompts`, by folder and name."""
    phase: str
    """The phase, for a role that works in phases."""
    roles: tuple[str, ...]
    """Roles other than authors and reviewers; the settings say which are used."""
    writes: bool
    """True if the worktree may be changed, by a role that may write at all."""
    sees_code: bool
    by_parts: bool
    """True if it writes one part of a document that a stage has in parts."""
    helps: bool
    """True if it runs between the tasks and the review of the code."""
    dispensable: bool
    """True if a failure is only reported and the turn skipped."""
    may_leave: bool
    """True if it continues earlier work: changing nothing is allowed, and counted in a loop."""
    may_only_ask: bool
    """True if questions alone are an answer, even without a change."""
    tells_changes: bool
    """True if its reply lists what was changed, for the review history."""
    answers_comments: bool
    """True if a person's comments that it leaves unanswered are asked again."""
    trunk_is_shared: bool
    """True if others send its trunk again, so that a longer cache lifetime may pay off."""


TURNS: Mapping[Turn, TurnRow] = MappingProxyType({
    Turn.NONE: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.AUTHOR, form=ReplyForm.TEXT, words="turns/assist", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=False, may_only_ask=False, tells_changes=False, answers_comments=False,
        trunk_is_shared=False,
    ),
    Turn.WRITE: TurnRow(
        kinds=PromptKinds(TurnKind.WRITE, TurnKind.WRITE, TurnKind.STAGE, TurnKind.WRITE),
        errand=Errand.WRITE, code_errand=Errand.WRITE, step=StageStep.AUTHOR, form=ReplyForm.TEXT,
        words="turns/write", phase="", roles=(), writes=True, sees_code=True, by_parts=True,
        helps=False, dispensable=False, may_leave=False, may_only_ask=False, tells_changes=False,
        answers_comments=False, trunk_is_shared=True,
    ),
    Turn.REVISE: TurnRow(
        kinds=PromptKinds(TurnKind.REVISE, TurnKind.FIX, TurnKind.REVISE, TurnKind.REVISE),
        errand=Errand.REVISE, code_errand=Errand.FIX, step=StageStep.AUTHOR, form=ReplyForm.TEXT,
        words="turns/revise", phase="", roles=(), writes=True, sees_code=True, by_parts=False,
        helps=False, dispensable=False, may_leave=True, may_only_ask=True, tells_changes=True,
        answers_comments=False, trunk_is_shared=True,
    ),
    Turn.REDO: TurnRow(
        kinds=always(TurnKind.REDO), errand=Errand.REVISE, code_errand=Errand.FIX,
        step=StageStep.AUTHOR, form=ReplyForm.TEXT, words="turns/redo", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=False, may_only_ask=False, tells_changes=False, answers_comments=True,
        trunk_is_shared=True,
    ),
    Turn.REVIEW: TurnRow(
        kinds=PromptKinds(TurnKind.REVIEW, TurnKind.REVIEW, TurnKind.REVIEW, TurnKind.VALIDATE),
        errand=Errand.REVIEW, code_errand=Errand.REVIEW, step=StageStep.REVIEW,
        form=ReplyForm.VERDICT, words="turns/review", phase="", roles=(), writes=False,
        sees_code=True, by_parts=False, helps=False, dispensable=False, may_leave=False,
        may_only_ask=False, tells_changes=False, answers_comments=False, trunk_is_shared=True,
    ),
    Turn.IMPLEMENT: TurnRow(
        kinds=always(TurnKind.TASK), errand=Errand.IMPLEMENT, code_errand=Errand.IMPLEMENT,
        step=StageStep.TASK, form=ReplyForm.TEXT, words="turns/task", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False, may_leave=True,
        may_only_ask=False, tells_changes=False, answers_comments=False, trunk_is_shared=True,
    ),
    Turn.BUILD: TurnRow(
        kinds=always(TurnKind.STAGE), errand=Errand.IMPLEMENT, code_errand=Errand.IMPLEMENT,
        step=StageStep.AUTHOR, form=ReplyForm.TEXT, words="turns/stage", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=False, may_only_ask=False, tells_changes=False, answers_comments=True,
        trunk_is_shared=True,
    ),
    Turn.REPAIR_CHECKS: TurnRow(
        kinds=always(TurnKind.CHECKS), errand=Errand.FIX, code_errand=Errand.FIX,
        step=StageStep.REPAIR, form=ReplyForm.TEXT, words="turns/checks", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False, may_leave=True,
        may_only_ask=True, tells_changes=True, answers_comments=False, trunk_is_shared=True,
    ),
    Turn.JUDGE: TurnRow(
        kinds=always(TurnKind.JUDGE), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.AUTHOR, form=ReplyForm.VERDICT, words="turns/judge", phase="", roles=(),
        writes=False, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=False, may_only_ask=False, tells_changes=False, answers_comments=False,
        trunk_is_shared=True,
    ),
    Turn.ANSWER: TurnRow(
        kinds=always(TurnKind.ANSWER), errand=Errand.REVISE, code_errand=Errand.FIX,
        step=StageStep.AUTHOR, form=ReplyForm.TEXT, words="turns/stage", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=False, may_only_ask=True, tells_changes=False, answers_comments=False,
        trunk_is_shared=True,
    ),
    Turn.RESEARCH: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.RESEARCH, form=ReplyForm.FINDINGS, words="turns/assist", phase="",
        roles=("codebase-explorer", "researcher"), writes=False, sees_code=False, by_parts=False,
        helps=False, dispensable=True, may_leave=False, may_only_ask=False, tells_changes=False,
        answers_comments=False, trunk_is_shared=False,
    ),
    Turn.PART: TurnRow(
        kinds=always(TurnKind.PART), errand=Errand.WRITE, code_errand=Errand.WRITE,
        step=StageStep.PART, form=ReplyForm.TEXT, words="turns/part", phase="", roles=(),
        writes=True, sees_code=True, by_parts=True, helps=False, dispensable=False, may_leave=True,
        may_only_ask=False, tells_changes=False, answers_comments=False, trunk_is_shared=True,
    ),
    Turn.PROPOSE: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.AUTHOR, form=ReplyForm.PROPOSAL, words="turns/assist", phase="", roles=(),
        writes=False, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=False, may_only_ask=False, tells_changes=False, answers_comments=False,
        trunk_is_shared=True,
    ),
    Turn.SIMPLIFY: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.SIMPLIFY, form=ReplyForm.TEXT, words="turns/assist", phase="",
        roles=("code-simplifier",), writes=True, sees_code=True, by_parts=False, helps=True,
        dispensable=True, may_leave=True, may_only_ask=False, tells_changes=False,
        answers_comments=False, trunk_is_shared=False,
    ),
    Turn.OUTLINE: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.OUTLINE, form=ReplyForm.TEXT, words="turns/assist_phase", phase="A",
        roles=("test-deepener",), writes=False, sees_code=False, by_parts=False, helps=True,
        dispensable=True, may_leave=True, may_only_ask=False, tells_changes=False,
        answers_comments=False, trunk_is_shared=False,
    ),
    Turn.DEEPEN: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.LONE, code_errand=Errand.LONE,
        step=StageStep.DEEPEN, form=ReplyForm.TEXT, words="turns/assist_phase", phase="B",
        roles=("test-deepener",), writes=True, sees_code=True, by_parts=False, helps=True,
        dispensable=True, may_leave=True, may_only_ask=False, tells_changes=False,
        answers_comments=False, trunk_is_shared=False,
    ),
    Turn.MEND: TurnRow(
        kinds=always(TurnKind.CHECKS), errand=Errand.FIX, code_errand=Errand.FIX,
        step=StageStep.MEND, form=ReplyForm.TEXT, words="turns/checks", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=True, dispensable=False, may_leave=True,
        may_only_ask=False, tells_changes=False, answers_comments=False, trunk_is_shared=False,
    ),
    Turn.RESOLVE: TurnRow(
        kinds=always(TurnKind.CHECKS), errand=Errand.FIX, code_errand=Errand.FIX,
        step=StageStep.RESOLVE, form=ReplyForm.TEXT, words="turns/resolve", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False, may_leave=True,
        may_only_ask=False, tells_changes=False, answers_comments=False, trunk_is_shared=False,
    ),
    Turn.REFINE: TurnRow(
        kinds=always(TurnKind.REDO), errand=Errand.REVISE, code_errand=Errand.FIX,
        step=StageStep.AUTHOR, form=ReplyForm.TEXT, words="turns/refine", phase="", roles=(),
        writes=True, sees_code=True, by_parts=False, helps=False, dispensable=False,
        may_leave=True, may_only_ask=True, tells_changes=False, answers_comments=True,
        trunk_is_shared=True,
    ),
    Turn.RETRO: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.RETRO, code_errand=Errand.RETRO,
        step=StageStep.RETRO, form=ReplyForm.RETRO, words="turns/assist", phase="",
        roles=("retro-facilitator",), writes=False, sees_code=True, by_parts=False, helps=False,
        dispensable=True, may_leave=False, may_only_ask=False, tells_changes=False,
        answers_comments=False, trunk_is_shared=False,
    ),
    Turn.HAND_OVER: TurnRow(
        kinds=always(TurnKind.ASSIST), errand=Errand.HAND_OVER, code_errand=Errand.HAND_OVER,
        step=StageStep.HAND_OFF, form=ReplyForm.HANDOFF, words="blocks/rich_handoff", phase="",
        roles=(), writes=True, sees_code=True, by_parts=False, helps=False, dispensable=True,
        may_leave=False, may_only_ask=False, tells_changes=False, answers_comments=False,
        trunk_is_shared=True,
    ),
})  # fmt: skip
