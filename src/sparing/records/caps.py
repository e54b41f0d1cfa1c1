"""Caps: limits as people have raised them, compared with what is spent at this moment.

`current` is asked inside the transaction that reserves, which holds the write lock from its
beginning: of any number of processes only one can take the last cent. Raises are only ever
added; a limit is the highest that the settings or a person allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparing.connection import Connection
from sparing.money import Amount, CapLimits, CapMeasure, CapScope, Reached
from sparing.records import totals


@dataclass(frozen=True, slots=True)
class Whose:
    """The feature, stage and day that a turn's spending counts towards."""

    feature: str
    stage: str
    day: str


@dataclass(frozen=True, slots=True)
class Raise:
    """A person's word: this much, from now on."""

    feature: str
    scope: CapScope
    name: str
    measure: CapMeasure
    amount: int
    sender: str
    at: float


@dataclass(frozen=True, slots=True)
class CapStanding:
    """One cap and how far it is used up."""

    scope: CapScope
    name: str
    spent: Amount
    limit: Amount


def record(tx: Connection, given: Raise) -> None:
    tx.execute(
        "insert into raises (feature, scope, name, measure, amount, sender, at)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        (
            given.feature,
            given.scope,
            given.name,
            given.measure,
            given.amount,
            given.sender,
            given.at,
        ),  # fmt: skip
    )


class Caps(NamedTuple):
    """The limits in force, and how far they are used up."""

    limits: CapLimits
    standings: tuple[CapStanding, ...]

    def reached(self, worst: Amount) -> Reached | None:
        """The first cap that a turn could break at worst."""
        return next(_all_reached(self.standings, worst), None)


def current(connection: Connection, limits: CapLimits, whose: Whose) -> Caps:
    """Read with one statement, as it is asked before every turn."""
    keys = _keys(whose)
    which = " or ".join(["(scope = ? and name = ?)"] * len(keys))
    rows = connection.execute(
        f"select 1, scope, name, measure, max(amount), 0 from raises {_OF_FEATURE}"  # noqa: S608
        " union all select 0, scope, name, '', charged_tokens, charged_nano_usd from totals"
        f" where {which}",
        (whose.feature, *(value for key in keys for value in key)),
    ).fetchall()
    raised = {(row[1], row[2], row[3]): int(row[4]) for row in rows if row[0]}
    spent = {(row[1], row[2]): Amount(row[4], row[5]) for row in rows if not row[0]}
    found = _in_force(raised, limits, whose)
    return Caps(found, _standings([spent.get(key, Amount(0, 0)) for key in keys], found, whose))


def in_force(connection: Connection, limits: CapLimits, whose: Whose) -> CapLimits:
    """The limits of the settings, or what people have raised them to."""
    return _in_force(_raised(connection, whose.feature), limits, whose)


def _in_force(
    raised: Mapping[tuple[str, str, str], int], limits: CapLimits, whose: Whose
) -> CapLimits:

    def highest(scope: CapScope, name: str, measure: CapMeasure, limit: int) -> int:
        return max(limit, raised.get((scope.value, name, measure.value), 0))

    def amount(scope: CapScope, name: str, limit: Amount) -> Amount:
        money = limit.nano_usd or 0
        return Amount(
            highest(scope, name, CapMeasure.TOKENS, limit.tokens),
            highest(scope, name, CapMeasure.MONEY, money),
        )

    return CapLimits(
        feature=amount(CapScope.FEATURE, "", limits.feature),
        stage=amount(CapScope.STAGE, whose.stage, limits.stage),
        day=amount(CapScope.DAY, whose.day, limits.day),
        turn=amount(CapScope.TURN, "", limits.turn),
        attempts=highest(CapScope.DISPATCH, "", CapMeasure.ATTEMPTS, limits.attempts),
        all_day=limits.all_day,
    )


def raised_features(connection: Connection) -> frozenset[str]:
    """Keys of the features for which a person has raised a cap."""
    return frozenset(str(row[0]) for row in connection.execute("select feature from raises"))


_OF_FEATURE = "where scope = 'day' or feature = ? group by scope, name, measure"


def _raised(connection: Connection, feature: str) -> dict[tuple[str, str, str], int]:
    """Raised limits by scope, name and measure; a day's apply to every feature."""
    found = connection.execute(
        f"select scope, name, measure, max(amount) from raises {_OF_FEATURE}",  # noqa: S608
        (feature,),
    )
    return {(row[0], row[1], row[2]): int(row[3]) for row in found}


def standings(connection: Connection, limits: CapLimits, whose: Whose) -> tuple[CapStanding, ...]:
    """Feature, stage and day; `limits` are those in force."""
    found = totals.of_keys(connection, _keys(whose))
    spent = [Amount(one.charged_tokens, one.charged_nano_usd) for one in found]
    return _standings(spent, limits, whose)


def _keys(whose: Whose) -> tuple[totals.Key, ...]:
    stage = totals.stage_key(whose.feature, whose.stage)
    return ("feature", whose.feature), (totals.FEATURE_STAGE, stage), ("day", whose.day)


def _standings(spent: Sequence[Amount], limits: CapLimits, whose: Whose) -> tuple[CapStanding, ...]:
    return (
        CapStanding(CapScope.FEATURE, "", spent[0], limits.feature),
        CapStanding(CapScope.STAGE, whose.stage, spent[1], limits.stage),
        CapStanding(CapScope.DAY, whose.day, spent[2], limits.day),
    )


def _all_reached(held: tuple[CapStanding, ...], worst: Amount) -> Iterator[Reached]:
    for one in held:
        for measure in (CapMeasure.MONEY, CapMeasure.TOKENS):
            spent, limit, wanted = (a.of(measure) for a in (one.spent, one.limit, worst))
            # Without a price nothing is known of money; tokens still count.
            if wanted is None or limit is None or spent is None:
                continue
            if spent + wanted > limit:
                yield Reached(one.scope, one.name, measure, spent, wanted, limit)
