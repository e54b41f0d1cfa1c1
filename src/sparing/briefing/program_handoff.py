"""The program's own knowledge of the stages so far: its part of a handoff, which costs nothing.

What a stage learns about earlier ones: all through a handoff, or what its session missed.

A session that continues knows what it made, and is told what a judge wrote or a person changed
since. A fresh one gets the handoff, and no document that the handoff quotes in full.

Handoffs between the stages of a tier, read from the stored replies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.briefing.background import LONGEST_DESCRIPTION
from sparing.briefing.handoff_block import block_of
from sparing.change import FileChange
from sparing.context.documents.exploration import explored_tree, imports, key_files
from sparing.context.documents.handoff import Handoff
from sparing.context.documents.rich_handoff import (
    Pipeline,
    StageOutput,
    handoff_notes,
    rich_handoff,
)
from sparing.context.prompt.brief import Brief, Document
from sparing.context.prompt.compose import whole_documents
from sparing.context.prompt.shorten import SUMMARISED, only_output, summarised, took_over
from sparing.conversation import Conversation
from sparing.economy.repo_map import names_of
from sparing.flow.flows import FLOWS, builder_of
from sparing.flow.stage import StageWork
from sparing.records import ledger, verdicts
from sparing.runtime.persons import MOST_FEEDBACK, SAYS, persons_words
from sparing.runtime.source import Source
from sparing.turn import Turn
from sparing.turn_kind import KINDS
from sparing.workspace.git.direct.tree import read_files

MOST_READ = 40
JUDGED = frozenset({StageWork.JUDGE, StageWork.CHECK})
PASSED = re.compile(r"^## Outcome\s+Passed\b", re.MULTILINE)
FOUND = re.compile(r"^## Findings\n.*", re.MULTILINE | re.DOTALL)
SETTLES = frozenset({Turn.WRITE, Turn.BUILD, Turn.HAND_OVER})
"""Turns of a tier's builder that are given the findings with which a judge sent the work back."""


def program_handoff(source: Source) -> str:
    """Hash of what the program alone can say; empty while there is nothing to hand over."""
    pipeline = pipeline_of(source)
    if not pipeline.stages:
        return ""
    return source.around.folder.keep(rich_handoff(pipeline).text)


def pipeline_of(source: Source) -> Pipeline:
    return source.once(("pipeline",), lambda: _pipeline(source))


def _pipeline(source: Source) -> Pipeline:
    feature = source.row.feature
    changed = source.changed(feature.base_commit)
    return Pipeline(
        feature.title,
        feature.flow,
        priority=source.row.background.priority.value,
        description=source.row.background.description[:LONGEST_DESCRIPTION].strip(),
        stages=_outputs(source),
        feedback=tuple(_feedback(source)),
        next_stage=source.job.stage,
        changed_files=tuple(
            f"{one.path} (+{one.added} -{one.removed})" for one in _ranked(changed)
        ),
        seen=_seen(source, [one.path for one in changed]),
    )


def _ranked(changed: Iterable[FileChange]) -> list[FileChange]:
    """Those with the most changed lines first: a handoff that is too long names only some."""
    return sorted(changed, key=lambda one: -(one.added + one.removed))


def _outputs(source: Source) -> tuple[StageOutput, ...]:
    """What each stage made; not again a brainstorm that a design review took over, and what the
    turn itself gives: the document that is to be changed, the findings that are to be settled."""
    told, found = handoffs_of(source), list[StageOutput]()
    for stage in FLOWS[source.row.feature.flow].stages:
        artifact = source.artifact(stage.writes) if stage.writes else None
        if stage.writes is not None and artifact is not None:
            handoff = told.get(stage.writes, Handoff())
            text = only_output(artifact.text)
            outcome = _outcome(text) if stage.work in JUDGED else ""
            path = source.path(stage.writes)
            found.append(StageOutput(stage.name, text, handoff, outcome, path))
    digested = any(
        one.stage == ArtifactName.DESIGN_REVIEW.value and took_over(one.text) for one in found
    )
    short = {ArtifactName.BRAINSTORM.value: "Taken over by the design review."} if digested else {}
    if source.job.turn is Turn.REDO:
        short[source.job.stage] = "The document that is to be changed is given next to this one."
    for one in found:
        if one.stage in _settled_now(source):
            short[one.stage] = FOUND.sub("## Findings\nGiven next to this one.", one.text)
    return tuple(one._replace(text=short.get(one.stage, one.text)) for one in found)


