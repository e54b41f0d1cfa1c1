"""A cap of the day that is too low for all the work: met while workers come and go, then raised."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sparing.desk.features.view import open_rows
from sparing.desk.money.caps import CapRequest, raise_caps, stopped_by
from sparing.desk.office import Office
from sparing.money import NANO, CapMeasure, CapScope, to_nano
from tests.fleet.workers import Fleet

FEATURE_USD = 0.0257
"""What a feature of these costs (simulated)."""
TURN_USD = 0.05
"""What a turn may cost, and is counted as until its bill is known."""
ENOUGH_USD = 100.0
"""More than what is usual, which the one who raises it has in their settings."""
CHARGED = "select name, charged_nano_usd from totals where scope = 'day'"
RAISED = "select name, max(amount) from raises where scope = 'day' group by name"


def cap_settings(count: int) -> dict[str, float]:
    """Enough for half of the features."""
    half = max(2 * TURN_USD, round(count * FEATURE_USD / 2, 2))
    return {"caps.day_usd": half, "caps.turn_usd": TURN_USD}


def as_variables(settings: Mapping[str, float]) -> dict[str, str]:
    return {
        f"SPARING_{name.upper().replace('.', '__')}": str(value) for name, value in settings.items()
    }


class DayCap:
    """Looks at what is charged, and is the person who raises the cap when all work waits for it."""

    def __init__(self, fleet: Fleet, office: Office, first_usd: float) -> None:
        self.faults: list[str] = []
        self.waited = 0
        """Features that waited because of it."""
        self.looks, self.highest = 0, 0.0
        self._fleet, self._office, self._first = fleet, office, first_usd

    def look(self) -> None:
        raised = {str(day): int(amount) for day, amount in self._fleet.rows(RAISED)}
        for day, charged in self._fleet.rows(CHARGED):
            limit = max(to_nano(self._first), raised.get(str(day), 0))
            self.looks += 1
            self.highest = max(self.highest, int(charged) / limit)
            if int(charged) > limit:
                self.faults.append(f"${int(charged) / NANO} charged, the cap is ${limit / NANO}")
        self._raise()

    def _raise(self) -> None:
        rows = open_rows(self._office)
        if any(row.running for row in rows):
            return
        stopped = [row for row in rows if stopped_by(self._office, row) is not None]
        enough = {CapMeasure.MONEY: to_nano(ENOUGH_USD)}
        for row in stopped:
            self.waited += 1
            wish = CapRequest(CapScope.DAY, "", enough)
            done = raise_caps(self._office, row, wish, "bench", time.time())
            if done.stands is not None:
                self.faults.append(f"{row.feature.id} waits still: {done.stands.words}")
