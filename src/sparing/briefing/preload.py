"""Files sent with a turn because its subject names them.

A task, a finding and a red check say which files they are about. A document names files for many
reasons: its author or judge opens few of them, so none are sent for it. Only names that are files
of the current commit count, and only if a call costs more than sending files that are not needed.
Which those are is the economy room's decision; here they are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from sparing.briefing.extras import inner
from sparing.context.prompt.brief import Brief, Material
from sparing.economy.predict import LARGEST_TOKENS, PreloadCandidate, preloaded
from sparing.records import ledger
from sparing.runtime.source import Source
from sparing.segment import CHARS_PER_TOKEN, estimate_tokens
from sparing.turn_kind import KINDS, TurnKind
from sparing.workspace.git.direct.tree import list_files, read_files

MOST_NAMED = 40
_PATH = re.compile(r"(?<![\w/.])(?:\./)?([\w.@+-]+(?:/[\w.@+-]+)*\.\w{1,8}|[\w./-]*Makefile)")


def files_for(source: Source, brief: Brief, seen: Collection[str]) -> tuple[Material, ...]:
    """In the order in which they are named; none that the session has seen."""
    if not KINDS[brief.asked.kind].preloads or (brief.code is not None and brief.code.diff):
        return ()  # code under review is shown already
    named = _named(source, _texts(brief))
    texts = read_files(source.around.repository, source.job.head, named)
    found = [PreloadCandidate(path, estimate_tokens(text)) for path, text in texts.items()]
    return tuple(Material(path, texts[path]) for path in preloaded(found, seen))


def with_files(brief: Brief, files: tuple[Material, ...]) -> Brief:
    """Add files to the brief: to a task's sections, or to the materials of any other turn."""
    given = tuple(one.name for one in files)
    if brief.asked.kind is TurnKind.TASK:
        return replace(brief, sections=(*brief.sections, *files), given=given)
    return replace(brief, materials=(*brief.materials, *files), given=given)


def _texts(brief: Brief) -> Iterable[str]:
    """What the turn is about: its task, its findings, the checks that are red."""
    yield brief.task
    for one in brief.findings:
        yield f"{one.location} {one.text} {one.suggestion}"
    if brief.asked.kind is TurnKind.CHECKS:
        yield from (one.text for one in brief.materials)


def _named(source: Source, texts: Iterable[str]) -> list[str]:
    """Words that are paths of regular files here, small enough to be sent."""
    words = dict.fromkeys(word for text in texts for word in _PATH.findall(text))
    if not words:
        return []
    sizes = list_files(source.around.repository, source.job.head)
    own, most = f"{source.folder}/", LARGEST_TOKENS * CHARS_PER_TOKEN
    # What a dot hides is a tool's own business, and may be nobody else's.
    found = (path for path in words if 0 < sizes.get(path, 0) <= most)
    return [path for path in found if not path.startswith((own, "."))][:MOST_NAMED]


def seen_by(source: Source) -> frozenset[str]:
    """Files that the role's session has opened or was given, and that are unchanged since."""
    session = source.session
    if session is None:
        return frozenset()
    with source.around.database.read() as connection:
        rows = ledger.of_session(connection, source.row.feature.key, session.id)
    given = {path for row in rows for path in row.attempt.sent.given or ()}
    opened = {inner(source, path) for row in rows if row.result for path in row.result.files_read}
    changed = {one.path for one in source.changed(session.commit)}
    return frozenset((given | opened) - changed)
