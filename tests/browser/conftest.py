"""A page whose features stand where a test wants them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.desk.office import Office, open_office
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.records import features, mailbox
from sparing.records.features import FeatureRow
from tests.browser.chromium import (
    Served,
    served,
)
from tests.desk.standing import NOW, reload, settled, standing
from tests.repositories import make_repository


class Scene(NamedTuple):
    office: Office
    page: Served
    home: str

    def letters(self) -> list[tuple[str, str]]:
        with self.office.database.read() as connection:
            return [(one.verb, one.body) for one in mailbox.unread(connection)]


def stopped(office: Office, cause: Cause, reason: str, **talk: Any) -> FeatureRow:
    """A feature whose stage waits for a person's word, for this reason."""
    stop = Outcome(OutcomeKind.FAILED, reason=reason, cause=cause)
    row = settled(office, standing(office, "under way"), (stop,))
    with office.database.write() as tx:
        features.move(tx, row, {**row.place, "talk": talk}, row.head, NOW + 10)
    return reload(office, row)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    office = open_office(make_repository(tmp_path / "gate"))
    with served(office.repository.checkout) as page:
        yield Scene(office, page, f"{page.origin}/r/{office.repository.key}/f")
