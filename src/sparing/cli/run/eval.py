"""`sparing eval`: how many planted defects reviewers find and at what cost, by prompt order."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparing.backend_name import NAMES
from sparing.cli.clock import now
from sparing.cli.options import json_option, print_json
from sparing.cli.run.eval_coding import eval_coding
from sparing.cli.run.eval_consent import agreed
from sparing.cli.run.live_status import LiveStatus, watched
from sparing.cli.screen import echo, show, style
from sparing.config.process_environment import inherited_environment
from sparing.config.settings import Sandbox
from sparing.config.sources import sources_here
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.money import dollars
from sparing.report.trial import ARMS, TrialRow, trial_page
from sparing.review.exam import CLEAN, Case, load_exam, score
from sparing.workspace.project.new_repository import create_repository
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import Reach, settle_level

if TYPE_CHECKING:
    from sparing.eval.trial import Ask, Looked, Trial

TITLE = "Invite colleagues"
"""Title of every feature: nothing in a prompt may reveal what is planted."""


@click.command("eval")
@click.option(
    "--order", "orders", multiple=True, type=click.Choice(list(ARMS)),
    help="Prompt order to test; may be repeated. Default: all three.",
)  # fmt: skip
@click.option("--cases", type=click.IntRange(1), help="Use only this many cases or coding tasks.")
@click.option(
    "--coding", is_flag=True,
    help="Run 20 small coding tasks with hidden tests: Sparing's tools against the client's.",
)  # fmt: skip
@click.option(
    "--backend", type=click.Choice(NAMES), metavar="NAME",
    help=f"Who reviews: {', '.join(NAMES)}. Default: the setting agent.backend.",
)  # fmt: skip
@click.option("--cap", type=click.FloatRange(0.01), help="Spend at most this many US dollars.")
@click.option("--yes", is_flag=True, help="Accept the forecast without asking.")
@json_option
def eval_command(
    orders: tuple[str, ...], cases: int | None, coding: bool, backend: str | None,
    cap: float | None, yes: bool, as_json: bool,
) -> int:  # fmt: skip
    """Measure how many of 30 planted defects reviewers find, and what it costs.

    The defects are in specs, designs, plans and code of a small project. Each reviewer gets them in
    three prompt orders: seed, nested, resume. With --coding a writer does small tasks instead, once
    with each set of tools, and hidden tests check the result. This spends money with your own
    login: you see the forecast and are asked before anything is sent.
    """
    from sparing.eval.trial import Arm, asks_of, forecast_usd, run_trial

    if coding:
        with tempfile.TemporaryDirectory(prefix="sparing-eval-") as folder:
            found = _office(Path(folder), backend)
            return eval_coding(*found, cases, cap, yes=yes, as_json=as_json)
    exam = load_exam()
    asks = asks_of(exam, [Arm(name) for name in orders or ARMS], cases)
    with tempfile.TemporaryDirectory(prefix="sparing-eval-") as folder:
        office, reach = _office(Path(folder), backend)
        trial = _trial(office, reach, asks)
        what = f"{len(asks)} reviews by {_who(trial)}"
        limit = agreed(what, forecast_usd(trial, asks), cap, yes=yes, quiet=as_json)
        looks = asyncio.run(
            watched(run_trial(trial, asks, limit, _tell), LiveStatus(office, quiet=as_json))
        )
    rows = _rows(looks)
    wanted = sum(2 if ask.arm is Arm.RESUME else 1 for ask in asks)
    if as_json:
        print_json(orders=[row.dump() for row in rows], looks_asked=wanted, looks_made=len(looks))
    else:
        show(trial_page(rows, wanted, len(looks)))
    return 0 if len(looks) == wanted and not any(one.failure for one in looks) else 1


def _office(folder: Path, backend: str | None) -> tuple[Office, Reach]:
    """Opened on a separate project: nothing of the user's repository is read or sent."""
    repository = create_repository(folder / "roster", load_exam().base, "roster, a sample", now())
    flags: dict[str, object] = {"state.folder": str(folder / "state")}
    if backend:
        flags["agent.backend"] = backend
    office = open_office(repository.checkout, flags)
    reach = level_reached()
    optional = office.loaded.settings.workspace.sandbox is Sandbox.OPTIONAL
    settle_level(reach, unsandboxed=optional)
    return office, reach


def _trial(office: Office, reach: Reach, asks: Sequence[Ask]) -> Trial:
    from sparing.eval.trial import Trial, name_of
    from sparing.runtime.surroundings import Surroundings

    sources = sources_here(office.repository.checkout)
    around = Surroundings(
        office.folder, office.database, office.repository, sources, headless=True,
        environ=inherited_environment(), level=reach.level,
    )  # fmt: skip
    own = {"agent.backend": office.loaded.settings.agent.backend}
    rows = {name_of(ask): answers.start(office, TITLE, "feature", own, now()) for ask in asks}
    return Trial(around, load_exam(), rows)


def _who(trial: Trial) -> str:
    return trial.around.backend(next(iter(trial.rows.values()))).name


def _tell(looked: Looked) -> None:
    found = score(looked.case, looked.findings)
    alarms = f"{found.alarms} false alarm{'s' if found.alarms != 1 else ''}"
    met = f"{len(found.found)} of {len(looked.case.defects)} found, "
    said = looked.failure or f"{met if looked.case.defects else ''}{alarms}"
    what = f"{looked.case.id}, {looked.role}"
    if not looked.case.defects:
        clean = looked.case.id.startswith(CLEAN)
        what = looked.case.id if clean else f"{what}, before the change"
    words = f"  {looked.arm}: {what}: {said}, {dollars(looked.nano_usd)}"
    echo(style(words, dim=True), err=True)


def _rows(looks: Sequence[Looked]) -> list[TrialRow]:
    arms = dict.fromkeys(look.arm for look in looks)
    return [_row(arm.value, [look for look in looks if look.arm is arm]) for arm in arms]


def _row(arm: str, looks: Sequence[Looked]) -> TrialRow:
    scores = [(look, score(look.case, look.findings)) for look in looks]
    kinds: dict[str, tuple[int, int]] = {}
    for look, result in scores:
        case: Case = look.case
        if case.defects:
            found, planted = kinds.get(case.subject.value, (0, 0))
            kinds[case.subject.value] = (found + len(result.found), planted + len(case.defects))
    bills = [look.nano_usd for look in looks if look.nano_usd is not None]
    return TrialRow(
        arm=arm,
        looks=len(looks),
        failed=sum(bool(look.failure) for look in looks),
        planted=sum(len(look.case.defects) for look in looks),
        found=sum(len(result.found) for _, result in scores),
        alarms=sum(result.alarms for _, result in scores),
        nano_usd=sum(bills) if len(bills) == len(looks) else None,
        origin=" and ".join(sorted({look.origin for look in looks})),
        by_kind=kinds,
        missed=tuple(name for _, result in scores for name in result.missed),
    )
