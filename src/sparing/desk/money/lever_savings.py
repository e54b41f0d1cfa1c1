"""What a feature saved: the turns in its ledger, replayed with each lever off.

A turn can be replayed if its end was seen, its calls are known and its row says what else could
have been sent. The others are left out of both sides of the comparison, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.config.settings import ClockKind
from sparing.desk.money.feature_records import Basis
from sparing.desk.money.naive_estimate import Sizes, follows, naive_turns_of, own_system, sizes_of
from sparing.desk.money.spending import prices_billed
from sparing.desk.office import Office, settings_of
from sparing.dispatch_policy import LEVERS, Lever, Policy, Way
from sparing.economy.comparison.bound import CallSize
from sparing.economy.comparison.naive import NaiveTurn, naive_usage
from sparing.economy.comparison.recorded_turn import Named, RecordedTurn, ReplayedPrompt, SeedPrompt
from sparing.economy.comparison.savings import Ladder, Savings, SavingStep, Spared, savings
from sparing.economy.cost_model import TYPICAL, Rates
from sparing.economy.levers import SheetUse
from sparing.economy.prices import Own, own_prices, price_of
from sparing.flow.flows import TIERS
from sparing.money import MILLION, to_usd
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.report.savings_table import Economy, LadderRow, SavingRow, joined
from sparing.runtime.lever_record import covered_turns, effect_of_sheet
from sparing.sent import NamedBlock, OtherPrompts, SeedWays, WayPrompt
from sparing.usage import Usage

PING, AHEAD = "keep-alive", "primer"
"""Roles and templates used for keeping a session warm and for sending a trunk ahead."""
FILES_A_CALL = 2
Blocks = tuple[CacheBlock, ...]


class FeatureSavings(NamedTuple):
    savings: Savings
    rows: tuple[LedgerRow, ...]
    """The rows that were replayed, in order."""
    left_out: int
    in_money: bool
    """True if costs are in US dollars per million tokens; else in multiples of an input token."""


class Recorded(NamedTuple):
    """The part of a feature that can be replayed."""

    rows: tuple[LedgerRow, ...]
    turns: tuple[RecordedTurn, ...]
    naive: tuple[Usage, ...]
    left_out: int
    own: Own

    @property
    def priced(self) -> bool:
        return all(price_of(turn.model, self.own) is not None for turn in self.turns)


def recorded_of(office: Office, basis: Basis) -> Recorded:
    settings = settings_of(office, basis.row)
    counted = settings.engine.clock is ClockKind.COUNTED
    rows = [one for one in basis.ledger if not one.attempt.for_client]
    plain, sizes = naive_turns_of(rows, basis.verdicts, counted=counted), sizes_of(rows)
    tried = [recorded_turn(*pair, sizes) for pair in zip(rows, plain, strict=True)]
    found = [
        (row, turn, bill)
        for row, turn, bill in zip(rows, tried, naive_usage(plain), strict=True)
        if turn is not None
    ]
    return Recorded(
        tuple(row for row, _, _ in found),
        tuple(with_bases([turn for _, turn, _ in found])),
        tuple(bill for _, _, bill in found),
        len(rows) - len(found),
        prices_billed(own_prices(settings.models.prices), rows),
    )


def savings_of(office: Office, basis: Basis) -> FeatureSavings:
    found = recorded_of(office, basis)
    pairs = list(zip(found.rows, found.turns, strict=True))
    spared = {**_spared(found.rows), Lever.SHEET: _unopened(office, pairs)}
    priced = found.priced
    policy = _policy_of(found.rows) or settings_of(office, basis.row).review.policy
    rates = partial(_rates, own=found.own, priced=priced)
    result = savings(found.turns, rates, policy, spared, found.naive)
    if policy is Policy.SEED or basis.row.feature.flow in TIERS:
        # It is the run itself; or it would go on in one session, which nothing here replays.
        result = replace(result, seed=None)
    return FeatureSavings(result, found.rows, found.left_out, priced)


def _policy_of(rows: Sequence[LedgerRow]) -> Policy | None:
    """The policy of its last turn, which may no longer be the one that is set."""
    told = [row.attempt.sent.policy for row in rows if row.attempt.sent.policy]
    return Policy(told[-1]) if told else None


def with_bases(turns: Sequence[RecordedTurn]) -> list[RecordedTurn]:
    """Give each turn that only continues a session the base of that session."""
    bases: dict[str, str] = {}
    made: list[RecordedTurn] = []
    for turn in turns:
        name, tokens = turn.base
        bases[turn.line] = name or bases.get(turn.line, turn.line)
        made.append(replace(turn, base=(bases[turn.line], tokens)))
    return made


def _rates(model: str, own: Own, *, priced: bool) -> Rates:
    price = price_of(model, own) if priced else None
    return TYPICAL if price is None else Rates.of(price)


def _spared(rows: Sequence[LedgerRow]) -> Spared:
    """For turns that were given files: calls that these are expected to have saved. What notes
    save is part of what the naive way opens again."""
    given = dict[int, list[int]]()
    for number, row in enumerate(rows):
        files = len(row.attempt.sent.given or ())
        if files:
            # The text itself is paid either way: only the calls that fetch it are spared.
            given[number] = [0] * -(-files // FILES_A_CALL)
    return {Lever.PRELOAD: given}


def _unopened(
    office: Office, found: Sequence[tuple[LedgerRow, RecordedTurn]]
) -> dict[int, list[int]]:
    """For turns that were shown the fact sheet: the files that turns without it open, each as
    part of a call with as much text as this turn's files had; empty until the two were compared."""
    rows = [row for row, _ in found]
    if not any(row.attempt.sent.sheet == SheetUse.SHOWN for row in rows):
        return {}
    with office.database.read() as connection:
        effect = effect_of_sheet(connection, rows[-1].attempt.backend)
    spared: dict[int, list[int]] = {}
    for number, (row, turn) in enumerate(found):
        for one in covered_turns([row]) if effect.less is not None else ():
            files = round(effect.rate * one.covered) - one.opened if one.shown else 0
            if files > 0:
                added = sum(call.added for call in turn.calls[1:]) // max(1, len(turn.calls) - 1)
                spared[number] = [added] * -(-files // FILES_A_CALL)
    return spared


def recorded_turn(row: LedgerRow, naive: NaiveTurn, sizes: Sizes) -> RecordedTurn | None:
    """The turn in replayable form; None if it can't be replayed."""
    attempt, result, sent = row.attempt, row.result, row.attempt.sent
    if row.outcome is not AttemptState.KNOWN or result is None or not result.calls or not sent:
        return None
    others = sent.others or OtherPrompts()
    beside = _block(f"beside {attempt.started}", sizes.beside_of(row))
    ways = {
        Way(name): _told(told, sizes, () if name == Way.RESUME else beside)
        for name, told in sent.ways.items()
    }
    way = Way(attempt.way)
    if not follows(row) and (Way.COMPOSE not in ways or way not in ways):
        return None
    ahead = attempt.role == AHEAD
    ping = ahead or attempt.role == PING
    role = attempt.dispatch.rpartition(f"{PING}-")[2] if ping else attempt.role
    return RecordedTurn(
        line=f"{attempt.stage} {role}",
        role=role,
        model=attempt.model,
        at=attempt.started,
        call_seconds=naive.call_seconds,
        base=(others.base or "", round(sizes.scale * _before(row))),
        way=way,
        calls=tuple(CallSize(int(call["added"]), int(call["output"])) for call in result.calls),
        naive=naive,
        ways=ways,
        seed=_seed(others.seed, sizes, beside) if others.seed else None,
        transcript=sent.transcript or 0,
        ping=ping,
        ahead=ahead,
        **_front(row, sizes),
    )


def _front(row: LedgerRow, sizes: Sizes) -> dict[str, Named]:
    """Tools as sent, and the plain way's system prompt; older rows, which don't tell the two
    apart, have neither."""
    naive = row.attempt.naive
    sent = naive.sent_tools
    if not sent or naive.role is None:
        return {}
    neutral = _before(row) - sent
    tools = f"{naive.toolset} {sent}", round(sizes.scale * sent)
    plain = naive.role[0], round(sizes.scale * (neutral + own_system(row)))
    return {"tools": tools, "plain": plain}


def _before(row: LedgerRow) -> int:
    """Tokens of tools and system prompt, as sent."""
    return row.attempt.naive.before or int(row.attempt.sent.base or 0)


def _told(told: WayPrompt, sizes: Sizes, beside: Blocks) -> ReplayedPrompt:
    return ReplayedPrompt((*_blocks(told.blocks, sizes), *beside), *(told.reads or (0, 0)))


def _seed(seed: SeedWays, sizes: Sizes, beside: Blocks) -> SeedPrompt:
    return SeedPrompt(
        _told(WayPrompt(seed.fresh, reads=seed.reads), sizes, beside),
        seed.fresh_chars,
        (*_blocks(seed.full, sizes), *beside),
        _blocks(seed.delta or (), sizes),
        seed.delta_chars or 0,
    )


def _blocks(value: Iterable[NamedBlock], sizes: Sizes) -> Blocks:
    told = ((digest, round(sizes.scale * tokens), mark) for digest, tokens, mark, _ in value)
    return tuple(
        CacheBlock(RequestPart.MESSAGES, digest, tokens, Life(mark) if mark and tokens else None)
        for digest, tokens, mark in told
    )


def _block(name: str, tokens: int) -> Blocks:
    return (CacheBlock(RequestPart.MESSAGES, name, tokens),) if tokens else ()


def economy_of(office: Office, bases: Sequence[Basis]) -> Economy | None:
    """The savings of one feature, or of several combined."""
    return joined([_economy(savings_of(office, one)) for one in bases if one.ledger])


def _economy(found: FeatureSavings) -> Economy:
    result, unit = found.savings, MILLION if found.in_money else 1
    bills = [row.result for row in found.rows if row.result]
    known = [bill.nano_usd for bill in bills if bill.nano_usd is not None]
    origins = {bill.origin.value for bill in bills if bill.origin}
    # Without a price the replay is all there is.
    paid = found.in_money and len(known) == len(bills)
    billed = float(to_usd(sum(known))) if paid else result.replayed / unit
    return Economy(
        turns=result.turns,
        left_out=found.left_out,
        in_money=found.in_money,
        origin=" and ".join(sorted(origins)) if paid else "simulated",
        billed=billed,
        replayed=result.replayed / unit,
        naive=_ladder(result.naive, unit),
        seed=_ladder(result.seed, unit) if result.seed else None,
        beyond=tuple(_step(step, unit) for step in result.beyond),
        typed=result.typed / unit,
        bound=result.bound / unit,
        best=result.oracle.cost / unit,
        exact=result.oracle.exact,
        untold=_untold(found.rows),
        off=_off(found.rows),
    )


def _untold(rows: Sequence[LedgerRow]) -> tuple[str, ...]:
    """Levers in use whose value can't be derived from one run."""
    used = {name for row in rows for name in row.attempt.sent.levers or ()}
    return tuple(one.value for one, row in LEVERS.items() if one in used and not row.told_apart)


def _off(rows: Sequence[LedgerRow]) -> dict[str, str]:
    """Levers that a turn went without, and why; with the number of turns if others had it."""
    known = [row.attempt.sent for row in rows if row.attempt.sent.levers or row.attempt.sent.off]
    found: dict[str, str] = {}
    for sent in known:
        found |= sent.off or {}
    times = Counter(name for sent in known for name in sent.off or ())
    return {
        name: why
        if times[name] == len(known)
        else f"{why} (in {times[name]} of {len(known)} turns)"
        for name, why in found.items()
    }


def _ladder(ladder: Ladder, unit: int) -> LadderRow:
    steps = tuple(_step(step, unit) for step in ladder.steps)
    return LadderRow(ladder.baseline, ladder.cost / unit, ladder.origin.value, steps)


def _step(step: SavingStep, unit: int) -> SavingRow:
    return SavingRow(step.lever, step.words, step.saved / unit, step.origin.value)
