"""What waiting costs, for commands that must be quick: prices load only if a session is warm."""

from __future__ import annotations

import time

from sparing.cli.clock import now
from sparing.desk.money.cache_warmth import CacheWarmth, is_warm
from sparing.desk.office import Office
from sparing.records.features import FeatureRow


def warmth(office: Office, row: FeatureRow) -> CacheWarmth | None:
    """The price of waiting; None if waiting costs nothing."""
    at = now()
    if not is_warm(office, row, at):
        return None
    from sparing.desk.money.price_of_waiting import price_of_waiting

    found = price_of_waiting(office, row, at)
    return None if found is None else CacheWarmth(*found)


def warm_words(office: Office, row: FeatureRow) -> str:
    found = warmth(office, row)
    if found is None:
        return ""
    return found.words(time.strftime("%H:%M", time.localtime(found.until)))
