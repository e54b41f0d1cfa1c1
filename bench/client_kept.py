"""Runs whose figures are published, kept in the repository: one line each, in one order.

A run through the real client takes minutes, and `bench/out` is not in git. Whoever runs some of
them again publishes those beside the others, each with its commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.client_run import Case, ClientResult

KEPT = Path(__file__).parent / "client_runs.jsonl"
Key = tuple[str, str, str, int, str]


def read_run(fields: dict[str, Any]) -> ClientResult:
    told = dict(fields)
    return ClientResult(case=Case(**told.pop("case")), **told)


def kept_runs(path: Path = KEPT) -> list[ClientResult]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [read_run(json.loads(line)) for line in lines]


def keep(runs: Iterable[ClientResult], path: Path = KEPT) -> None:
    lines = [json.dumps(asdict(one), sort_keys=True) for one in sorted(runs, key=_key)]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def renewed(old: Sequence[ClientResult], new: Sequence[ClientResult]) -> list[ClientResult]:
    """The old ones, but for those that were run again, and the new ones."""
    return list({_key(one): one for one in (*old, *new)}.values())


def _key(one: ClientResult) -> Key:
    case = one.case
    return case.client, case.flow, case.kind, case.seed, case.arm
