"""`sparing trust`: let the role files that come with a repository count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sparing.cli.options import is_terminal, json_option, print_json
from sparing.desk.office import open_office
from sparing.desk.roles import Candidate, candidates, revoke_all, trust_files
from sparing.errors import NeedsHuman
from sparing.roles.trust import Standing


@click.command("trust")
@click.option("--yes", is_flag=True, help="Trust all of them without a question.")
@click.option("--revoke", is_flag=True, help="Trust none of them any more.")
@json_option
def trust_command(yes: bool, revoke: bool, as_json: bool) -> None:
    """Read the role files that come with this repository, and let them count.

    Files in .sparing/roles and .claude/agents change what agents are told. Each is shown with its
    hash; one whose bytes change is asked about again. They never give an agent more access.
    """
    office = open_office(Path.cwd())
    if revoke:
        count = revoke_all(office)
        _tell(as_json, {"revoked": count}, f"{count} files were trusted; none is any more")
        return
    found = candidates(office)
    waiting = [one for one in found if one.standing is not Standing.TRUSTED]
    if as_json and not yes:
        print_json(files=[_row(one) for one in found])
        return
    for one in waiting if not as_json else ():
        _show(one)
    taken = waiting if yes else _ask(waiting)
    trust_files(office, [one.file for one in taken])
    words = f"{len(taken)} of {len(found)} files newly trusted" if found else _nothing()
    _tell(as_json, {"trusted": [one.file.where for one in taken]}, words)


def _ask(waiting: list[Candidate]) -> list[Candidate]:
    if waiting and not is_terminal():
        raise NeedsHuman(
            f"{len(waiting)} role files are not trusted, and nobody is here to be asked",
            "read them, then: sparing trust --yes",
        )
    return [
        one
        for one in waiting
        if click.confirm(f"trust {one.file.where} as it is now?", default=False, err=True)
    ]


def _show(one: Candidate) -> None:
    click.echo(click.style(one.file.where, bold=True) + f"  {one.standing}")
    click.echo(f"  sha256 {one.file.digest}")
    for note in one.notes:
        click.echo(f"  {click.style('·', dim=True)} {printable(note)}")
    for line in one.file.text.splitlines():
        click.echo(f"  │ {printable(line)}")
    click.echo()


def printable(text: str) -> str:
    """A stranger's text must not move the cursor or hide a line."""
    return "".join(
        letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


def _row(one: Candidate) -> dict[str, Any]:
    return {
        "path": one.file.where,
        "sha256": one.file.digest,
        "standing": one.standing.name.lower(),
        "notes": list(one.notes),
    }


def _nothing() -> str:
    return "this repository has no role files in .sparing/roles or .claude/agents"


def _tell(as_json: bool, content: dict[str, Any], words: str) -> None:
    if as_json:
        print_json(**content)
    else:
        click.echo(words)
