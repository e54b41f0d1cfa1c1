"""What a reviewer is shown of a document that it has approved before: what changed since, and what
depends on a change. The rest stays approved and is not sent again."""

from __future__ import annotations

from dataclasses import replace

from sparing.context.links.dependents import hashes_of, parts_of
from sparing.context.prompt.brief import Document
from sparing.runtime.source import Source

LEFT_OUT = "[{count} more in this document: approved before, and not changed since]\n"


def excerpt(source: Source, document: Document) -> Document:
    """The excerpt; the whole document if nothing was approved before, or all of it has changed."""
    refined = source.job.refined
    if not refined.since or document.text is None or not source.knows(refined.since):
        return document
    old = source.text_at(refined.since, source.path(document.name))
    before = hashes_of(old or "")
    now, parts = hashes_of(document.text), parts_of(document.text)
    wanted = dict(refined.parts).get(document.name.filename, ())
    kept = [one for one in parts if before.get(one.name) != now[one.name] or one.name in wanted]
    if len(kept) == len(parts) or old is None:
        return document
    more = len(parts) - len(kept)
    left = LEFT_OUT.format(count="1 section" if more == 1 else f"{more} sections")
    label = f"{document.name.filename}, what changed and what depends on it"
    return replace(document, text="".join(one.text for one in kept) + left, label=label)
