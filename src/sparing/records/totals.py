"""Running totals of the ledger, updated in the transaction that changes a row.

A hundred thousand rows take too long to add up while a person waits, and a cap must be compared
with what is spent at this very moment. What counts against caps is `charged`: the reservation of a
turn as long as its bill is not known, the bill afterwards.

The check of a client is made by whichever feature comes first, for all that follow. It counts
against that feature's caps, and is listed under `doctor` in totals of features and stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace

from sparing.connection import Connection, Row
from sparing.usage import Usage

FEATURE_STAGE = "feature stage"
RESUME_CHECK = "resume-check"
"""The role under which a client is checked."""
DOCTOR = "doctor"
SCOPES = ("feature", "stage", "role", "model", "way", "day")
"""What totals can be grouped by."""
OWNED = ("feature", "stage", FEATURE_STAGE)
"""Scopes that show a feature's own bill."""
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over some rows; negative figures are possible when it describes a change."""

    turns: int = 0
    measured: int = 0
    simulated: int = 0
    estimated: int = 0
    unpriced: int = 0
    """Turns whose tokens are known and whose price is not."""
    subscription: int = 0
    uncached: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    output: int = 0
    nano_usd: int = 0
    seconds: float = 0.0
    charged_tokens: int = 0
    charged_nano_usd: int = 0

    @property
    def usage(self) -> Usage:
        return Usage(self.uncached, self.read, self.write_5m, self.write_1h, self.output)

    @property
    def unknown(self) -> int:
        """Turns whose end was not seen, or not yet."""
        return self.turns - self.measured - self.simulated - self.estimated


NAMES = tuple(field.name for field in fields(Tally))
_COLUMNS = ", ".join(NAMES)
_VALUES = f"({', '.join('?' * (len(NAMES) + 2))})"


def _upsert(rows: int) -> str:
    return (
        f"insert into totals (scope, name, {_COLUMNS})"  # noqa: S608
        f" values {', '.join([_VALUES] * rows)} on conflict (scope, name) do update set "
        + ", ".join(f"{name} = totals.{name} + excluded.{name}" for name in NAMES)
    )


_ONE, _ALL = _upsert(1), _upsert(len(SCOPES) + 1)


def add(tx: Connection, row: Row | Mapping[str, str], change: Tally) -> None:
    """Add to all totals that a row of the ledger belongs to, with one statement."""
    keys = [(scope, row[scope]) for scope in SCOPES]
    keys.append((FEATURE_STAGE, stage_key(row["feature"], row["stage"])))
    if row["role"] == RESUME_CHECK:
        changes = _for_doctor(keys, change)
        tx.executemany(_ONE, [(*key, *astuple(one)) for key, one in changes])
    else:
        figures = astuple(change)
        tx.execute(_ALL, tuple(value for key in keys for value in (*key, *figures)))


def _for_doctor(keys: Sequence[Key], change: Tally) -> Iterator[tuple[Key, Tally]]:
    """The check of a client: counted against the feature's caps, but not in its bill."""
    charged = Tally(charged_tokens=change.charged_tokens, charged_nano_usd=change.charged_nano_usd)
    bill = replace(change, charged_tokens=0, charged_nano_usd=0)
    for scope, name in keys:
        if scope not in OWNED:
            yield (scope, name), change
            continue
        yield (scope, name), charged
        if scope != FEATURE_STAGE:
            yield (scope, DOCTOR), bill


def stage_key(feature: str, stage: str) -> str:
    return f"{feature} {stage}"


def get(connection: Connection, scope: str, name: str) -> Tally:
    row = connection.execute(
        f"select {_COLUMNS} from totals where scope = ? and name = ?",  # noqa: S608
        (scope, name),
    ).fetchone()
    return Tally(*row) if row else Tally()


def of_keys(connection: Connection, keys: Sequence[Key]) -> list[Tally]:
    """Several at once, in that order."""
    which = " or ".join(["(scope = ? and name = ?)"] * len(keys))
    rows = connection.execute(
        f"select scope, name, {_COLUMNS} from totals where {which}",  # noqa: S608
        tuple(value for key in keys for value in key),
    )
    found = {(row[0], row[1]): Tally(*row[2:]) for row in rows.fetchall()}
    return [found.get(key, Tally()) for key in keys]


def every(connection: Connection, scope: str) -> dict[str, Tally]:
    rows = connection.execute(
        f"select name, {_COLUMNS} from totals where scope = ? and turns != 0 order by name",  # noqa: S608
        (scope,),
    )
    return {row[0]: Tally(*row[1:]) for row in rows}


def of_feature(connection: Connection, feature: str, scope: str) -> dict[str, Tally]:
    """One feature's rows, added up by one of the scopes, in the order of the first turn.

    Checks of a client are listed separately.
    """
    if scope not in SCOPES:
        raise ValueError(f"there are no totals by {scope}")
    name = f"case role when '{RESUME_CHECK}' then '{DOCTOR}' else {scope} end"
    name = name if scope in OWNED else scope
    figures = ", ".join(("count(*)", *map(_count, _COUNTED), *map(_sum, _SUMMED)))
    rows = connection.execute(
        f"select {name} as name, {figures}, 0, 0 from ledger where feature = ?"  # noqa: S608
        " group by 1 order by min(rowid)",
        (feature,),
    )
    return {row[0]: _tally(row[1:]) for row in rows}


_COUNTED = (
    "origin = 'measured'", "origin = 'simulated'", "origin = 'estimated'",
    "outcome = 'known' and nano_usd is null", "billing = 'subscription'",
)  # fmt: skip
_SUMMED = (
    "uncached", "read", "write_5m", "write_1h", "output", "nano_usd", "seconds",
)  # fmt: skip


def _sum(column: str) -> str:
    return f"coalesce(sum({column}), 0)"


def _count(condition: str) -> str:
    return f"coalesce(sum(case when {condition} then 1 else 0 end), 0)"


def _tally(values: tuple[float, ...]) -> Tally:
    """A sum may come as a decimal or a float; counts are whole."""
    named = dict(zip(NAMES, values, strict=True))
    whole = {name: int(value) for name, value in named.items() if name != "seconds"}
    return Tally(**whole, seconds=float(named["seconds"]))
