"""Commands for a feature besides answers: pause, resume, another stage, a message."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import (
    complete_stages,
    documents,
    feature_argument,
    json_option,
    print_json,
)
from sparing.cli.screen import confirm, echo, is_terminal, prompt, style
from sparing.desk.approvals.unseen_changes import unseen_notes
from sparing.desk.features import orders
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.orders import OrderReceipt, OrderTiming
from sparing.desk.features.skip_and_back import Jump, jump, plan_back, plan_skip
from sparing.desk.features.view import choices_of, reload
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.errors import NeedsHuman, UsageError
from sparing.feature import FeatureStatus
from sparing.records.features import FeatureRow

INTERRUPTED = "was interrupted; when it runs again, it pauses"
yes_option = click.option("--yes", is_flag=True, help="Don't ask.")


def _found(name: str, *, reading: bool = True) -> tuple[Office, FeatureRow]:
    office = open_office(Path.cwd(), reading=reading)
    return office, answers.find(office, name)


all_option = click.option(
    "--all", "every", is_flag=True, help="Every running feature of this repository."
)


@click.command("pause")
@feature_argument(required=False)
@all_option
@json_option
def pause_command(feature: str | None, every: bool, as_json: bool) -> None:
    """Pause a feature after its current turn.

    Nothing is lost or paid for twice: `sparing resume` continues from there. With --all: every
    feature of this repository.
    """
    if every and feature is None:
        pause_every(as_json=as_json)
        return
    if feature is None or every:
        raise UsageError("pause needs a feature, or --all", "sparing pause --all")
    office, row = _found(feature)
    done = orders.pause(office, row, office.sender, now())
    number = row.feature.id
    if engine_runs(office):
        _told(row, "pauses", done, f"sparing resume {number}", as_json=as_json)
    else:
        _told(row, INTERRUPTED, done, f"sparing run {number}", as_json=as_json)


def pause_every(*, as_json: bool) -> None:
    """Pause all features: no name is needed when spending must stop."""
    office = open_office(Path.cwd(), reading=True)
    rows = orders.pause_all(office, office.sender, now())
    numbers = [row.feature.id for row in rows]
    if as_json:
        print_json(paused=numbers, counts=OrderTiming.SOON.value, next_command="sparing list")
    elif not rows:
        echo("nothing is running here")
    words, then = ("pauses", "resume") if engine_runs(office) else (INTERRUPTED, "run")
    for number in () if as_json else numbers:
        echo(f"feature {number} {words}, {OrderTiming.SOON}")
        echo(f"  {style(f'sparing {then} {number}', fg='cyan')}")


@click.command("resume")
@feature_argument(required=False)
@json_option
def resume_command(feature: str | None, as_json: bool) -> None:
    """Resume a feature that was paused or got stuck.

    Without FEATURE: the one that stopped, if there is only one.
    """
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature) if feature else orders.stopped(office)
    stage = orders.resume(office, row, office.sender, now())
    _answered(office, row, f"{stage} will be resumed", as_json=as_json)


@click.command("skip")
@feature_argument()
@click.argument("stage", required=False, default="", shell_complete=complete_stages)
@yes_option
@json_option
def skip_command(feature: str, stage: str, yes: bool, as_json: bool) -> None:
    """Skip ahead to a later stage.

    Without STAGE one stage is skipped: the current one, or at a gate the next one. You see what
    will be missing and are asked to confirm. A stage whose documents are missing is refused. Before
    the first run it sets where the feature starts.
    """
    office, row = _found(feature)
    plan = plan_skip(office, row, stage)
    _agree(plan, f"skip to {plan.to}?", asks=not yes and not as_json)
    left = jump(office, row, plan, office.sender, now())
    _jumped(office, row, plan, f"{left} is left for {plan.to}", as_json=as_json)


@click.command("back")
@feature_argument()
@click.argument("stage", shell_complete=complete_stages)
@yes_option
@json_option
def back_command(feature: str, stage: str, yes: bool, as_json: bool) -> None:
    """Go back to an earlier stage and continue from there.

    You see which stages run again and are asked to confirm.
    """
    office, row = _found(feature)
    plan = plan_back(office, row, stage)
    _agree(plan, f"go back to {plan.to}?", asks=not yes and not as_json)
    left = jump(office, row, plan, office.sender, now())
    _jumped(office, row, plan, f"{left} is left, back to {plan.to}", as_json=as_json)


def _agree(plan: Jump, question: str, *, asks: bool) -> None:
    """Show what is lost in any case; ask for confirmation only on a terminal."""
    for line in plan.lost:
        echo(f"  {line}", err=True)
    if asks and is_terminal():
        confirm(question, default=False, abort=True, err=True)


def _jumped(office: Office, row: FeatureRow, plan: Jump, words: str, *, as_json: bool) -> None:
    if row.status is not FeatureStatus.PLANNED:
        print_answered(
            office, row, words, done=words, to=plan.to, lost=list(plan.lost), as_json=as_json
        )
        return
    command = f"sparing run {row.feature.id}"
    if as_json:
        print_json(
            feature=row.feature.id, done=words, to=plan.to, lost=list(plan.lost),
            next_command=command,
        )  # fmt: skip
        return
    echo(f"it begins with {plan.to}\n  {style(command, fg='cyan')}")


@click.command("abandon")
@feature_argument()
@yes_option
@json_option
def abandon_command(feature: str, yes: bool, as_json: bool) -> None:
    """Give up a feature; its branch, worktree and records stay."""
    office, row = _found(feature, reading=False)
    number, title = row.feature.id, row.feature.title
    orders.refuse_over(row)
    if not yes and not is_terminal():
        raise NeedsHuman(
            f"only a person can give up feature {number}", f"sparing abandon {number} --yes"
        )
    if not yes:
        confirm(f"give up {number} {title}?", default=False, abort=True, err=True)
    done = orders.abandon(office, row, office.sender, now())
    _told(row, "is abandoned", done, f"sparing show {number}", as_json=as_json)


@click.command("say")
@feature_argument()
@click.argument("words")
@json_option
def say_command(feature: str, words: str, as_json: bool) -> None:
    """Send the author a message for its next turn.

    WORDS is the message, such as "use Redis". It answers no gate and stops nothing.
    """
    office, row = _found(feature)
    done = orders.say(office, row, words, office.sender, now())
    _told(row, "hears it", done, f"sparing watch {row.feature.id}", as_json=as_json)


@click.command("edit")
@feature_argument()
@click.argument("document", required=False, default="", shell_complete=documents())
def edit_command(feature: str, document: str) -> None:
    """Edit a document at a gate in your editor.

    Without DOCUMENT: the one that waits for your approval. Your version becomes a separate commit.
    At a stage that writes code, edit the files in its worktree; they are used as you leave them.
    """
    from sparing.cli.gate.gate import edit_stage

    office, row = _found(feature, reading=False)

    def files() -> None:
        if is_terminal():
            prompt("  change the files there, then press Enter", "", show_default=False)

    edit_stage(office, row, document, files)
    for line in unseen_notes(office, reload(office, row)):
        echo(f"  {line}", err=True)
    for one in choices_of(office, reload(office, row), now())[:2]:
        words = f"   {one.words}" if one.words else ""
        echo(f"  {style(one.command, fg='cyan')}{words}", err=True)


def _answered(office: Office, row: FeatureRow, words: str, *, as_json: bool) -> None:
    print_answered(office, row, words, done=words, as_json=as_json)


def _told(row: FeatureRow, words: str, done: OrderReceipt, command: str, *, as_json: bool) -> None:
    number = row.feature.id
    if as_json:
        print_json(feature=number, stage=done.stage, counts=done.counts.value, next_command=command)
        return
    when = "" if done.counts is OrderTiming.NOW else f", {done.counts}"
    echo(f"feature {number} {words}{when}\n  {style(command, fg='cyan')}")
