"""The ledger: one row per attempt at a dispatch, written before the prompt is sent.

A row is open while its turn runs and reserves the most the turn may cost. Its end makes it known; a
turn whose end was not seen is unknown and counts with its whole reservation: unknown is never zero.
The calls of a turn are kept as JSON, since they are read with their row only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import astuple
from functools import lru_cache
from typing import NamedTuple

from sparing.connection import Connection, Row
from sparing.errors import StateError
from sparing.money import Amount, Billing
from sparing.records import totals
from sparing.records.attempt import Attempt, AttemptResult, AttemptState, LedgerRow
from sparing.records.totals import Tally
from sparing.sent import NaivePrompt, SentRecord
from sparing.tool import OpenedLines
from sparing.usage import Origin, Usage

_BEGIN = (
    "dispatch", "attempt", "feature", "leg", "stage", "role", "iteration", "task", "template",
    "way", "reason", "backend", "model", "billing", "session", "prompt", "prompt_chars", "naive",
    "started", "day", "held_tokens", "held_nano_usd", "trunk", "sent",
)  # fmt: skip


def begin(tx: Connection, attempt: Attempt, held: Amount, begun: int | None = None) -> int:
    """A plain insert: every try counts, and no recovery takes one back. `begun` is how often the
    dispatch was begun, if the caller has asked."""
    a, before = attempt, last_number(tx, attempt.dispatch) if begun is None else begun
    if before:
        close(tx, attempt.dispatch)
    number = 1 + before
    values = (
        a.dispatch, number, a.feature, a.leg, a.stage, a.role, a.iteration, a.task, a.template,
        a.way, a.reason, a.backend, a.model, a.billing.value, "", a.prompt, a.prompt_chars,
        json.dumps(a.naive.dump()), a.started, a.day, held.tokens, held.nano_usd or 0, a.trunk,
        a.sent.text,
    )  # fmt: skip
    marks = ", ".join("?" * len(values))
    tx.execute(f"insert into ledger ({', '.join(_BEGIN)}) values ({marks})", values)  # noqa: S608
    change = Tally(
        turns=1, subscription=int(a.billing is Billing.SUBSCRIPTION),
        charged_tokens=held.tokens, charged_nano_usd=held.nano_usd or 0,
    )  # fmt: skip
    named = {one: values[_BEGIN.index(one)] for one in totals.SCOPES}
    totals.add(tx, {one: str(value) for one, value in named.items()}, change)
    return number


def last_number(connection: Connection, dispatch: str) -> int:
    """How often a dispatch was begun."""
    found = connection.execute("select count(*) from ledger where dispatch = ?", (dispatch,))
    return int(found.fetchone()[0])


def finish(tx: Connection, dispatch: str, number: int, result: AttemptResult) -> None:
    """Replace an attempt's reservation with its actual bill. A second call changes nothing."""
    known = result.usage is not None
    usage = result.usage or Usage()
    buckets = (usage.uncached, usage.read, usage.write_5m, usage.write_1h, usage.output)
    changed = tx.execute(
        "update ledger set outcome = ?, session = ?, uncached = ?, read = ?, write_5m = ?,"
        " write_1h = ?, output = ?, origin = ?, nano_usd = ?, calls = ?, context_tokens = ?,"
        " seconds = ?, files_read = ?, reply = ?, failure = ?, detail = ?, opened = ?"
        " where dispatch = ? and attempt = ? and seconds is null"
        " returning rowid as place, *",
        (
            AttemptState.KNOWN if known else AttemptState.UNKNOWN,
            result.session,
            *(buckets if known else [None] * len(buckets)),
            result.origin if known else None,
            result.nano_usd if known else None,
            json.dumps(result.calls),
            *(result.context_tokens, result.seconds),
            json.dumps(result.files_read),
            *(result.reply, result.failure, result.detail),
            json.dumps([astuple(one) for one in result.opened]),
            *(dispatch, number),
        ),
    )
    file, rows = getattr(tx, "identity", None), changed.fetchall()
    if not rows and last_number(tx, dispatch) < number:
        what = f"the database has lost the reservation of a turn: {dispatch}, attempt {number}"
        raise StateError(what, "restore the database's latest backup; the turn was paid for")
    for row in rows:
        _read_rows[(file, row["place"], *(row[one] for one in _TOLD_BY[1:]))] = _row(row)
        totals.add(tx, row, _settled(row, result) if known else Tally(seconds=result.seconds))


