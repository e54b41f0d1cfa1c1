"""How many examples a property is tried on: a fifth in `make test`, all in `make test-nightly`."""

from __future__ import annotations

import os

from hypothesis import settings

SHARE = 1 if os.environ.get("PYTEST_LONG") else 5


def many(examples: int) -> settings:
    return settings(max_examples=examples // SHARE, deadline=None)