def _settled_now(source: Source) -> set[str]:
    """Stages whose judge sent the work back to this turn."""
    if source.job.turn not in SETTLES:
        return set()
    with source.around.database.read() as connection:
        rows = [verdicts.get(connection, dispatch) for dispatch in source.job.open]
    return {row.stage for row in rows if row is not None}


def _outcome(report: str) -> str:
    """Of a report that the program wrote from a verdict or its own checks."""
    return "passed" if PASSED.search(report) else "not passed"


def _feedback(source: Source) -> Iterable[str]:
    """What persons said when they rejected something or answered a question, after the defaults
    that stand for an answer where nobody was asked; not again what the turn itself gives."""
    now = source.fetch(source.job.feedback).strip() if source.job.turn is Turn.REDO else ""
    assumed = Conversation.load(source.row.place.get("talk", {})).assumed
    told = (one for one in persons_words(source, *SAYS) if one.text.strip() != now)
    return [*assumed[-MOST_FEEDBACK:], *(f"{one.stage}: {one.text}" for one in told)]


def _seen(source: Source, changed: list[str]) -> dict[str, str]:
    """A codebase map of the files that were changed or seen being read."""
    read = [path for path in _files_read(source) if path not in changed][:MOST_READ]
    repository, head = source.around.repository, source.job.head
    texts = read_files(repository, head, [*changed, *read])
    names = {path: names_of(text) for path, text in texts.items()}
    own = {path: texts[path] for path in changed if path in texts}
    found = {
        "tree": explored_tree(texts),
        "key_files": key_files(texts, names),
        "imports": imports(own),
    }
    return {name: text for name, text in found.items() if text}


def _files_read(source: Source) -> list[str]:
    """Files read by the builder, inside the worktree and outside the feature's own folder."""
    feature = source.row.feature
    root = f"{source.around.folder.worktree(feature.name)}/"
    with source.around.database.read() as connection:
        rows = ledger.of_feature(connection, feature.key)
    paths = [
        path.removeprefix(root)
        for row in rows
        if row.result is not None and row.attempt.role == builder_of(feature.flow)
        for path in row.result.files_read
    ]
    inner = [path for path in paths if not path.startswith(("/", f"{source.folder}/"))]
    return list(dict.fromkeys(inner))


def going_on(brief: Brief, source: Source) -> Brief:
    handoff = source.fetch(source.job.going.handoff)
    needed = tuple(one for one in brief.documents if not _stands_in(one, handoff))
    notes = _notes(source, brief) if handoff else None
    told = replace(brief, handoff=handoff, handoff_notes=notes, documents=needed)
    session = source.session
    asked = KINDS[brief.asked.kind]
    if session is None or not asked.catches_up or not source.knows(session.commit):
        return told
    papers = [*brief.documents, *([brief.subject] if brief.subject else [])]
    missed = [one for one in papers if not source.untouched(one.name, session.commit)]
    return replace(told, news=tuple(missed), changed=source.changed(session.commit))


def _notes(source: Source, brief: Brief) -> str | None:
    """What the handoff alone says; None unless it is the program's own, as an agent's stays
    whole."""
    pipeline = pipeline_of(source)
    if source.around.folder.keep(rich_handoff(pipeline).text) != source.job.going.handoff:
        return None
    whole = {one.name for one in whole_documents(brief)}
    stages = FLOWS[source.row.feature.flow].stages
    return handoff_notes(pipeline, [one.name for one in stages if one.writes in whole])


def _stands_in(document: Document, handoff: str) -> bool:
    text = (document.text or "").strip()
    return bool(text) and text in handoff


def summaries(source: Source, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Documents' outputs alone; for roles that open the files themselves, the handoff's summary."""
    told = tuple(
        one if one.text is None else replace(one, text=only_output(one.text)) for one in documents
    )
    wanted = [one.name for one in told if one.name in SUMMARISED.get(source.job.stage, ())]
    return summarised(told, source.job.stage, handoffs_of(source)) if wanted else told


def handoffs_of(source: Source) -> dict[ArtifactName, Handoff]:
    """The last handoff of each stage, by the document the stage made."""
    stages = {stage.name: stage for stage in FLOWS[source.row.feature.flow].stages}
    with source.around.database.read() as connection:
        rows = ledger.of_feature(connection, source.row.feature.key)
    found: dict[ArtifactName, Handoff] = {}
    for row in rows:
        stage = stages.get(row.attempt.stage)
        if row.result is None or row.result.failure or stage is None or stage.writes is None:
            continue
        if row.attempt.role == stage.author and row.attempt.template != Turn.HAND_OVER:
            told = block_of(source, row.result.reply)
            # A turn that only repaired something may end without a block: the last one holds.
            found[stage.writes] = found.get(stage.writes, told) if told.missing else told
    return found