def _settled(row: Row, result: AttemptResult) -> Tally:
    assert result.usage is not None
    usage, cost = result.usage, result.nano_usd
    origin = result.origin
    return Tally(
        measured=int(origin is Origin.MEASURED),
        simulated=int(origin is Origin.SIMULATED),
        estimated=int(origin is Origin.ESTIMATED),
        unpriced=int(cost is None),
        uncached=usage.uncached,
        read=usage.read,
        write_5m=usage.write_5m,
        write_1h=usage.write_1h,
        output=usage.output,
        nano_usd=cost or 0,
        seconds=result.seconds,
        charged_tokens=usage.total - row["held_tokens"],
        charged_nano_usd=_charged(row, cost) - row["held_nano_usd"],
    )


def close(tx: Connection, dispatch: str = "") -> None:
    """Mark turns that are no longer run as unknown; they keep counting with their reservation."""
    tx.execute(
        "update ledger set outcome = 'unknown' where outcome = 'open' and (? = '' or dispatch = ?)",
        (dispatch, dispatch),
    )


Cost = Callable[[str, Usage, int], int | None]
"""Model, usage and size of the largest prompt, into money."""


def price(tx: Connection, cost: Cost) -> None:
    """Give known turns without a price the one that is known by now."""
    rows = tx.execute("select * from ledger where outcome = 'known' and nano_usd is null")
    for row in rows.fetchall():
        usage = Usage(row["uncached"], row["read"], row["write_5m"], row["write_1h"], row["output"])
        found = cost(row["model"], usage, row["context_tokens"])
        if found is None:
            continue
        tx.execute(
            "update ledger set nano_usd = ? where dispatch = ? and attempt = ?",
            (found, row["dispatch"], row["attempt"]),
        )
        change = Tally(unpriced=-1, nano_usd=found, charged_nano_usd=_charged(row, found))
        totals.add(tx, row, change)


def of_feature(connection: Connection, feature: str) -> list[LedgerRow]:
    """In the order in which they began: by the order of the rows, never by a clock."""
    rows = connection.execute("select * from ledger where feature = ? order by rowid", (feature,))
    return [_row(row) for row in rows]


def charge_of(connection: Connection, dispatch: str, number: int) -> Amount | None:
    """What a try counts against caps; None for one that never began."""
    if last_number(connection, dispatch) < number:
        return None
    row = _get(connection, dispatch, number)
    if row["outcome"] != AttemptState.KNOWN:
        return Amount(row["held_tokens"], row["held_nano_usd"])
    used = (row[one] for one in ("uncached", "read", "write_5m", "write_1h", "output"))
    return Amount(Usage(*used).total, _charged(row, row["nano_usd"]))


def of_dispatch(connection: Connection, dispatch: str) -> list[LedgerRow]:
    """All tries of one dispatch."""
    every = "select * from ledger where dispatch = ? order by attempt"
    return [_row(row) for row in connection.execute(every, (dispatch,))]


def of_trunks(
    connection: Connection, trunks: Sequence[str], since: float, limit: int
) -> list[list[LedgerRow]]:
    """For each cached prefix, the latest turns that share it, oldest first, also open ones."""
    last = (
        "select * from (select rowid as place, ledger.* from ledger"
        " where trunk = ? and started >= ? order by rowid desc limit ?) as latest"
    )
    asked = tuple(dict.fromkeys(trunks))
    values = tuple(value for trunk in asked for value in (trunk, since, limit))
    rows = connection.execute(" union all ".join([last] * len(asked)), values).fetchall()
    rows.sort(key=lambda row: row["place"])
    return [[_row(row) for row in rows if row["trunk"] == trunk] for trunk in trunks]


def of_backend(connection: Connection, backend: str, limit: int) -> list[LedgerRow]:
    """The latest successful turns of a backend, at most `MOST_GOOD`, oldest first."""
    return _good(connection, backend)[0][-limit:]


class LastEnd(NamedTuple):
    """How a turn ended, and when."""

    dispatch: str
    number: int
    failure: str
    ended: float
    detail: str


def last_ends(connection: Connection, backend: str, limit: int) -> list[LastEnd]:
    """How a backend's latest turns ended, successful or not, latest first."""
    rows = connection.execute(
        "select dispatch, attempt, failure, started + seconds, detail from ledger"
        " where backend = ? and outcome = 'known' order by rowid desc limit ?",
        (backend, limit),
    )
    return [LastEnd(*row) for row in rows]


