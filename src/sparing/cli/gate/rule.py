"""`sparing rule`: a person's word on what reviewers and author can't agree on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, style
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
    """At a gate: what is open, and a word on one of it."""
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
    for one in found:
        where = f" ({one_line(one.location)})" if one.location else ""
        head = f"{one.id} {one.severity}, {one.stage}, {', '.join(one.roles)}, {one.state}"
        echo(style(head, bold=True) + ("" if one.counts else ", does not block"))
        echo(f"   {one_line(one.text)}{where}")
        if one.answer:
            echo(f"   author {one_line(one.answer)}")
        if one.ruling:
            echo(f"   {one.ruling} {one_line(one.words)}".rstrip())
    if here:
        return
    unruled = next((one.id for one in found if not one.ruling), "")
    if unruled:
        echo(f'\nrule on one: sparing rule {feature} {unruled} dismiss "why"')
    else:
        echo("\nAll findings have a ruling.")


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
