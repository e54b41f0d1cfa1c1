"""A feature's history: events, verdicts and ledger rows, as recorded."""

from __future__ import annotations

from sparing.desk.office import Office
from sparing.event import SandboxEvent
from sparing.records import events, ledger, verdicts
from sparing.records.features import FeatureRow


def ledger_rows(office: Office, row: FeatureRow) -> list[ledger.LedgerRow]:
    with office.database.read() as connection:
        return ledger.of_feature(connection, row.feature.key)


def verdict_rows(office: Office, row: FeatureRow) -> list[verdicts.VerdictRow]:
    with office.database.read() as connection:
        return verdicts.of_feature(connection, row.feature.key)


def events_since(office: Office, n: int, feature: str = "") -> list[events.Event]:
    with office.database.read() as connection:
        return events.since(connection, n, feature)


def events_page(office: Office, n: int, feature: str, most: int) -> list[events.Event]:
    """The first ones after `n`; of all features where none is named."""
    with office.database.read() as connection:
        return events.page(connection, n, feature, most)


def last_events(office: Office, row: FeatureRow, most: int) -> list[events.Event]:
    """The latest ones of a feature, in their order."""
    with office.database.read() as connection:
        return events.latest(connection, row.feature.key, most)


def latest_event(office: Office) -> int:
    with office.database.read() as connection:
        return events.latest_number(connection)


def last_sandbox(office: Office) -> str:
    """The level at which agents were confined last, in any feature; empty before the first time."""
    with office.database.read() as connection:
        found = events.last_of_all(connection, SandboxEvent.kind)
    return found.what.level if found and isinstance(found.what, SandboxEvent) else ""
