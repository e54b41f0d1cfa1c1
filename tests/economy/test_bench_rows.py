"""A row for each client in the bench, and the second meter of caches without marks.

Covers: E2, E4, G1
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bench.arms import LEAN
from bench.client_rows import (
    ADAPTIVE,
    CLIENTS,
    dollars,
    in_order,
    model_of,
    row_cases,
    row_table,
    share,
    untrue,
)
from bench.client_run import Case, ClientResult
from bench.prefix_meter import bill_prefixes, prompt_of
from sparing.clients.backends import MAKERS
from sparing.economy.prices import price_of
from sparing.usage import Usage

CALLS: list[dict[str, Any]] = [
    {"role": "user", "content": "The design. " * 1000},
    {"role": "assistant", "content": "Read it.", "id": "a"},
]


def ran(case: Case, uncached: int) -> ClientResult:
    usage = {"uncached": uncached, "read": 9_000, "write_5m": 0, "write_1h": 0, "output": 100}
    return ClientResult(
        case=case, status="completed", calls=4, dispatches=2, ways={"resume": 1}, usage=usage,
        rebilled=usage, agrees=True, missing=0, base={}, roles={}, hours=0.1, commit="c",
    )  # fmt: skip


def asked(at: float, *messages: dict[str, Any], output: int = 10) -> dict[str, Any]:
    body = {"model": "m", "input": list(messages), "tools": []}
    return {
        "at": at, "ready_at": at + 1, "path": "/v1/responses", "request": body,
        "bill": {"output": output},
    }  # fmt: skip


def test_every_client_is_run_both_ways_on_a_model_with_a_price() -> None:
    """E4, G1: each on a backend that there is; their shares are of the same client's baseline."""
    cases = list(row_cases())
    assert [(one.client, one.arm) for one in cases] == [
        (client, arm) for client in CLIENTS for arm in (LEAN, ADAPTIVE)
    ]
    assert all(f"{one.client}-double" in MAKERS for one in cases)
    assert all(price_of(model_of(one), {}) for one in cases)
    found = [ran(one, 10_000 if one.arm == LEAN else 5_000) for one in cases]
    assert in_order(list(reversed(found))) == found
    assert share(found[0], found) == 1.0
    assert share(found[1], found[1:]) is None
    lines = list(row_table([*found[:-1], replace(found[-1], agrees=False)]))
    assert [line.split()[0] for line in lines[4:-1]] == [one.client for one in cases]
    assert lines[4].endswith("1.000         –      0.00%  = bill")
    assert lines[-2].endswith("DIFFERS")


def test_a_report_that_is_not_true_to_the_bill_is_found() -> None:
    """E4: another bill, or a least cost that is above it; the estimate stands beside what ran."""
    one = ran(next(row_cases(("codex",))), 1_000)
    cost = dollars(one)
    assert cost is not None
    told = {"cost_usd": cost, "naive_usd": 1.1 * cost, "could_not_be_saved": 0.9 * cost}
    assert not untrue(replace(one, report=told))
    assert untrue(replace(one, report={**told, "cost_usd": 1.01 * cost}))
    assert untrue(replace(one, report={**told, "could_not_be_saved": 1.01 * cost}))
    assert "+10.0%" in list(row_table([replace(one, report=told)]))[4]


def test_money_is_by_the_client_s_own_model() -> None:
    """E4: a token of one vendor is not one of another."""
    case = next(row_cases(("codex",)))
    price = price_of("gpt-5.6-terra", {})
    assert price is not None
    wanted = 1_000 * price.input + 9_000 * price.read + 100 * price.output
    assert dollars(ran(case, 1_000)) == pytest.approx(float(wanted) / 1e6)


def test_a_common_beginning_is_read_in_steps_while_it_lives() -> None:
    """E2: in whole steps, after the answer has begun, for five minutes from its last use."""
    first, tail = asked(0, CALLS[0]), {"role": "user", "content": "Go on."}
    size = len(prompt_of(first["request"])) // 512 * 128
    assert bill_prefixes([first, asked(0.5, *CALLS, tail)]).read == 0
    assert bill_prefixes([first, asked(10, *CALLS, tail)]).read == size
    assert bill_prefixes([first, asked(301, *CALLS, tail)]).read == 0
    renewed = [first, asked(200, *CALLS, tail), asked(400, *CALLS, tail)]
    assert bill_prefixes(renewed).read > size
    short = asked(0, tail)
    assert bill_prefixes([short, asked(10, tail)]).read == 0


def test_ids_and_their_order_are_no_part_of_a_prompt() -> None:
    """E2: a client that numbers its messages again finds what it sent before."""
    again = [CALLS[0], {**CALLS[1], "id": "b"}]
    assert prompt_of({"input": CALLS}) == prompt_of({"input": again})
    assert bill_prefixes([asked(0, CALLS[0])]) == Usage(
        uncached=-(-len(prompt_of({"input": [CALLS[0]], "tools": []})) // 4), output=10
    )
