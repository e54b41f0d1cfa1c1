"""What was spent, from the ledger and its totals, and how much of each cap is used up.

Fast however long the ledger is: no price is looked up here, since every row keeps the price at
which it was paid.
"""

from __future__ import annotations

from enum import StrEnum

from sparing.connection import Connection
from sparing.desk.office import Office, settings_of
from sparing.flow.state import FlowState
from sparing.money import CapLimits, CapScope, day_of
from sparing.records import caps, features, shared_spending, totals
from sparing.records.features import FeatureRow
from sparing.records.totals import Tally
from sparing.report.cost import CapRow, CostRow, Costs, sum_rows
from sparing.usage import Origin


class By(StrEnum):
    FEATURE = "feature"
    STAGE = "stage"
    ROLE = "role"
    MODEL = "model"
    WAY = "way"
    DAY = "day"


def costs(office: Office, by: By) -> Costs:
    """Costs of the whole repository."""
    with office.database.read() as connection:
        found = totals.every(connection, by)
        if by is By.FEATURE:
            names = {row.feature.key: row.feature.name for row in features.list_all(connection)}
            found = {
                names.get(key) or _review(connection, key): tally for key, tally in found.items()
            }
    return _costs(by, found)


def _review(connection: Connection, key: str) -> str:
    """Name for the review of a branch that was not made by a feature."""
    row = features.get(connection, key)
    return f"review {row.feature.number - features.REVIEWS}: {row.feature.title}" if row else key


def feature_costs(office: Office, row: FeatureRow, by: By, at: float) -> Costs:
    """Costs of one feature, with its current caps."""
    settings = settings_of(office, row)
    whose = whose_of(row, at)
    with office.database.read() as connection:
        found = totals.of_feature(connection, row.feature.key, by)
        limits = caps.in_force(connection, settings.caps.limits, whose)
        standings = caps.standings(connection, limits, whose)
    if by is By.FEATURE:
        names = {row.feature.key: row.feature.name}
        found = {names.get(key, key): tally for key, tally in found.items()}
    rows = tuple(CapRow(one.scope, one.name, one.spent, one.limit) for one in standings)
    return _costs(by, found, (*rows, *_all_repositories(office, limits, at)))


def _all_repositories(office: Office, limits: CapLimits, at: float) -> tuple[CapRow, ...]:
    """The daily cap on all repositories; empty if no such cap is set."""
    if not limits.spans_repositories:
        return ()
    with office.folder.shared_spending().read() as connection:
        spent = shared_spending.spent(connection, day_of(at))
    return (CapRow(CapScope.ALL, day_of(at), spent, limits.all_day),)


def day_cap(office: Office, at: float) -> CapRow:
    """Today's spending of all features of the repository, against the daily cap."""
    whose = caps.Whose("", "", day_of(at))
    with office.database.read() as connection:
        limits = caps.in_force(connection, office.loaded.settings.caps.limits, whose)
        found = caps.standings(connection, limits, whose)[-1]
    return CapRow(found.scope, found.name, found.spent, found.limit)


def whose_of(row: FeatureRow, at: float) -> caps.Whose:
    return caps.Whose(row.feature.key, FlowState.load(row.place["state"]).stage, day_of(at))


def limits_of(office: Office, row: FeatureRow, at: float) -> CapLimits:
    """The limits in force for a feature's next turn."""
    own = settings_of(office, row).caps.limits
    with office.database.read() as connection:
        return caps.in_force(connection, own, whose_of(row, at))


def _costs(by: By, found: dict[str, Tally], standings: tuple[CapRow, ...] = ()) -> Costs:
    rows = tuple(_row(name, tally) for name, tally in found.items())
    return Costs(by.value, rows, sum_rows("all", rows), standings)


def _row(name: str, tally: Tally) -> CostRow:
    counts = {
        Origin.MEASURED: tally.measured,
        Origin.SIMULATED: tally.simulated,
        Origin.ESTIMATED: tally.estimated,
    }
    origin = " and ".join(word.value for word, count in counts.items() if count)
    return CostRow(
        name=name,
        turns=tally.turns,
        unknown=tally.unknown,
        unpriced=tally.unpriced,
        usage=tally.usage,
        nano_usd=tally.nano_usd,
        seconds=tally.seconds,
        origin=origin,
        equivalent=bool(tally.subscription),
    )
