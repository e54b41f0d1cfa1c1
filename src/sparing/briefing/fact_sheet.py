"""The fact sheet of a feature: who named a place, what was quoted there, who is shown it.

Explorers and authors name places; the program reads the lines out of the current commit, so no path
leads out of the repository and only regular files are read. A place that does not exist is left
out. A stage's part of the sheet is made when its document is first written, and never again; later
changes to quoted lines are mentioned in the prompts that follow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sparing.codec import dump, load
from sparing.connection import Connection
from sparing.context.prompt.brief import Brief, SheetText
from sparing.context.sheet.parts import (
    SheetPart,
    SheetQuote,
    changed_quotes,
    dump_quotes,
    load_quotes,
    part_of,
    room_for,
)
from sparing.context.sheet.quotes import QuotedFact, defining, quoted, with_uses
from sparing.context.sheet.source_locations import NamedFact, facts_block
from sparing.economy.levers import SheetUse
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.records import fact_sheets
from sparing.records.fact_sheets import FactRow, PartRow
from sparing.runtime.events import Teller
from sparing.runtime.levers import sheet_use_of
from sparing.runtime.source import Source
from sparing.segment import Segment
from sparing.turn import Turn
from sparing.turn_kind import TurnKind
from sparing.workspace.git.direct.tree import code_files, list_files, read_files

NAMING = (TurnKind.WRITE, TurnKind.PART)
LARGEST_CHARS = 400_000


def with_sheet(brief: Brief, source: Source) -> Brief:
    """The brief with the parts of the sheet to show, and what its effect is measured by."""
    use = sheet_use_of(source)
    blind = brief.asked.kind is TurnKind.ASSIST and brief.asked.phase  # tests before the code
    if use is SheetUse.OFF or blind:
        return brief
    names = brief.asked.kind in NAMING and source.stage.work is StageWork.DOCUMENT
    behind = {stage.name: stage.writes for stage in FLOWS[source.row.feature.flow].stages}
    known = {one.name for one in (*brief.documents, *([brief.subject] if brief.subject else []))}
    on_code = source.stage.work is StageWork.IMPLEMENT
    parts = [
        (one, name)
        for one in _parts(source)
        if (name := behind.get(one.stage)) and (on_code or name in known) and one.text
    ]
    quotes = [quote for one, _ in parts for quote in load_quotes(one.quotes)]
    covered = tuple(dict.fromkeys(quote.path for quote in quotes))
    if use is SheetUse.KEPT:
        return replace(brief, covered=covered, names_facts=names)
    shown = tuple(SheetText(name, one.stage, one.text) for one, name in parts)
    return replace(
        brief, sheet=shown, stale=_stale(source, quotes), covered=covered, names_facts=names
    )


def sheet_words(brief: Brief, sent: Sequence[Segment]) -> str:
    """For the ledger: whether a prompt shows the sheet that covers files; empty if none does."""
    if not brief.covered:
        return ""
    shown = any(one.name.startswith("sheet-") for one in sent)
    return SheetUse.SHOWN if shown else "" if brief.sheet else SheetUse.KEPT


def _parts(source: Source) -> list[PartRow]:
    key = source.row.feature.key
    with source.around.database.read() as connection:
        return source.once(("sheet",), lambda: fact_sheets.parts_of(connection, key))


def _stale(source: Source, quotes: Sequence[SheetQuote]) -> str:
    paths = list(dict.fromkeys(one.path for one in quotes))
    return changed_quotes(quotes, read_files(source.around.repository, source.job.head, paths))


Keep = Callable[[Connection], None]
"""Writes what was found; may be called again."""


def quoted_sources(source: Source, named: Sequence[NamedFact], teller: Teller) -> Keep:
    """Facts that a researcher named, quoted from the commit it looked at."""
    if sheet_use_of(source) is SheetUse.OFF:
        return _nothing
    rows = _rows(source, _quoted(source, source.job.head, named))
    return lambda tx: fact_sheets.add(tx, source.row.feature.key, teller.id, rows, teller.at)


def author_facts(source: Source, reply: str, commit: str, teller: Teller) -> Keep:
    """Facts that an author named; with a first draft the stage's part of the sheet is made."""
    use, stage = sheet_use_of(source), source.stage
    if use is SheetUse.OFF or stage.work is not StageWork.DOCUMENT:
        return _nothing
    found = _quoted(source, commit, facts_block(source.fetch(reply)))
    rows, key = _rows(source, found), source.row.feature.key

    def keep(tx: Connection) -> None:
        fact_sheets.add(tx, key, teller.id, rows, teller.at)
        if source.job.turn is Turn.WRITE:
            part = _part(tx, source, commit)
            if part.text:
                shown, quotes = use is SheetUse.SHOWN, dump_quotes(part.quotes)
                row = PartRow(stage.name, shown, part.text, quotes, commit)
                fact_sheets.put_part(tx, key, row, teller.at)

    return keep


def _nothing(_tx: Connection) -> None: ...


def _part(tx: Connection, source: Source, commit: str) -> SheetPart:
    key = source.row.feature.key
    named = [load(QuotedFact, json.loads(row.body)) for row in fact_sheets.facts_of(tx, key)]
    before = [one for one in fact_sheets.parts_of(tx, key) if one.stage != source.job.stage]
    shown = {quote for one in before for quote in load_quotes(one.quotes)}
    writing = [one for one in FLOWS[source.row.feature.flow].stages if _writes(one.work)]
    room = room_for(writing.index(source.stage), len(writing), sum(len(one.text) for one in before))
    return part_of(named, shown, commit, room)


def _writes(work: StageWork) -> bool:
    return work is StageWork.DOCUMENT


def _rows(source: Source, facts: Sequence[QuotedFact]) -> list[FactRow]:
    job = source.job
    return [FactRow(job.stage, job.role, json.dumps(dump(one))) for one in facts]


def _quoted(source: Source, commit: str, named: Sequence[NamedFact]) -> list[QuotedFact]:
    """The named places that exist, quoted from the commit."""
    if not named:
        return []
    repository, clean = source.around.repository, source.around.folder.redactor.clean_lines
    sizes = {
        path: size
        for path, size in list_files(repository, commit).items()
        # What a dot hides is a tool's own business; the feature's folder is its documents.
        if 0 < size <= LARGEST_CHARS and not path.startswith((f"{source.folder}/", "."))
    }
    code = read_files(repository, commit, code_files(sizes, LARGEST_CHARS))
    placed = [one for fact in named if (one := _placed(fact, sizes, code)) is not None]
    texts = read_files(repository, commit, list({one.path: None for one in placed}))
    found = (quoted(one, texts[one.path], clean) for one in placed if "\0" not in texts[one.path])
    return list(dict.fromkeys(with_uses(one, code) for one in found if one is not None))


def _placed(fact: NamedFact, sizes: Mapping[str, int], code: Mapping[str, str]) -> NamedFact | None:
    """A word that is no file may be the name of something that one file defines."""
    if fact.path in sizes:
        return fact
    symbol = fact.symbol or fact.path
    path = "" if "/" in fact.path or fact.first else defining(symbol, code)
    return fact._replace(path=path, symbol=symbol) if path else None
