"""What a stage learns of earlier stages: everything through a handoff, or what its session missed.

A session that goes on knows what it made. It does not know what a judge wrote or a person changed
since, and gets that. A fresh one gets the handoff, and no document that it quotes in full.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.briefing.program_handoff import pipeline_of
from sparing.context.documents.rich_handoff import handoff_notes, rich_handoff
from sparing.context.prompt.brief import Brief, Document
from sparing.flow.flows import FLOWS
from sparing.runtime.source import Source
from sparing.turn_kind import KINDS


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
    """Only of the program's own handoff: what an agent was asked to say is not left out."""
    pipeline = pipeline_of(source)
    if source.around.folder.keep(rich_handoff(pipeline).text) != source.job.going.handoff:
        return None
    whole = {one.name for one in brief.full or brief.documents}
    stages = FLOWS[source.row.feature.flow].stages
    return handoff_notes(pipeline, [one.name for one in stages if one.writes in whole])


def _stands_in(document: Document, handoff: str) -> bool:
    text = (document.text or "").strip()
    return bool(text) and text in handoff
