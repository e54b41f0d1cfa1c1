"""`sparing raise`: raise a cap, and resume what it has stopped."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TypedDict, Unpack

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo
from sparing.desk.gates import answers
from sparing.desk.money.caps import CapRequest, RaisedCap, raise_caps
from sparing.desk.office import open_office
from sparing.errors import UsageError
from sparing.money import CapMeasure, CapScope, to_nano
from sparing.records.features import FeatureRow

MOST_USD = 1_000_000
MOST = 10**12


class CapScopes(TypedDict):
    """What the raise applies to: at most one of these."""

    stage: str
    day: bool
    turn: bool


@click.command("raise")
@feature_argument()
@click.option("--money", metavar="USD", help="The new limit in US dollars.")
@click.option("--tokens", type=click.IntRange(1, MOST), help="The new limit in tokens.")
@click.option("--attempts", type=click.IntRange(1, 100), help="How often one request may be sent.")
@click.option("--stage", default="", help="Raise the cap of this stage, not of the feature.")
@click.option("--day", is_flag=True, help="Raise today's cap, for all features of this repository.")
@click.option("--turn", is_flag=True, help="Raise the limit for a single agent turn.")
@json_option
def raise_command(
    feature: str,
    money: str | None,
    tokens: int | None,
    attempts: int | None,
    as_json: bool,
    **scopes: Unpack[CapScopes],
) -> None:
    """Raise a spending cap and resume the feature it stopped.

    FEATURE is a number, a slug or a full name. The numbers are the new limits, not increments.
    Without a limit: resume if the settings, or a new day, allow it by now. Finished work is not
    repeated, and what was spent stays counted.
    """
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature)
    scope = _scope(scopes)
    wish = CapRequest(scope, scopes["stage"], _amounts(money, tokens))
    if attempts is not None:
        if wish.amounts or scope is not CapScope.FEATURE:
            raise UsageError(
                "--attempts can't be combined with other limits",
                f"sparing raise {row.feature.id} --attempts {attempts}",
            )
        wish = CapRequest(CapScope.DISPATCH, "", {CapMeasure.ATTEMPTS: attempts})
    _told(row, raise_caps(office, row, wish, office.sender, now()), as_json=as_json)


def _scope(scopes: CapScopes) -> CapScope:
    named = [CapScope(name) for name, given in scopes.items() if given]
    if len(named) > 1:
        raise UsageError("use only one of --stage, --day and --turn", "sparing raise --help")
    return named[0] if named else CapScope.FEATURE


def _amounts(money: str | None, tokens: int | None) -> dict[CapMeasure, int]:
    amounts: dict[CapMeasure, int] = {}
    if money is not None:
        amounts[CapMeasure.MONEY] = _nano(money)
    if tokens is not None:
        amounts[CapMeasure.TOKENS] = tokens
    return amounts


def _nano(text: str) -> int:
    try:
        usd = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        usd = Decimal(0)
    if not usd.is_finite() or not 0 < usd <= MOST_USD:
        raise UsageError(
            f"{text!r} is not an amount of US dollars above 0 and up to {MOST_USD}",
            "sparing raise FEATURE --money 60",
        )
    return to_nano(usd)


def _told(row: FeatureRow, raised: RaisedCap, *, as_json: bool) -> None:
    number = row.feature.id
    stands = raised.stands
    command = f"sparing raise {number} {stands.advice}" if stands else f"sparing run {number}"
    if as_json:
        print_json(
            feature=number, goes_on=raised.parked and stands is None,
            stands=stands.dump() if stands else None, next_command=command,
        )  # fmt: skip
    elif stands:
        echo(f"raised, but not enough: {stands.words}\n  {command}")
    elif raised.parked:
        echo(f"raised. A running engine continues by itself; otherwise: {command}")
    else:
        echo("raised. It counts from the next turn on.")
