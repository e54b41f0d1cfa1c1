"""The tables of the bench on the real client, from results as it keeps them. Covers: E4, E7."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.arms import CLIENT_TOOLS, LEAN, STOCK
from bench.client import EQUAL
from bench.client_kept import keep, kept_runs, renewed
from bench.client_run import Case, ClientResult
from bench.client_tables import (
    aim_lines,
    disagreeing,
    equivalents,
    lever_table,
    report_table,
    table,
)
from bench.loop import INPUT_USD
from sparing.context.documents.tasks import parse_tasks
from sparing.dispatch_policy import Lever
from sparing.double.writing import long_document
from sparing.flow.chains import chains
from sparing.records.totals import RESUME_CHECK


def usage(read: int) -> dict[str, int]:
    return {"uncached": 0, "read": read, "write_5m": 0, "write_1h": 0, "output": 0}


def result(arm: str, read: int, flow: str = "feature", **told: Any) -> ClientResult:
    cost = equivalents(usage(read)) * INPUT_USD
    quality = {
        "accepted_blockers": 4, "cost_per_accepted_blocker_usd": cost / 4, "quotes": 9,
        "quotes_that_verify": 8,
    }  # fmt: skip
    report = {
        "cost_usd": cost, "naive_usd": 1.5 * cost, "could_not_be_saved": cost / 2,
        "quality": quality, **told,
    }  # fmt: skip
    return ClientResult(
        case=Case(arm=arm, flow=flow, kind="typical", seed=1, settings={}), status="completed",
        calls=9, dispatches=3, ways={}, usage=usage(read), rebilled=usage(read), agrees=True,
        missing=0, base={"readers": 2200}, roles={}, hours=1.0, report=report,
    )  # fmt: skip


def test_every_row_has_its_shares_and_its_quality() -> None:
    """E4: a saving never stands alone."""
    found = [result(LEAN, 1_000_000), result(STOCK, 2_000_000), result(CLIENT_TOOLS, 800_000)]
    row = next(line for line in table(found, LEAN, STOCK) if CLIENT_TOOLS in line)
    assert all(words in row for words in ("0.800", "0.400", "8/9", " 4 "))
    assert list(aim_lines(found, LEAN, STOCK))[1:] == [
        "MISSED feature, client tools, 1 draw: 0.8 of lean naive (aim ≤ 0.75)"
    ]


def test_a_report_that_says_another_bill_is_found() -> None:
    """E4: `sparing report` of a run and the bench agree, or the bench fails."""
    good = result(CLIENT_TOOLS, 800_000)
    assert disagreeing([good]) == []
    assert disagreeing([result(CLIENT_TOOLS, 800_000, cost_usd=9.0)]) != []
    above = result(CLIENT_TOOLS, 800_000, could_not_be_saved=1.01 * good.report["cost_usd"])
    assert disagreeing([above]) == ["feature 1 client tools"]
    low = result(CLIENT_TOOLS, 800_000, naive_usd=good.report["could_not_be_saved"] / 2)
    assert disagreeing([low]) == ["feature 1 client tools"]


def test_the_estimate_of_the_naive_way_stands_beside_the_one_that_ran() -> None:
    """E4: nobody has to believe the estimate."""
    found = [result(LEAN, 1_000_000), result(CLIENT_TOOLS, 600_000)]
    row = next(line for line in report_table(found, LEAN, STOCK) if CLIENT_TOOLS in line)
    assert "-10.0%" in row


def test_the_check_of_the_client_is_in_no_features_bill() -> None:
    """E4: it is asked once per version of the client."""
    one = replace(result(CLIENT_TOOLS, 900_000), roles={RESUME_CHECK: usage(100_000)})
    assert equivalents(one.bill) == equivalents(usage(800_000))


def test_rows_of_an_older_state_say_so() -> None:
    """E4: a table that mixes commits names those that differ."""
    same = [replace(result(arm, 1_000), commit="aaa") for arm in (LEAN, STOCK)]
    assert list(table(same, LEAN, STOCK))[-1] == "all rows are of commit aaa"
    old = replace(result(CLIENT_TOOLS, 900), commit="bbb")
    assert list(table([*same, old], LEAN, STOCK))[-2:] == [
        "rows are of commit aaa, but for",
        "  commit bbb: feature typical 1 client tools",
    ]


def test_tasks_of_the_drawn_work_have_no_file_in_common() -> None:
    """E13: so that no bench says what chains are worth, and both say why."""
    tasks = parse_tasks(long_document("tasks.md", "feature", 12_000, 8), "001")
    assert len(tasks) == 8
    assert chains([[task] for task in tasks]) == ()
    assert "chain" in "\n".join(lever_table([], CLIENT_TOOLS))
    assert Lever.CHAIN in EQUAL


def test_published_runs_stay_until_they_are_run_again(tmp_path: Path) -> None:
    """E4: figures of runs that nobody has repeated are kept with their commit."""
    path = tmp_path / "runs.jsonl"
    assert kept_runs(path) == []
    old = [replace(result(arm, 1_000), commit="old") for arm in (LEAN, CLIENT_TOOLS)]
    keep(old, path)
    again = replace(result(CLIENT_TOOLS, 900), commit="new")
    keep(renewed(kept_runs(path), [again]), path)
    assert sorted(kept_runs(path), key=lambda one: one.commit) == [again, old[0]]
