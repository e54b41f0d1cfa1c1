"""Steps of a leg itself."""

from __future__ import annotations

from sparing.engine import decision
from sparing.engine.crash import step

decide = step("decide")(decision.decide)
settle = step("settle")(decision.settle)
