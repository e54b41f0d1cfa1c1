"""A feature that costs as much as was forecast is told of before a cap stops it.

Covers: A11, E5
"""

from __future__ import annotations

from pathlib import Path

from sparing.desk.money.forecast import whole_outlook
from sparing.desk.money.spend_alarm import PAUSE_SECONDS, SHARE, SpendAlarm
from sparing.desk.office import Office, open_office
from sparing.records import events
from sparing.records.features import FeatureRow
from tests.desk.standing import NOW, standing
from tests.repositories import make_repository


def spent(office: Office, row: FeatureRow, nano_usd: int) -> None:
    values = ("feature", row.feature.key, 1, 1, *(0,) * 9, nano_usd, 0.0, 0, 0)
    with office.database.write() as tx:
        tx.execute("delete from totals")
        tx.execute(f"insert into totals values ({', '.join('?' * len(values))})", values)


def test_told_once_at_nine_tenths(tmp_path: Path) -> None:
    """A11: not below, once above, and a second run does not tell it again."""
    repository = make_repository(tmp_path / "repository")
    office = open_office(repository, {"state.folder": str(tmp_path / "state")})
    row = standing(office, "at a gate")
    high = whole_outlook(office, row).high.nano_usd
    assert high is not None
    spent(office, row, round(high * SHARE) - 10)
    assert SpendAlarm(office).passed(row, NOW) == ""
    spent(office, row, round(high * SHARE) + 10)
    said = SpendAlarm(office).passed(row, NOW)
    assert said.endswith("at most (estimated)")
    assert SpendAlarm(office).passed(row, NOW) == ""
    with office.database.read() as connection:
        told = [one.text for one in events.since(connection, 0, row.feature.key)]
    assert told.count(said) == 1


def test_turns_side_by_side_are_noticed_within_seconds(tmp_path: Path) -> None:
    """A11: they are one move of the feature, which may take an hour."""
    repository = make_repository(tmp_path / "repository")
    office = open_office(repository, {"state.folder": str(tmp_path / "state")})
    row = standing(office, "at a gate")
    high = whole_outlook(office, row).high.nano_usd
    assert high is not None
    alarm = SpendAlarm(office)
    assert alarm.passed(row, NOW) == ""
    spent(office, row, high)
    assert alarm.passed(row, NOW + 1) == ""
    assert alarm.passed(row, NOW + PAUSE_SECONDS).endswith("at most (estimated)")
