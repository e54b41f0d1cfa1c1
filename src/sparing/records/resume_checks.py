"""Results of checking whether a client can resume sessions: one row per backend and version.

A check that no feature caused is entered in the ledger when one first relies on it: `booked` is the
dispatch it was entered under, so that it is counted once. A file beside the state folders shares it
with other repositories of this machine, which neither check again nor enter it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from sparing.codec import dump, load
from sparing.connection import Connection
from sparing.records.folder import StateFolder
from sparing.usage import Origin, Usage

COLUMNS = (
    "backend, version, at, model, reason, share, items, uncached, read, write_5m, write_1h, output,"
    " origin, seconds, chars, booked"
)


_NEW = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", ")[2:])
ELSEWHERE = "another repository"
HOUR_ITEM = "V6"
"""Whether five-minute requests read one-hour cache entries; older checks have not asked it."""


@dataclass(frozen=True, slots=True)
class CheckRow:
    backend: str
    version: str
    at: float
    model: str
    reason: str
    """Why sessions are not resumed; empty if they are."""
    share: float | None
    """Of a transcript, what a resumed call read from cache."""
    items: tuple[tuple[str, bool, str], ...]
    """Each check item, whether it passed, and an explanation."""
    usage: Usage
    origin: Origin
    seconds: float
    chars: int
    booked: str = ""


def hour_problem(row: CheckRow | None) -> str:
    """Why nothing is sent ahead for an hour with this client; empty if it has shown that it
    can be read."""
    found = [item for item in row.items if item[0] == HOUR_ITEM] if row else []
    if not found:
        return "not checked yet: sparing doctor --resume"
    _, good, words = found[-1]
    return "" if good else f"{HOUR_ITEM}: {words}"


def get(connection: Connection, backend: str, version: str) -> CheckRow | None:
    row = connection.execute(
        f"select {COLUMNS} from resume_checks where backend = ? and version = ?",  # noqa: S608
        (backend, version),
    ).fetchone()
    if row is None:
        return None
    backend, version, at, model, reason, share, items = row[:7]
    return CheckRow(
        backend=backend,
        version=version,
        at=at,
        model=model,
        reason=reason,
        share=share,
        items=tuple((str(name), bool(good), str(words)) for name, good, words in json.loads(items)),
        usage=Usage(*row[7:12]),
        origin=Origin(row[12]),
        seconds=row[13],
        chars=row[14],
        booked=row[15],
    )


def adopt(tx: Connection, folder: StateFolder, backend: str, version: str) -> CheckRow | None:
    """Store the result found by another repository of this machine; None if there is none."""
    found = _shared(folder, backend, version)
    if found is None:
        return None
    kept = replace(found, booked=ELSEWHERE)
    put(tx, kept)
    return kept


def share(folder: StateFolder, row: CheckRow) -> None:
    """Share the result with all repositories of this machine."""
    folder.write_shared(_file(folder, row.backend, row.version), dump(row))


def _shared(folder: StateFolder, backend: str, version: str) -> CheckRow | None:
    """The shared result; None if there is none, or if the file is incomplete or not ours."""
    try:
        found = load(CheckRow, json.loads(_file(folder, backend, version).read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return found if (found.backend, found.version) == (backend, version) else None


def _file(folder: StateFolder, backend: str, version: str) -> Path:
    name = hashlib.sha256(f"{backend} {version}".encode()).hexdigest()[:16]
    return folder.resume_checks / f"{name}.json"


def put(tx: Connection, row: CheckRow) -> None:
    """Store a check; it replaces an older one."""
    tx.execute(
        f"insert into resume_checks ({COLUMNS}) values ({', '.join('?' * 16)})"  # noqa: S608
        f" on conflict (backend, version) do update set {_NEW}",
        (
            *(row.backend, row.version, row.at, row.model, row.reason, row.share),
            json.dumps(row.items),
            *astuple(row.usage),
            *(row.origin.value, row.seconds, row.chars, row.booked),
        ),
    )


def book(tx: Connection, row: CheckRow, dispatch: str) -> None:
    tx.execute(
        "update resume_checks set booked = ? where backend = ? and version = ?",
        (dispatch, row.backend, row.version),
    )


def set_aside(tx: Connection, folder: StateFolder, feature: str) -> None:
    """Move the checks that this feature paid for to the shared file: the next one that is needed
    is adopted from there, as if another repository had made it."""
    for backend, version, booked in tx.execute(
        "select backend, version, booked from resume_checks"
    ).fetchall():
        found = get(tx, backend, version)
        if found is not None and booked.startswith(f"{feature}."):
            share(folder, found)
            tx.execute(
                "delete from resume_checks where backend = ? and version = ?", (backend, version)
            )
