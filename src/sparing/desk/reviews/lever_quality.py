"""Reviews with our tools and the fact sheet compared with reviews without, repository-wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparing.desk.money.feature_records import Basis
from sparing.desk.office import Office
from sparing.economy.levers import SHEET_PAYS, SheetEffect
from sparing.economy.review_quality import FirstLook, LookFigures, pairs
from sparing.percent import percent
from sparing.report.lever_quality import LeverQuality, LookSide, QualityRow
from sparing.runtime.lever_record import effect_of_sheet, looks_by_sheet, looks_by_tools

TOOLS, SHEET = "Sparing's own tools", "fact sheet"


def lever_quality(office: Office, bases: Sequence[Basis]) -> LeverQuality:
    """For the backend used last; a single feature has too few reviews to compare."""
    asked = [row.attempt.backend for basis in bases for row in basis.ledger]
    if not asked:
        return LeverQuality()
    with office.database.read() as connection:
        tools = looks_by_tools(connection, asked[-1])
        sheet = looks_by_sheet(connection, asked[-1])
        effect = effect_of_sheet(connection, asked[-1])
    rows = (*_rows(TOOLS, tools), *_rows(SHEET, sheet))
    return LeverQuality(tuple(rows), _sheet_words(effect))


def _rows(lever: str, looks: Sequence[FirstLook]) -> Iterator[QualityRow]:
    for one in pairs(looks):
        yield QualityRow(lever, one.model, _side(one.aided), _side(one.bare), one.fell)


def _side(found: LookFigures) -> LookSide:
    return LookSide(found.looks, found.findings, found.quotes, found.verified)


def _sheet_words(effect: SheetEffect) -> str:
    if not effect.shown:
        return ""
    turns = (
        f"{effect.shown} turns were shown the fact sheet, {effect.kept} were not but had one made"
    )
    if effect.less is None:
        return f"{turns}: too few yet to say whether quoted files are opened less often"
    less = f"{percent(abs(effect.less))} {'less' if effect.less >= 0 else 'more'} often"
    verdict = (
        "it is in use" if effect.less >= SHEET_PAYS else f"it is off, {percent(SHEET_PAYS)} pay"
    )
    return f"{turns}: quoted files were opened {less} with it (measured); {verdict}"
