"""A small feature through the real client, as the bench runs it. Covers: E4."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.arms import BY_NAME, CLIENT_TOOLS, LEAN, OWN
from bench.client_run import Case, ClientResult, run
from bench.client_tables import disagreeing, equivalents


@pytest.fixture
def home() -> Iterator[None]:
    """The bench moves it for its own process."""
    before = os.environ.get("HOME")
    yield
    if before is not None:
        os.environ["HOME"] = before


def small(arm: str, folder: Path) -> ClientResult:
    settings = dict(BY_NAME[arm].settings)
    case = Case(arm=arm, flow="L1", kind="light", seed=1, settings=settings)
    return run(case, folder / f"{arm}.jsonl.xz")


@pytest.mark.usefixtures("home")
def test_the_report_of_a_run_agrees_with_the_bench(tmp_path: Path) -> None:
    """E4: the bill of the report is the double's to the token and the second meter's within half
    a per cent; its naive way is the one that was run, within five; the bound is below both."""
    naive, ours, own = (small(arm, tmp_path) for arm in (LEAN, CLIENT_TOOLS, OWN))
    for one in (naive, ours, own):
        assert (one.status, one.agrees, one.missing) == ("completed", True, 0)
        assert equivalents(one.rebilled) == pytest.approx(equivalents(one.usage), rel=0.005)
    assert disagreeing([naive, ours, own]) == []
    ran = naive.report["cost_usd"]
    for one in (ours, own):
        assert one.report["naive_usd"] == pytest.approx(ran, rel=0.05)
        assert one.report["cost_usd"] <= 0.99 * ran
