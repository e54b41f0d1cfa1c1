"""What happens, line by line, while features run."""

from __future__ import annotations

import sys
from typing import Any

import click

from sparing.cli.screen import printable
from sparing.desk.history import events_since
from sparing.desk.office import Office
from sparing.records.events import Event

WAYS = {
    "compose": "fresh",
    "reference": "fresh, by reference",
    "resume": "resumed",
    "fork": "forked",
}


VERBS = {
    "approve": "approved",
    "reject": "rejected",
    "continue": "goes on",
    "rerun": "runs again",
    "skip": "skips to",
    "back": "goes back to",
    "abandon": "abandoned",
}
LONGEST = 60
PAUSED = "paused by you"


class Progress:
    """Prints events it has not printed yet, to stderr."""

    def __init__(self, office: Office, after: int, *, quiet: bool) -> None:
        self._office = office
        self._after = after
        self._quiet = quiet

    def show(self) -> None:
        if self._quiet:
            return
        for event in events_since(self._office, self._after):
            self._after = event.n
            line = describe(event)
            if line:
                click.echo(line, err=True)
        sys.stderr.flush()


def describe(event: Event) -> str:
    """One line, or none for what is too small to tell."""
    writer = WRITERS.get(event.kind)
    return "" if writer is None else writer(event)


def _stage(event: Event) -> str:
    return "\n" + click.style(event.stage, bold=True)


def _asks(event: Event) -> str:
    way = WAYS.get(event.data["way"], event.data["way"])
    again = "" if event.data["attempt"] == 1 else f", attempt {event.data['attempt']}"
    return f"  {click.style('·', dim=True)} {event.role} {click.style(f'({way}{again})', dim=True)}"


def _verdict(event: Event) -> str:
    if event.data["passed"]:
        return f"  {click.style('✓', fg='green')} {event.role} is satisfied"
    counts = _counted(event.data["findings"])
    return f"  {click.style('✗', fg='yellow')} {event.role}: {counts or event.text}"


def _counted(severities: list[str]) -> str:
    parts = [
        f"{severities.count(word)} {word}{'s' if severities.count(word) > 1 else ''}"
        for word in ("blocker", "warning", "suggestion")
        if word in severities
    ]
    return ", ".join(parts)


def _commit(event: Event) -> str:
    return f"  {click.style('+', fg='green')} {event.data['commit'][:10]} {event.text}"


def _checks(event: Event) -> str:
    green = all(event.data.values())
    mark = click.style("✓", fg="green") if green else click.style("✗", fg="red")
    return f"  {mark} the repository's checks: {event.text}"


def _handover(event: Event) -> str:
    home = event.data["merged"] or event.data.get("url")
    first = f"  {click.style('→', fg='green' if home else 'yellow')} {event.text}"
    commands = [f"    {click.style(one, fg='cyan')}" for one in event.data.get("commands", ())]
    return "\n".join((first, *commands))


def _gate(event: Event) -> str:
    return f"  {click.style('?', fg='cyan')} {event.stage} waits for your approval"


def _answered(event: Event) -> str:
    answer = event.data["answer"]
    verb = VERBS.get(answer, answer)
    said = f": {_short(event.text)}" if event.text else ""
    return f"  {click.style('»', fg='cyan')} {verb} ({event.data['by']}){said}"


def _stuck(event: Event) -> str:
    if event.text == PAUSED:
        return f"  {click.style('‖', fg='cyan')} {event.stage} is {PAUSED}"
    return f"  {click.style('!', fg='red')} {event.stage} is stuck: {event.text}"


def _note(event: Event) -> str:
    who = f"{event.role}: " if event.role else ""
    return click.style(f"  ~ {who}{event.text}", dim=True)


def _sandbox(event: Event) -> str:
    weak = event.data["level"] not in ("sealed", "shell")
    words = f"agents and checks are confined: {event.data['level']}"
    return click.style(f"  ! {event.text}", fg="yellow") if weak else click.style(words, dim=True)


def _incident(event: Event) -> str:
    return f"  {click.style('!', fg='yellow')} {printable(' '.join(event.text.split()))}"


def _refused(event: Event) -> str:
    return click.style(f"  ~ {printable(' '.join(event.text.split()))}", dim=True)


def _outputs(event: Event) -> str:
    return click.style(f"    all of its output: {event.text}", dim=True) if event.text else ""


def _said(event: Event) -> str:
    return f"  {click.style('»', fg='cyan')} said ({event.data['by']}): {_short(event.text)}"


def _edited(event: Event) -> str:
    commit, text = event.data["commit"][:10], event.text
    return f"  {click.style('+', fg='cyan')} {commit} {text}"


def _setup(event: Event) -> str:
    return f"  {click.style('✓', fg='green')} set-up: {_short(event.text)}"


def _abandoned(_event: Event) -> str:
    return click.style("\nabandoned", fg="yellow", bold=True)


def _short(text: str) -> str:
    """The beginning, on one line, with nothing that could move the cursor."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _done(_event: Event) -> str:
    return click.style("\ndone", fg="green", bold=True)


WRITERS: dict[str, Any] = {
    "stage": _stage,
    "asks": _asks,
    "verdict": _verdict,
    "commit": _commit,
    "checks": _checks,
    "handover": _handover,
    "gate": _gate,
    "answered": _answered,
    "stuck": _stuck,
    "warning": _note,
    "unread": _note,
    "sandbox": _sandbox,
    "incident": _incident,
    "refused": _refused,
    "outputs": _outputs,
    "said": _said,
    "edited": _edited,
    "setup": _setup,
    "abandoned": _abandoned,
    "done": _done,
}
