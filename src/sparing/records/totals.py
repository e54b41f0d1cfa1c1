"""Running totals of the ledger, kept in the transaction that changes a row.

A hundred thousand rows take too long to add up while somebody waits, and a cap must be compared
with what is spent at this very moment. What counts against caps is `charged`: the reservation of
a turn as long as its bill is not known, the bill afterwards.

The check of a client is asked by whichever feature comes first, for all that follow. It counts
against that feature's caps, and stands under `doctor` in totals of features and stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace

from sparing.connection import Connection, Row
from sparing.usage import Usage

FEATURE_STAGE = "feature stage"
RESUME_CHECK = "resume-check"
"""The role under which a client is checked."""
DOCTOR = "doctor"
SCOPES = ("feature", "stage", "role", "model", "way", "day")
"""What a person may ask totals by."""
OWNED = ("feature", "stage", FEATURE_STAGE)
"""Whose bill is a feature's own."""
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over some rows; as a change of one, its figures may be negative."""

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
        """Turns whose end nobody saw, or not yet."""
        return self.turns - self.measured - self.simulated - self.estimated


NAMES = tuple(field.name for field in fields(Tally))
_COLUMNS = ", ".join(NAMES)
_UPSERT = (
    f"insert into totals (scope, name, {_COLUMNS})"  # noqa: S608
    f" values ({', '.join('?' * (len(NAMES) + 2))}) on conflict (scope, name) do update set "
    + ", ".join(f"{name} = totals.{name} + excluded.{name}" for name in NAMES)
)


def add(tx: Connection, row: Row, change: Tally) -> None:
    """Add to all totals that a row of the ledger belongs to."""
    keys = [(scope, row[scope]) for scope in SCOPES]
    keys.append((FEATURE_STAGE, stage_key(row["feature"], row["stage"])))
    changes = [(key, change) for key in keys]
    if row["role"] == RESUME_CHECK:
        changes = list(_for_doctor(keys, change))
    tx.executemany(_UPSERT, [(*key, *astuple(one)) for key, one in changes])


def _for_doctor(keys: Sequence[Key], change: Tally) -> Iterator[tuple[Key, Tally]]:
    """What was asked for the client: caps of the feature count it, its bill does not."""
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


def every(connection: Connection, scope: str) -> dict[str, Tally]:
    rows = connection.execute(
        f"select name, {_COLUMNS} from totals where scope = ? and turns != 0 order by name",  # noqa: S608
        (scope,),
    )
    return {row[0]: Tally(*row[1:]) for row in rows}


def of_feature(connection: Connection, feature: str, scope: str) -> dict[str, Tally]:
    """One feature's rows, added up by one of the scopes; in the order of the first turn.

    What was asked for the client stands by itself.
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
