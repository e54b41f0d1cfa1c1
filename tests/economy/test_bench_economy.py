"""The bench of the economy: its workload is frozen, its runs are real prompts and complete.

Covers: E1, E4, C18.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bench.economy.bounds import lower_bound, typing_usage
from bench.economy.draw import Drawing
from bench.economy.feature import Feature
from bench.economy.measure import STRATEGIES, rates, row_of
from bench.economy.parameters import Parameters
from bench.economy.prompts import Composer, Variant
from bench.economy.run import Run
from bench.economy.strategy import CLAUDE_CODE, FOLDER, MOST_LINES, OWN_LOOP, load
from bench.economy.wire import compare
from sparing.way import Lever

PARAMETERS = "db6932fdd33967409026202c3da667c2a6a925ee72c7b016b73d606ff8054bb4"
DRAWN = "646903d3c5cc7fd42f90f0a08edb321e8779f981216e3d66ef43143e3bd5903e"
SMALL = replace(Parameters(), tasks=2, fixed_rounds=2, explored_files=(2, 3))


@pytest.fixture(scope="module")
def composer() -> Composer:
    return Composer(Feature(0, SMALL))


def test_the_workload_is_frozen() -> None:
    """E4: no figure is improved by changing the work; whoever does so has to change this."""
    assert Parameters().digest == PARAMETERS
    steps = [step for seed in range(3) for step in Drawing(seed, Parameters()).steps()]
    words = re.sub(r"<\w+\.", "<", repr(steps))  # an enum may be called what it likes
    assert hashlib.sha256(words.encode()).hexdigest() == DRAWN


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_strategy_is_a_few_settings(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES
    assert load(path.stem, OWN_LOOP).title
    assert path.stem in STRATEGIES


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_strategy_hides_a_line(composer: Composer, name: str) -> None:
    """C18: every document and every line of code that a role must know, in every way."""
    ledger = Run(composer, load(name, OWN_LOOP), OWN_LOOP, rates()).go()
    assert ledger.missing == 0
    assert row_of(ledger).equivalents > lower_bound(composer, OWN_LOOP.base_tokens, rates()) / 2


def test_a_prompt_without_a_document_is_seen(composer: Composer) -> None:
    """C18: the check can fail."""
    last = composer.feature.dispatches[-1]
    told = composer.prompt(composer.feature.dispatches[0], Variant())
    assert composer.missing(last, told, ()) > 100


def test_adaptive_is_the_cheapest_and_typing_the_dearest(composer: Composer) -> None:
    """E1: on the same drawn work."""
    costs = {
        name: row_of(Run(composer, load(name, OWN_LOOP), OWN_LOOP, rates()).go()).equivalents
        for name in ("naive", "seed", "fork", "adaptive", "adaptive-batched")
    }
    assert costs["adaptive-batched"] < costs["adaptive"]
    assert costs["adaptive"] < min(costs["naive"], costs["seed"], costs["fork"])
    assert rates().equivalents(rates().price(typing_usage(composer))) > costs["adaptive"]


def test_the_server_bills_the_same(composer: Composer) -> None:
    """E4: the same calls over HTTP, equal to the token."""
    ledger = Run(composer, load("adaptive", OWN_LOOP), OWN_LOOP, rates(), keep_calls=True).go()
    sent = ledger.sent[:60]
    found = compare(sent)
    assert (found.calls, found.differing) == (60, 0)


def test_levers_a_client_lacks_are_named() -> None:
    """E4: a figure says what it was reached without."""
    off = {one.lever for one in load("adaptive-batched", CLAUDE_CODE).off}
    assert off == {Lever.HOUR, Lever.TRIM}
