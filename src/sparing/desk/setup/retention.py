"""Texts of features that ended long ago: prompts, replies and outputs, no longer needed.

What a feature cost, what was decided and found stays: only texts in the state folder are removed,
and none that a row or a text of another feature refers to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sparing.connection import Connection
from sparing.desk.office import Office, every_row
from sparing.feature import FeatureStatus
from sparing.records.features import FeatureRow
from sparing.records.transfer import feature_columns, loose_rows, rows_of

A_DAY = 86_400
OVER = (FeatureStatus.COMPLETED, FeatureStatus.ABANDONED)
_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


class RemovedTexts(NamedTuple):
    files: int
    bytes: int


def remove_old_texts(office: Office, now: float) -> dict[str, RemovedTexts]:
    """Removed texts by feature, according to `records.keep_days`; empty if none is old enough."""
    days = office.loaded.settings.records.keep_days
    if not days or office.folder.server is not None:
        return {}
    rows = every_row(office)
    with office.database.read() as connection:
        old = [one for one in rows if _ended(connection, one, now - days * A_DAY)]
        if not old:
            return {}
        named = {row.feature.id: set(_digests(_rows(connection, row))) for row in old}
        others = [row for row in rows if row not in old]
        kept = [value for row in others for value in _rows(connection, row)]
        needed = set(_digests((*kept, *loose_rows(connection))))
    needed |= _within(office, needed)
    found = ((feature, _removed(office, some - needed)) for feature, some in named.items())
    return {feature: removed for feature, removed in found if removed.files}


def _ended(connection: Connection, row: FeatureRow, before: float) -> bool:
    if row.status not in OVER:
        return False
    last = "select max(at) from events where feature = ?"
    (at,) = connection.execute(last, (row.feature.key,)).fetchone()
    return (at or row.feature.created) < before


def _rows(connection: Connection, row: FeatureRow) -> Iterator[object]:
    key = row.feature.key
    yield feature_columns(connection, key)
    yield from rows_of(connection, key).values()


def _digests(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        yield from _DIGEST.findall(str(value))


def _within(office: Office, digests: set[str]) -> set[str]:
    """These texts and all that they refer to, directly or indirectly."""
    known, waiting = set(digests), list(digests)
    while waiting:
        path = office.folder.blob(waiting.pop())
        text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        new = set(_DIGEST.findall(text)) - known
        known |= new
        waiting += new
    return known


def _removed(office: Office, digests: set[str]) -> RemovedTexts:
    files = [path for one in sorted(digests) if (path := office.folder.blob(one)).is_file()]
    size = sum(path.stat().st_size for path in files)
    for path in files:
        path.unlink(missing_ok=True)
    return RemovedTexts(len(files), size)
