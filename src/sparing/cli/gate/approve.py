"""`sparing approve` and `sparing reject`: answering a gate, whether an engine runs or not."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, is_terminal, prompt, style
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.gates import answers
from sparing.desk.gates.actions import leads_on
from sparing.desk.gates.repeated_feedback import NOTE, repeats
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.flow.state import FlowState, OutcomeKind
from sparing.records.features import FeatureRow

GOES_ON, STOPS = "it continues now", "it stops now"


@click.command("approve")
@feature_argument()
@json_option
def approve_command(feature: str, as_json: bool) -> None:
    """Approve what waits at a gate.

    FEATURE is a number, a slug or a full name. The answer takes effect at once, or with the next
    run of the feature.
    """
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature)
    stage = answers.approve(office, row, office.sender, now())
    what = f"a new session before {stage}" if answers.asks_handoff(row) else stage
    print_answered(
        office, row, f"{what} is approved", answer="approved", stage=stage, as_json=as_json
    )


@click.command("reject")
@feature_argument()
@click.argument("feedback", required=False)
@json_option
def reject_command(feature: str, feedback: str | None, as_json: bool) -> None:
    """Reject what waits at a gate, and say what to change.

    The stage runs again with FEEDBACK. Without it your editor opens with the document: lines that
    you add become comments, which the author answers one by one. After three rejections the feature
    stops. Rejecting a handoff continues in the existing session.
    """
    asked = feedback is None and is_terminal() and not as_json
    office = open_office(Path.cwd(), reading=not asked)
    row = answers.find(office, feature)
    if feedback is None and not asked and not answers.asks_handoff(row):
        raise UsageError("missing argument 'FEEDBACK'", f'sparing reject {feature} "say it here"')
    stops = not leads_on(FlowState.load(row.place["state"]), OutcomeKind.REJECT)
    with nullcontext(feedback) if feedback else _said(office, row) as said:
        stage = answers.reject(office, row, said, office.sender, now())
    if repeats(office, row, said):
        echo(f"note: {NOTE}", err=True)
    what = f"a new session before {stage}" if answers.asks_handoff(row) else stage
    words = f"{what} is rejected for the third time" if stops else f"{what} is rejected"
    print_answered(
        office,
        row,
        words,
        then=STOPS if stops else GOES_ON,
        answer="rejected",
        stage=stage,
        as_json=as_json,
    )


def _said(office: Office, row: FeatureRow) -> AbstractContextManager[str]:
    from sparing.cli.gate.gate import text_from_editor

    return text_from_editor(office, row, lambda: prompt("what should be different", err=True))


def print_answered(
    office: Office, row: FeatureRow, words: str, *, as_json: bool, then: str = GOES_ON,
    **facts: object,
) -> None:  # fmt: skip
    """Print what was answered and the next command: a running engine continues on its own."""
    number, runs = row.feature.id, engine_runs(office)
    command = f"sparing watch {number}" if runs else f"sparing run {number}"
    if as_json:
        print_json(feature=number, **facts, engine_runs=runs, next_command=command)
        return
    echo(f"{words}; {then if runs else 'to continue:'}")
    echo(f"  {style(command, fg='cyan')}")