def last_start(connection: Connection, feature: str) -> float:
    """When the feature's latest turn began, by the clock that its turns go by."""
    query = "select coalesce(max(started), 0) from ledger where feature = ?"
    return float(connection.execute(query, (feature,)).fetchone()[0])


def resumed(connection: Connection, backend: str, limit: int) -> list[LedgerRow]:
    """The latest successful turns that resumed a session, at most `MOST_RESUMED`."""
    return _good(connection, backend)[1][-limit:]


def _good(connection: Connection, backend: str) -> tuple[list[LedgerRow], list[LedgerRow]]:
    """Successful turns, and those that resumed, with one statement for all who ask within a plan.
    Only their price can still change, so each row is parsed in full only once."""
    values = (backend, MOST_GOOD, backend, MOST_RESUMED)
    rows = sorted(connection.execute(_BRIEF, values).fetchall(), key=lambda row: row["rowid"])
    file = getattr(connection, "identity", None)
    keys = {row["rowid"]: (file, *row[1:]) for row in rows}
    known = {n: _read_rows[key] for n, key in keys.items() if key in _read_rows}
    if new := tuple(keys.keys() - known.keys()):
        marks = ", ".join("?" * len(new))
        whole = f"select rowid as place, ledger.* from ledger where rowid in ({marks})"  # noqa: S608
        known |= {row["place"]: _row(row) for row in connection.execute(whole, new)}
    _read_rows.update({keys[n]: row for n, row in known.items()})
    while len(_read_rows) > MOST_READ:
        _read_rows.pop(next(iter(_read_rows)), None)
    good = [known[row["rowid"]] for row in rows if not row["again"]]
    return good, [known[row["rowid"]] for row in rows if row["again"]]


def of_session(connection: Connection, feature: str, session: str) -> list[LedgerRow]:
    """All turns of one session."""
    every = "select * from ledger where feature = ? and session = ? order by rowid"
    return [_row(row) for row in connection.execute(every, (feature, session))]


def _get(connection: Connection, dispatch: str, number: int) -> Row:
    return connection.execute(
        "select * from ledger where dispatch = ? and attempt = ?", (dispatch, number)
    ).fetchone()


def _charged(row: Row, cost: int | None) -> int:
    return 0 if row["billing"] == Billing.SUBSCRIPTION else cost or 0


_TOLD_BY = (
    "rowid", "dispatch", "attempt", "started", "seconds", "nano_usd", "prompt", "reply", "session",
)  # fmt: skip
_read_rows: dict[tuple[object, ...], LedgerRow] = {}
MOST_READ = 2048
MOST_GOOD, MOST_RESUMED = 400, 20
_LATEST = (
    f"select * from (select {{}} as again, {', '.join(_TOLD_BY)} from ledger"  # noqa: S608
    " where {} and outcome = 'known' and failure = '' order by rowid desc limit ?) as latest"
)
_BRIEF = " union all ".join(
    (_LATEST.format(0, "backend = ?"), _LATEST.format(1, "way = 'resume' and backend = ?"))
)
_PLAIN = (
    "dispatch", "feature", "leg", "stage", "role", "iteration", "task", "template", "way", "reason",
    "backend", "model", "prompt", "prompt_chars", "started", "trunk",
)  # fmt: skip


@lru_cache(256)
def _row(row: Row) -> LedgerRow:
    plain = {one: row[one] for one in _PLAIN}
    attempt = Attempt(
        **plain, billing=Billing(row["billing"]), naive=NaivePrompt.load(json.loads(row["naive"])),
        sent=SentRecord.of_text(row["sent"]),
    )  # fmt: skip
    held = Amount(row["held_tokens"], row["held_nano_usd"])
    return LedgerRow(attempt, row["attempt"], AttemptState(row["outcome"]), held, _result(row))


def _result(row: Row) -> AttemptResult | None:
    if row["seconds"] is None:
        return None
    used = (row[one] for one in ("uncached", "read", "write_5m", "write_1h", "output"))
    usage = None if row["origin"] is None else Usage(*used)
    return AttemptResult(
        session=row["session"], usage=usage, origin=Origin(row["origin"]) if usage else None,
        nano_usd=row["nano_usd"], calls=json.loads(row["calls"]), seconds=row["seconds"],
        context_tokens=row["context_tokens"], files_read=json.loads(row["files_read"]),
        reply=row["reply"], failure=row["failure"], detail=row["detail"],
        opened=tuple(OpenedLines(*one) for one in json.loads(row["opened"])),
    )  # fmt: skip
