"""A feature's history: events, verdicts and ledger rows, as recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparing.desk.office import Office
from sparing.event import LentEvent, LookEvent, SandboxEvent
from sparing.records import events, ledger, verdicts
from sparing.records.features import FeatureRow


def ledger_rows(office: Office, row: FeatureRow) -> list[ledger.LedgerRow]:
    with office.database.read() as connection:
        return ledger.of_feature(connection, row.feature.key)


def policies_of(rows: Iterable[ledger.LedgerRow]) -> tuple[str, ...]:
    """The policies under which turns were sent, in order; rows of earlier versions name none."""
    return tuple(dict.fromkeys(row.attempt.sent.policy for row in rows if row.attempt.sent.policy))


def verdict_rows(office: Office, row: FeatureRow) -> list[verdicts.VerdictRow]:
    with office.database.read() as connection:
        return verdicts.of_feature(connection, row.feature.key)


def events_since(office: Office, n: int, feature: str = "") -> list[events.Event]:
    with office.database.read() as connection:
        return events.since(connection, n, feature)


def events_page(office: Office, n: int, feature: str, most: int) -> list[events.Event]:
    """Up to `most` events after `n`; of all features if none is named."""
    with office.database.read() as connection:
        return events.page(connection, n, feature, most)


def last_events(office: Office, row: FeatureRow, most: int) -> list[events.Event]:
    """The latest events of a feature, in chronological order."""
    with office.database.read() as connection:
        return events.latest(connection, row.feature.key, most)


def latest_event(office: Office) -> int:
    with office.database.read() as connection:
        return events.latest_number(connection)


def last_sandbox(office: Office) -> str:
    """The sandbox level used last, in any feature; empty if no sandbox has been used yet."""
    with office.database.read() as connection:
        found = events.last_of_all(connection, SandboxEvent.kind)
    return found.what.level if found and isinstance(found.what, SandboxEvent) else ""


def lent_to_checks(office: Office, row: FeatureRow) -> str:
    """Which servers and variables of this machine its checks were given last; empty if none."""
    told = events_since(office, 0, row.feature.key)
    return next((one.text for one in reversed(told) if isinstance(one.what, LentEvent)), "")


def final_looks(
    office: Office, row: FeatureRow, found: Sequence[verdicts.VerdictRow]
) -> frozenset[str]:
    """Verdicts of a final validation."""
    return final_among(events_since(office, 0, row.feature.key), found)


def final_among(
    told: Iterable[events.Event], found: Sequence[verdicts.VerdictRow]
) -> frozenset[str]:
    """The same, among events: it has the number of the round before it, and the run tells them
    apart, look by look."""
    looks = looks_told(told, found)
    return frozenset(dispatch for dispatch, look in looks.items() if look.final)


def looks_told(
    told: Iterable[events.Event], found: Sequence[verdicts.VerdictRow]
) -> dict[str, LookEvent]:
    """By dispatch: what the run recorded of the round in which a verdict was given."""
    rounds: dict[tuple[str, int, str], list[LookEvent]] = {}
    for one in told:
        if isinstance(what := one.what, LookEvent):
            for role, _ in what.judged:
                rounds.setdefault((one.stage, what.iteration, role), []).append(what)
    known: dict[str, LookEvent] = {}
    for look in found:
        looks = rounds.get((look.stage, look.iteration, look.verdict.role))
        if looks:
            known[look.dispatch] = looks.pop(0)
    return known
