"""`sparing rule`: a person's decision where reviewers and author can't agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, style, wrapped
from sparing.desk.gates import answers
from sparing.desk.gates.rulings import (
    VERBS,
    RulingReceipt,
    RulingRequest,
    UnsettledFinding,
    open_findings,
    rule,
)
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.flow.state import FlowState
from sparing.records.features import FeatureRow
from sparing.report.reviews import one_line


@click.command("rule")
@feature_argument()
@click.argument("finding", required=False)
@click.argument("verb", required=False, type=click.Choice(list(VERBS)), metavar="[uphold|dismiss]")
@click.argument("why", required=False, default="")
@click.option("--stage", default="", help="The stage. Default: the current one.")
@json_option
def rule_command(
    feature: str, finding: str | None, verb: str | None, why: str, stage: str, as_json: bool
) -> None:
    """Decide whether a finding must be fixed or may stay.

    FEATURE alone: the open findings, with what both sides say. FINDING is an id such as F3. uphold:
    the reviewer is right, and the author revises. dismiss: the finding no longer counts, and later
    reviewers are told WHY. At a gate, `sparing approve` then continues accordingly.
    """
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature)
    if finding is None:
        _print_open(row.feature.id, open_findings(office, row, stage), as_json=as_json)
        return
    if verb is None:
        again = f'sparing rule {row.feature.id} {finding} dismiss "why"'
        raise UsageError(f"say how to rule on {finding}: uphold or dismiss", again)
    ruled = rule(office, row, RulingRequest(finding, VERBS[verb], why, stage), office.sender, now())
    _print_ruled(row.feature.id, ruled, as_json=as_json)


def rule_at_gate(office: Office, row: FeatureRow, ask: Callable[[str], str]) -> None:
    """At a gate: show what is open, and take a ruling on one finding."""
    stage = FlowState.load(row.place["state"]).stage
    _print_open(row.feature.id, open_findings(office, row, stage), as_json=False, here=True)
    said = ask('F1 dismiss "why", F1 uphold, or Enter to go back: ').split(maxsplit=2)
    if not said:
        return
    finding, verb, why = (*said, "", "")[:3]
    if verb not in VERBS:
        raise UsageError(
            f"say how to rule on {finding}", f'{finding} uphold, or {finding} dismiss "why"'
        )
    ruled = rule(
        office,
        row,
        RulingRequest(finding, VERBS[verb], why.strip("\"'"), stage),
        office.sender,
        now(),
    )
    _print_ruled(row.feature.id, ruled, as_json=False)


def _print_open(
    feature: str, found: tuple[UnsettledFinding, ...], *, as_json: bool, here: bool = False
) -> None:
    if as_json:
        print_json(feature=feature, open=[one.dump() for one in found])
        return
    if not found:
        echo(f"No finding of feature {feature} is open.")
        return
    _show_findings(found)
    if here:
        return
    unruled = next((one.id for one in found if not one.ruling), "")
    if unruled:
        echo(f"\nit must be fixed: sparing rule {feature} {unruled} uphold")
        echo(f'it may stay: sparing rule {feature} {unruled} dismiss "why"')
    else:
        echo("\nAll findings have a ruling.")


def show_disputed(office: Office, row: FeatureRow) -> None:
    """Beside the reason for which a stage is stuck: the findings that hold it up."""
    stage = FlowState.load(row.place["state"]).stage
    _show_findings([one for one in open_findings(office, row, stage) if one.counts], err=True)


def _show_findings(found: Sequence[UnsettledFinding], *, err: bool = False) -> None:
    """What is open, with the words of both sides."""
    for one in found:
        where = f" ({one_line(one.location)})" if one.location else ""
        times = f", raised {one.times} times" if one.times > 1 else ""
        head = f"{one.id} {one.severity}, {one.stage}, {', '.join(one.roles)}, {one.state}{times}"
        echo(style(head, bold=True) + ("" if one.counts else ", does not block"), err=err)
        echo(wrapped(f"{one.roles[0]}: {one_line(one.text)}{where}", "   "), err=err)
        if one.answer:
            echo(wrapped(f"the author {one_line(one.answer)}", "   "), err=err)
        if one.ruling:
            echo(wrapped(f"{one.ruling} {one_line(one.words)}".rstrip(), "   "), err=err)


def _print_ruled(feature: str, ruled: RulingReceipt, *, as_json: bool) -> None:
    one = ruled.finding
    command = f"sparing approve {feature}" if ruled.waits else f"sparing run {feature}"
    if as_json:
        print_json(
            feature=feature, stage=one.stage, finding=one.id, ruling=one.ruling,
            left=[other.id for other in ruled.left], next_command=command,
        )  # fmt: skip
        return
    rest = ", ".join(other.id for other in ruled.left)
    echo(f"{one.id} {one.ruling}." + (f" Not ruled on yet: {rest}." if rest else ""))
    if ruled.waits:
        echo(f"To continue with these rulings: {command}")
    else:
        echo("It counts from the next review on.")
