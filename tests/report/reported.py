"""A report made by hand, with something in every part of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sparing.report.figures import Figure, LoopRow, Report
from sparing.report.reviewers import Reviewers, YieldRow
from sparing.report.savings_table import Economy, LadderRow, SavingRow
from sparing.report.spending import Spending, SpendingRow
from sparing.report.turns import ReportedTurn
from sparing.usage import Usage

USAGE = Usage(read=9_000, write_5m=1_000, output=500)
EVIL = "<script>alert('$x$')</script>"


def turn(number: int, role: str = "spec-reviewer", **changes: Any) -> ReportedTurn:
    fields: dict[str, Any] = {
        "started": 60.0 * number, "seconds": 30.0, "feature": "f", "stage": "specify",
        "role": role, "iteration": number, "task": "", "way": "compose", "model": "m",
        "usage": USAGE, "origin": "measured", "cost_usd": 0.02, "naive_usd": 0.05,
        "predicted_usd": 0.03, **changes,
    }  # fmt: skip
    return ReportedTurn(**fields)


def economy(**changes: Any) -> Economy:
    step = SavingRow("trunk", "shared prompt prefix, cached once", 0.06, "simulated")
    fields: dict[str, Any] = {
        "turns": 2, "left_out": 0, "in_money": True, "origin": "measured", "billed": 0.04,
        "replayed": 0.04, "naive": LadderRow("naive", 0.1, "simulated", (step,)),
        "seed": LadderRow("seed", 0.08, "estimated", (step._replace(saved=0.04),)), "beyond": (),
        "typed": 0.3, "bound": 0.025, "best": 0.04, "exact": True, **changes,
    }  # fmt: skip
    return Economy(**fields)


def report(role: str = "spec-reviewer", title: str = "Add rate limiting", **more: Any) -> Report:
    row = SpendingRow(
        "specify", role, 2, 1, USAGE, 0, Decimal("0.04"), Usage(uncached=20_000), Decimal("0.1")
    )
    met = YieldRow(role, "m", "specify", 2, 1, 1, 0, 40_000_000, 40_000_000)
    figure = Figure("resumed prompts shorter", 1.0, "1 of 1", "measured", "asked for: all")
    fields: dict[str, Any] = {
        "feature": "001", "title": title, "status": "completed",
        "spending": Spending((row,), "measured"),
        "loops": (LoopRow("specify", role, 2, {"compose": 1, "resume": 1}, 90, 160, 25, 40),),
        "asked": (figure,), "claims": (figure,),
        "proof": (Figure("predicted cost", 1.5, "$0.06", "estimated against measured"),),
        "findings": {"blocker": {"resolved": 1}, "warning": {}},
        "reviewers": Reviewers((met,), (met,), (), "measured"), "economy": economy(),
        "turns": (turn(1, role), turn(2, role, way="resume")), **more,
    }  # fmt: skip
    return Report(**fields)
