"""A draw: one feature of a flow, for one kind of agent, with all its prompts."""

from __future__ import annotations

from functools import cache

from bench.economy.feature import Feature
from bench.economy.parameters import MODEL, PRICES
from bench.economy.prompts import Composer
from bench.economy.tier import TierFeature
from sparing.double.agent_kinds import AgentKind
from sparing.economy.cost_model import Rates
from sparing.economy.prices import own_prices
from sparing.flow.flows import TIERS


@cache
def rates() -> Rates:
    return Rates.of(own_prices([PRICES])[MODEL])


def composer_of(flow: str, kind: AgentKind, seed: int, *, merged: bool = False) -> Composer:
    """`merged`: two reviewers of a document look in one turn."""
    feature = (TierFeature if flow in TIERS else Feature)(flow, kind, seed, merged=merged)
    feature.dispatches  # noqa: B018
    return Composer(feature)
