"""What a stage learns of earlier stages: everything through a handoff, or what its session missed.

A session that goes on knows what it made. It does not know what a judge wrote or a person changed
since, and gets that. A fresh one gets the handoff, and no document that it quotes in full.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.context.prompt.brief import Brief, Document
from sparing.runtime.source import Source
from sparing.turn_kind import KINDS


def going_on(brief: Brief, source: Source) -> Brief:
    handoff = source.fetch(source.job.going.handoff)
    needed = tuple(one for one in brief.documents if not _stands_in(one, handoff))
    told = replace(brief, handoff=handoff, documents=needed)
    session = source.session
    asked = KINDS[brief.asked.kind]
    if session is None or not asked.catches_up or not source.knows(session.commit):
        return told
    papers = [*brief.documents, *([brief.subject] if brief.subject else [])]
    missed = [one for one in papers if not source.untouched(one.name, session.commit)]
    return replace(told, news=tuple(missed), changed=source.changed(session.commit))


def _stands_in(document: Document, handoff: str) -> bool:
    text = (document.text or "").strip()
    return bool(text) and text in handoff
