"""Arms that both benches compare, in process: the fact sheet, two reviewers in one turn.

Covers: E8, E10.
"""

from __future__ import annotations

import pytest

from bench.arms import BY_NAME
from bench.economy.draw import Drawing
from bench.economy.draws import composer_of, rates
from bench.economy.measure import Row, row_of
from bench.economy.parameters import PauseName
from bench.economy.prompts import Composer
from bench.economy.run import Run
from bench.economy.strategy import client_of, strategy_of
from sparing.context.sheet.parts import LIMIT_TOKENS
from sparing.double.agent_kinds import AgentKind
from sparing.panel import SECOND
from sparing.segment import CHARS_PER_TOKEN
from sparing.turn import Turn

LIGHT = AgentKind.LIGHT


def arm_row(composer: Composer, name: str) -> Row:
    arm = BY_NAME[name]
    ledger = Run(composer, strategy_of(arm), client_of(arm), rates(), PauseName.DRAWN).go()
    assert ledger.missing == 0
    return row_of(ledger)


@pytest.mark.nightly
def test_the_sheet_costs_at_no_effect_and_saves_at_full_effect() -> None:
    """E8: what it is worth rests on how many quoted files agents leave unopened."""
    composer = composer_of("feature", LIGHT, 0)
    without = arm_row(composer, "own tools, 4 files a call")
    none, half, full = (arm_row(composer, f"+ sheet at {n} % effect") for n in (0, 50, 100))
    assert without.equivalents < none.equivalents
    assert full.equivalents < half.equivalents < none.equivalents
    parts = [one.sheet.parts for one in composer.feature.dispatches]
    assert parts[0] == ()
    assert sum(len(one.text) for one in parts[-1]) <= LIMIT_TOKENS * CHARS_PER_TOKEN


@pytest.mark.nightly
def test_two_reviewers_in_one_turn_find_the_same_in_fewer_turns() -> None:
    """E10: the second speaks once the first passes, and does the work it would have done."""
    apart = Drawing("feature", LIGHT, 0).steps()
    merged = Drawing("feature", LIGHT, 0, merged=True).steps()
    both = [step for step in merged if step.beside is not None]
    assert len(merged) == len(apart) - len(both) < len(apart)
    assert sum(len(one.findings) for one in merged) == sum(len(one.findings) for one in apart)
    assert both
    assert all(one.panel == (one.role, SECOND) for one in both)
    assert {one.role for one in apart} == {one.role for one in merged} | {SECOND}
    own = [one for one in apart if one.turn is not Turn.REVIEW]
    assert own == [one for one in merged if one.turn is not Turn.REVIEW]
    row = arm_row(composer_of("feature", LIGHT, 0, merged=True), "+ merged documents")
    assert row.equivalents > 0
