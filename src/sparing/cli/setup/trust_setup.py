"""`sparing trust --setup FEATURE`: review dependencies that a feature adds before they run."""

from __future__ import annotations

from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import confirm, echo, is_terminal, style
from sparing.desk.gates.answers import find
from sparing.desk.office import open_office
from sparing.desk.setup.worktree_setup import ChangedSetup, changed_setup, decide_setup
from sparing.errors import NeedsHuman
from sparing.printable import printable

MOST_OTHERS = 20


def trust_setup(name: str, *, yes: bool, as_json: bool) -> None:
    office = open_office(Path.cwd())
    row = find(office, name)
    found = changed_setup(office, row)
    agreed = found.found.said
    if not as_json:
        _show(found)
    if not found.files:
        later = " that you have not agreed to" if agreed else " of its set-up"
        _tell(found, agreed, as_json, f"the feature changes nothing{later}")
        return
    if not yes and not is_terminal():
        if as_json:
            _tell(found, agreed, as_json, "")
            return
        raise NeedsHuman("there is nobody to ask", f"sparing trust --setup {name} --yes")
    question = "run this set-up, with network, on the files of this commit?"
    agreed = yes or confirm(question, default=False, err=True)
    decide_setup(found, agreed=agreed)
    words = "it is set up again before the next turn or check" if agreed else "nothing new is run"
    _tell(found, agreed, as_json, f"{words}: sparing run {row.feature.id}")


def _show(found: ChangedSetup) -> None:
    for line in found.diff.splitlines():
        colour = {"+": "green", "-": "red"}.get(line[:1])
        echo(style(f"  {printable(line)}", fg=colour), err=True)
    for command in found.plan.commands:
        echo(f"  $ {printable(command.words)}", err=True)
    if found.others:
        more = f" and {len(found.others) - MOST_OTHERS} more" if found.others[MOST_OTHERS:] else ""
        names = ", ".join(map(printable, found.others[:MOST_OTHERS]))
        echo(f"  also changed, and within the set-up's reach: {names}{more}", err=True)


def _tell(found: ChangedSetup, agreed: bool | None, as_json: bool, words: str) -> None:
    if not as_json:
        echo(words)
        return
    print_json(
        files=list(found.files),
        others=list(found.others),
        commands=[one.words for one in found.plan.commands],
        diff=found.diff,
        known=found.found.known.commit,
        commit=found.found.now.commit,
        sha256=found.found.now.digest,
        agreed=agreed,
    )
