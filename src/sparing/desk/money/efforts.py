"""What a feature may cost with each effort: before it starts, and beside its bill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from sparing.codec import JsonObject
from sparing.config.effort import SETTING, Effort
from sparing.desk.money.forecast import assumed, outlook, outlook_json, outlook_median
from sparing.desk.office import Office, settings_of
from sparing.economy.cost_model import Range
from sparing.money import Amount
from sparing.records.features import FeatureRow

if TYPE_CHECKING:
    from sparing.report.figures import OtherEffort


class EffortOutlook(NamedTuple):
    effort: Effort
    ahead: Range
    chosen: bool


def effort_outlooks(office: Office, row: FeatureRow) -> list[EffortOutlook]:
    """The lightest first. A forecast based on past features uses those of the same effort; one
    that has fewer of them than the chosen effort follows from the chosen one's."""
    own, mine = settings_of(office, row).flow.effort, outlook(office, row)
    return [
        EffortOutlook(
            effort, mine if effort is own else _other(office, row, effort, mine), effort is own
        )
        for effort in Effort
    ]


def _other(office: Office, row: FeatureRow, effort: Effort, mine: Range) -> Range:
    other = _with(row, effort)
    found = outlook(office, other)
    if found.learned >= mine.learned:
        return found
    return by_ratio(mine, assumed(office, other), assumed(office, row))


def by_ratio(known: Range, other: Range, own: Range) -> Range:
    """`known` scaled as two assumed ranges differ: an assumption beside what was learned would
    make the lighter effort look like the more expensive one."""
    if other == own:
        return known
    theirs, ours = _middle(other), _middle(own)
    if theirs is None or not ours:
        return other
    ratio = theirs / ours
    low, median, high = (
        Amount(
            round(one.tokens * ratio), None if one.nano_usd is None else round(one.nano_usd * ratio)
        )
        for one in (known.low, known.median, known.high)
    )
    return Range(low, median, high, known.stages, 0)


def efforts_words(found: Sequence[EffortOutlook]) -> str:
    """The chosen effort, then the others."""
    own = next(one for one in found if one.chosen)
    others = (f"{one.effort}: {_beside(own, one)}" for one in found if not one.chosen)
    return f"{own.effort}; with --effort {', '.join(others)} (estimated)"


def _beside(own: EffortOutlook, other: EffortOutlook) -> str:
    """`the same` if nothing differs: in a small flow there may be nothing to cut."""
    return "the same" if other.ahead == own.ahead else f"about {outlook_median(other.ahead)}"


def efforts_json(found: Sequence[EffortOutlook]) -> JsonObject:
    return {one.effort.value: {"chosen": one.chosen, **outlook_json(one.ahead)} for one in found}


def other_efforts(
    office: Office, row: FeatureRow, billed: Decimal | None
) -> tuple[OtherEffort, ...]:
    """What the feature would have cost: its bill, scaled by the ratio of the efforts' forecasts."""
    from sparing.report.figures import OtherEffort

    own = settings_of(office, row).flow.effort
    if not billed:
        return ()
    middles = {effort: _middle(assumed(office, _with(row, effort))) for effort in Effort}
    mine = middles[own]
    if mine is None:
        return ()
    return tuple(
        OtherEffort(effort.value, own.value, billed * Decimal(middle / mine))
        for effort, middle in middles.items()
        if effort is not own and middle is not None
    )


def _middle(found: Range) -> float | None:
    low, high = found.low.nano_usd, found.high.nano_usd
    return None if low is None or high is None else (low + high) / 2


def _with(row: FeatureRow, effort: Effort) -> FeatureRow:
    return replace(row, overrides={**row.overrides, SETTING: effort.value})
