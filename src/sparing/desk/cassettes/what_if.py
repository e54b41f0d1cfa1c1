"""A recorded run priced under another policy or on other models: nothing is sent or run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.config.settings import Settings
from sparing.desk.money.feature_records import basis_of
from sparing.desk.money.lever_savings import Recorded, recorded_of
from sparing.desk.office import Office, settings_of
from sparing.dispatch_policy import Policy
from sparing.economy.comparison.recorded_turn import RecordedTurn
from sparing.economy.comparison.replay import (
    Pick,
    ReplayRules,
    all_fresh,
    as_recorded,
    replay_bills,
    seed_sent,
)
from sparing.economy.cost_model import Rates
from sparing.economy.prices import Own, own_prices, price_command, price_of
from sparing.errors import UsageError
from sparing.money import MILLION, to_usd
from sparing.records.features import FeatureRow
from sparing.report.what_if import PricedWay, WhatIf
from sparing.usage import Usage

CLASSES = ("strong", "standard", "cheap")
HOW = "--models cheap=MODEL, ROLE=MODEL, or one MODEL for all"
PICKS: dict[Policy, Pick] = {Policy.FRESH: all_fresh, Policy.SEED: seed_sent}
ALWAYS = (
    "caches work by the vendor's published rules; the bill shows whether they did",
    "reviewers find the same, so there are as many rounds",
)


class ModelMove(NamedTuple):
    """Whose work moves to another model: a class, a role, a model, or everyone's (empty)."""

    who: str
    model: str


def read_moves(given: Sequence[str]) -> tuple[ModelMove, ...]:
    found: list[ModelMove] = []
    for text in (part for one in given for part in one.split(",")):
        who, sign, model = text.strip().rpartition("=")
        if not model or (sign and not who):
            raise UsageError(f"'{text}' names no model", HOW)
        found.append(ModelMove(who.strip(), model.strip()))
    return tuple(found)


def what_if(
    office: Office, row: FeatureRow, policy: Policy | None, moves: Sequence[ModelMove]
) -> WhatIf:
    found, settings = recorded_of(office, basis_of(office, row)), settings_of(office, row)
    if not found.turns:
        raise UsageError(
            "no turn of this run can be repriced: none reported its calls",
            "record a finished run",
        )
    # A model that was not in the run has the price that whoever asks gives it.
    rates = _rates({**own_prices(office.loaded.settings.models.prices), **found.own})
    turns = _moved(found.turns, settings, moves)
    paper = replay_bills(found.turns, ReplayRules(as_recorded))
    ways = [
        _billed(found),
        _priced("the same, by the cache rules", found.turns, paper, rates, "simulated"),
    ]
    if policy is not None or moves:
        bills = _bills(found, turns, policy)
        ways.append(_priced(_name(policy, moves), turns, bills, rates, "estimated"))
    return WhatIf(
        tuple(ways), len(found.turns), found.left_out,
        _known(found, settings), _assumed(settings, policy, moves),
    )  # fmt: skip


def _bills(found: Recorded, turns: Sequence[RecordedTurn], policy: Policy | None) -> list[Usage]:
    if policy is Policy.NAIVE:
        return list(found.naive)
    pick = PICKS.get(policy, as_recorded) if policy else as_recorded
    return replay_bills(turns, ReplayRules(pick))


def _moved(
    turns: Sequence[RecordedTurn], settings: Settings, moves: Sequence[ModelMove]
) -> list[RecordedTurn]:
    """The turns on their new models; if several moves match a turn, the last one wins."""
    made = list(turns)
    for who, model in moves:
        backend = settings.agent.backend
        old = settings.models.of(who, backend) if who in CLASSES else who
        meant = [not who or old == turn.model or who == turn.role for turn in turns]
        if not any(meant):
            known = dict.fromkeys((*(one.role for one in turns), *(one.model for one in turns)))
            raise UsageError(
                f"this run has no class, role or model '{who}'",
                f"--models WHO={model}, WHO one of {', '.join((*CLASSES, *known))}",
            )
        made = [
            replace(turn, model=model) if asked else turn
            for turn, asked in zip(made, meant, strict=True)
        ]
    return made


def _rates(own: Own) -> Callable[[str], Rates]:
    def of(model: str) -> Rates:
        price = price_of(model, own)
        if price is None:
            raise UsageError(f"the price of {model} is unknown", price_command(model))
        return Rates.of(price)

    return of


def _billed(found: Recorded) -> PricedWay:
    bills = [row.result for row in found.rows if row.result]
    cost = float(to_usd(sum(bill.nano_usd or 0 for bill in bills)))
    origins = sorted({bill.origin.value for bill in bills if bill.origin})
    tokens = sum(bill.usage.total for bill in bills if bill.usage)
    return PricedWay("as it was billed", cost, " and ".join(origins), tokens)


def _priced(
    name: str,
    turns: Sequence[RecordedTurn],
    bills: Sequence[Usage],
    rates: Callable[[str], Rates],
    origin: str,
) -> PricedWay:
    priced = (rates(turn.model).price(bill) for turn, bill in zip(turns, bills, strict=True))
    return PricedWay(name, sum(priced) / MILLION, origin, sum(bill.total for bill in bills))


def _name(policy: Policy | None, moves: Sequence[ModelMove]) -> str:
    words = [f"policy {policy}"] if policy else []
    return ", ".join((*words, *(f"{who or 'all'} on {model}" for who, model in moves)))


def _known(found: Recorded, settings: Settings) -> tuple[str, ...]:
    calls = sum(len(turn.calls) for turn in found.turns)
    models = ", ".join(dict.fromkeys(turn.model for turn in found.turns))
    return (
        f"{len(found.turns)} turns with {calls} calls and the tokens of each, and when each began",
        f"the prompt that every turn was sent, and its other forms, under policy "
        f"{settings.review.policy} on {models}",
        "prices of today",
    )


def _assumed(
    settings: Settings, policy: Policy | None, moves: Sequence[ModelMove]
) -> tuple[str, ...]:
    lines: list[str] = [*ALWAYS]
    if policy is Policy.ADAPTIVE and settings.review.policy is not Policy.ADAPTIVE:
        lines.append("what adaptive would have chosen is not known: it is priced as it was sent")
    if policy is Policy.NAIVE:
        lines.append("without Sparing's prompts, agents open what they were not shown")
    elif policy not in (None, settings.review.policy):
        lines.append(
            "agents with other prompts make the same calls, except those that open documents"
        )
    if moves:
        lines.append("another model makes the same calls with as many tokens, and does as well")
        lines.append("sparing eval measures whether it does")
    return tuple(lines)
