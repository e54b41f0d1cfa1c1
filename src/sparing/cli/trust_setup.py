"""`sparing trust --setup FEATURE`: dependencies that a feature adds are seen before they run."""

from __future__ import annotations

from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import confirm, echo, is_terminal, style
from sparing.desk.control import find
from sparing.desk.office import open_office
from sparing.desk.setups import ChangedSetup, changed_setup, decide_setup
from sparing.errors import NeedsHuman
from sparing.printable import printable


def trust_setup(name: str, *, yes: bool, as_json: bool) -> None:
    office = open_office(Path.cwd())
    row = find(office, name)
    found = changed_setup(office, row)
    if not as_json:
        _show(found)
    if not found.files:
        _tell(found, as_json, "the feature changes nothing of its set-up")
        return
    if not yes and not is_terminal():
        if as_json:
            _tell(found, as_json, "")
            return
        raise NeedsHuman("nobody is here to be asked", f"sparing trust --setup {name} --yes")
    question = "run this set-up in the feature's worktree?"
    agreed = yes or confirm(question, default=False, err=True)
    decide_setup(office, found, agreed=agreed)
    words = "the set-up runs" if agreed else "it goes on without a new set-up"
    _tell(found._replace(agreed=agreed), as_json, f"{words}: sparing run {row.feature.id}")


def _show(found: ChangedSetup) -> None:
    for line in found.diff.splitlines():
        colour = {"+": "green", "-": "red"}.get(line[:1])
        echo(style(f"  {printable(line)}", fg=colour), err=True)
    for command in found.plan.commands:
        echo(f"  $ {printable(command.words)}", err=True)


def _tell(found: ChangedSetup, as_json: bool, words: str) -> None:
    if not as_json:
        echo(words)
        return
    print_json(
        files=list(found.files),
        commands=[one.words for one in found.plan.commands],
        diff=found.diff,
        sha256=found.digest,
        agreed=found.agreed,
    )
