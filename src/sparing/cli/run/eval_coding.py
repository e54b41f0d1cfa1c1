"""`sparing eval --coding`: our own tools and the client's on 20 small tasks with hidden tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sparing.cli.options import print_json
from sparing.cli.run.eval_consent import agreed
from sparing.cli.run.live_status import LiveStatus, watched
from sparing.cli.screen import echo, show, style
from sparing.config.process_environment import inherited_environment
from sparing.config.sources import sources_here
from sparing.desk.office import Office
from sparing.report.coding import CodingRow, coding_page
from sparing.workspace.sandbox.policy import Reach

if TYPE_CHECKING:
    from sparing.eval.coding import Coded


def eval_coding(
    office: Office, reach: Reach, most: int | None, cap: float | None, *, yes: bool, as_json: bool
) -> int:
    from sparing.eval.coding import CodingAsk, CodingTrial, forecast_usd, load_tasks, run_coding
    from sparing.runtime.surroundings import Surroundings

    around = Surroundings(
        office.folder, office.database, office.repository,
        sources_here(office.repository.checkout), headless=True, environ=inherited_environment(),
        level=reach.level,
    )  # fmt: skip
    folder: Path = office.repository.checkout.parent / "tasks"
    trial = CodingTrial(around, office.loaded, folder)
    arms = trial.arms
    asks = [CodingAsk(arm, task) for task in load_tasks()[:most] for arm in arms]
    name = office.loaded.settings.agent.backend
    what = f"{len(asks)} coding tasks by {name}"
    limit = agreed(what, forecast_usd(trial, asks), cap, yes=yes, quiet=as_json)
    if len(arms) == 1 and not as_json:
        echo(f"{name} can't use Sparing's tools: only the client's are tested", err=True)
    done = asyncio.run(
        watched(run_coding(trial, asks, limit, _tell), LiveStatus(office, quiet=as_json))
    )
    rows = [_row(arm.value, [one for one in done if one.arm is arm]) for arm in arms]
    rows = [row for row in rows if row.tasks]
    if as_json:
        shown = [row.dump() for row in rows]
        print_json(tools=shown, tasks_asked=len(asks), tasks_tried=len(done))
    else:
        show(coding_page(rows, len(asks), len(done)))
    return 0 if len(done) == len(asks) else 1


def _tell(one: Coded) -> None:
    said = "passed" if one.passed else f"not passed: {one.why}"
    echo(style(f"  {one.arm}: {one.task}: {said}, {one.calls} calls", dim=True), err=True)


def _row(arm: str, done: Sequence[Coded]) -> CodingRow:
    costs = [one.cost_usd for one in done if one.cost_usd is not None]
    return CodingRow(
        arm=arm,
        tasks=len(done),
        passed=sum(one.passed for one in done),
        calls=sum(one.calls for one in done),
        tokens=sum(one.usage.total for one in done),
        cost_usd=sum(costs) if len(costs) == len(done) else None,
        origin=" and ".join(sorted({one.origin for one in done})),
        seconds=sum(one.seconds for one in done),
        failed=tuple((one.task, one.why) for one in done if not one.passed),
    )
