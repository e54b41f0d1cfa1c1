"""`refine`: change a document and redo only what depends on the change.

The affected stages and the possible cost are shown before anything is written; the engine receives
the plan as the answer to the gate at which the feature waits.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.approval.effects import Papers, StageEffect, document_changes, expected, moved_effects
from sparing.artifact import ArtifactName
from sparing.context.documents.markdown import outline
from sparing.context.links.dependents import (
    ChangeKind,
    DocumentPart,
    PartChange,
    names,
    parts_of,
)
from sparing.desk.approvals.unseen_changes import (
    change_words,
    effect_words,
    papers_of,
    price_of,
)
from sparing.desk.features.skip_and_back import need_rest
from sparing.desk.gates import answers
from sparing.desk.money.forecast import outlook_brief
from sparing.desk.office import Office, settings_of
from sparing.desk.upstream.moved_base import few
from sparing.desk.upstream.sync import refuse_unsaved
from sparing.economy.cost_model import Range
from sparing.errors import FeatureError, UsageError
from sparing.feature import FeatureStatus
from sparing.flow.flows import FEATURE
from sparing.flow.state import Outcome, OutcomeKind
from sparing.records.features import FeatureRow
from sparing.stages.refine import writer_of

TITLE = 1


class RefinePlan(NamedTuple):
    body: str
    """The instruction for the engine; empty if nothing depends on what changed."""
    changes: tuple[PartChange, ...]
    """Sections that changed, or that the person's request names."""
    effects: tuple[StageEffect, ...]
    """The most that may have to be redone."""
    kept: tuple[str, ...]
    """Stages that stay approved."""
    kept_tasks: tuple[str, ...]
    price: Range
    lines: tuple[str, ...]
    """What the person should know before confirming, one line each."""


class _Draft(NamedTuple):
    body: str
    changes: tuple[PartChange, ...]
    effects: tuple[StageEffect, ...]
    first: str
    """Description of what changes."""
    author: str = ""
    """The stage whose author changes its document first; empty if it has been changed."""


def plan_refine(office: Office, row: FeatureRow, words: str, document: str = "") -> RefinePlan:
    """Plan a refinement without writing anything; raise an error where it makes no sense."""
    _refuse(office, row)
    said = answers.plain(words, f'sparing refine {row.feature.id} "say what should be different"')
    name = _document(row, document)
    papers = papers_of(office, row)
    return _rewritten(office, row, papers, name, said) if said else _followed(office, row, papers)


def refine(office: Office, row: FeatureRow, plan: RefinePlan, sender: str, at: float) -> str:
    return answers.answer(office, row, Outcome(OutcomeKind.REFINE, plan.body), sender, at)


def _refuse(office: Office, row: FeatureRow) -> None:
    number = row.feature.id
    if row.status.is_over or row.status is FeatureStatus.PLANNED:
        raise answers.no_gate(row)
    need_rest(row)
    if row.feature.flow != FEATURE.name:
        raise FeatureError(
            f"feature {number} follows the flow {row.feature.flow}, whose stages share one session",
            f"run a stage again: sparing rerun {number} STAGE",
        )
    folder = settings_of(office, row).flow.folder_of(row.feature)
    refuse_unsaved(office, row, f"sparing refine {number}", f"{folder}/")


def _document(row: FeatureRow, name: str) -> ArtifactName:
    known = [one.writes for one in FEATURE.stages if one.writes is not None]
    wanted = name.removesuffix(".md") or ArtifactName.SPEC.value
    if wanted not in known:
        raise UsageError(
            f"there is no document '{name}'", f"documents: {', '.join(one.value for one in known)}"
        )
    return ArtifactName(wanted)


def _rewritten(
    office: Office, row: FeatureRow, papers: Papers, name: ArtifactName, words: str
) -> RefinePlan:
    """Plan for a document that its author has yet to change; its changes aren't known before."""
    number, file = row.feature.id, name.filename
    text = papers.library.text(row.head, name)
    if not text.strip():
        raise FeatureError(f"feature {number} has no {file} yet", f"sparing show {number}")
    if all(one.level == TITLE for one in outline(text).headings):
        raise FeatureError(
            f"{file} of feature {number} has no sections (`## ` headings)",
            f"give it some: sparing edit {number} {name.value}",
        )
    stage = writer_of(FEATURE.name, name)
    named = _named(file, text, words)
    changes = named or tuple(
        PartChange(file, part.name, ChangeKind.CHANGED) for part in parts_of(text)
    )
    effects = tuple(expected(papers, stage, changes))
    author = FEATURE.stage(stage).author
    first = (
        f"{author} changes {few(one.place for one in named)}"
        if named
        else f"{author} changes {file}; its gate will say which sections, and what follows"
    )
    return _plan(
        office, row, papers, _Draft(f"refine {file}: {words}", named, effects, first, stage)
    )


def _named(file: str, text: str, words: str) -> tuple[PartChange, ...]:
    """The sections that the person's request names."""
    said = DocumentPart("", f"{file.removesuffix('.md')} {' '.join(words.split())}")
    return tuple(
        PartChange(file, part.name, ChangeKind.CHANGED)
        for part in parts_of(text)
        if names(said, file, part)
    )


def _followed(office: Office, row: FeatureRow, papers: Papers) -> RefinePlan:
    """Plan for documents already changed, by hand or by merging in a newer base."""
    number, moved = row.feature.id, moved_effects(papers)
    files = [one for effect in moved for one in effect.causes if not one.name]
    own = document_changes(papers)
    changes = (*own, *dict.fromkeys(files))
    if not changes:
        raise FeatureError(
            f"nothing changed in the documents of feature {number} since they were approved",
            f'sparing refine {number} "say what should be different"',
        )
    documents = [*(one.document for one in own), *(one.document for one in moved)]
    file = min(documents, key=[one.writes.filename for one in FEATURE.stages if one.writes].index)
    stage = writer_of(FEATURE.name, ArtifactName(file.removesuffix(".md")))
    effects = tuple(expected(papers, stage, ()))
    first = f"changed since it was approved: {change_words(changes)}"
    body = f"follow {file}" if effects else ""
    return _plan(office, row, papers, _Draft(body, changes, effects, first))


def _plan(office: Office, row: FeatureRow, papers: Papers, draft: _Draft) -> RefinePlan:
    effects, author = draft.effects, draft.author
    asked = {*(one.stage for one in effects), author}
    kept = tuple(one.name for one in papers.stages if one.name not in asked)
    redo = {number for one in effects for number in (*one.tasks.redo, *one.tasks.gone)}
    tasks = tuple(one for one in papers.place.building.done if one not in redo)
    price = price_of(office, row, effects, author)
    most = "at most " if author and not draft.changes else ""
    lines = (
        draft.first,
        *(f"to be redone: {most}{effect_words(one)}" for one in effects),
        "" if effects else "nothing depends on it",
        f"stays approved: {', '.join(kept)}" if kept else "",
        f"tasks that stay done: {', '.join(tasks)}" if tasks else "",
        f"to come: {outlook_brief(price)}" if author or effects else "",
    )
    return RefinePlan(
        body=draft.body, changes=draft.changes, effects=effects, kept=kept, kept_tasks=tasks,
        price=price, lines=tuple(filter(None, lines)),
    )  # fmt: skip
