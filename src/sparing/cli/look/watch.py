"""`sparing watch`: what happens, as it happens, from any terminal.

Reads the records and nothing else, so it needs no engine and disturbs none. What agents read,
write and say is shown line by line, and what each turn cost as soon as its bill is known.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.look.status import state_words
from sparing.cli.money.cache_warmth import warm_words
from sparing.cli.options import feature_argument
from sparing.cli.run.event_lines import agent_line, describe, named
from sparing.cli.run.live_status import LiveStatus
from sparing.cli.run.progress import SandboxTeller
from sparing.cli.screen import INTERRUPTED, echo, style, wrapped
from sparing.desk.features import history, view
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.page_presence import feature_link
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError
from sparing.event import FeatureEvent, StuckEvent
from sparing.money import dollars
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.report.spending import tokens

LOOK_SECONDS = 0.2
LAST = 10


@click.command("watch")
@feature_argument(required=False)
@click.option("--last", default=LAST, show_default=True, help="How many earlier events to show.")
@click.option("--no-follow", is_flag=True, help="Show past events and exit.")
def watch_command(feature: str | None, last: int, no_follow: bool) -> None:
    """Follow a run live, from any terminal.

    FEATURE is a number, a slug or a full name; without one, all of them. It exits when
    nothing is running and says what to do next; Ctrl-C stops watching, not the work.
    """
    office = open_office(Path.cwd(), reading=True)
    rows = [answers.find(office, feature)] if feature else view.open_rows(office)
    if not rows:
        raise FeatureError("there is nothing to watch here", 'sparing start "Add rate limiting"')
    follow(office, rows, last=last, once=no_follow)


def follow(
    office: Office, rows: Sequence[FeatureRow], *, last: int = 0, once: bool = False
) -> None:
    """Until nothing runs any more; Ctrl-C ends only the watching."""
    try:
        _follow(office, rows, last, once=once)
    except KeyboardInterrupt:
        echo("\nno longer watching; the work continues", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def _follow(office: Office, rows: Sequence[FeatureRow], last: int, *, once: bool) -> None:
    watcher = Watcher(office, rows, last)
    status = LiveStatus(office, only=[row.feature.key for row in rows])
    with office.database.watch() as changed:
        while True:
            if changed():
                for line in watcher.news():
                    echo(line)
                if once or watcher.over():
                    return
            elif not engine_runs(office):
                watcher.rests()
                return
            status.show()
            time.sleep(LOOK_SECONDS)


class Watcher:
    """Follows the records, and remembers what was shown already."""

    def __init__(self, office: Office, rows: Sequence[FeatureRow], last: int) -> None:
        self._office, self._rows = office, list(rows)
        self._keys = {row.feature.key: row.feature.id for row in rows}
        told = (one for one in history.events_since(office, 0) if one.feature in self._keys)
        before = [one.n for one in told if describe(one) or agent_line(one)]
        self._after = before[-last - 1] if len(before) > last else 0
        self._paid = {_name(one) for row in rows for one in self._bills(row)}
        self._sandbox = SandboxTeller(office)

    def news(self) -> Iterator[str]:
        events = list(history.events_since(self._office, self._after))
        stops = {one.feature: one.n for one in events if _waits(one)}
        for event in events:
            self._after = event.n
            if event.feature in self._keys:
                yield from self._told(event)
            if stops.get(event.feature) == event.n and event.feature in self._keys:
                yield from self._next(event)
        for row in self._rows:
            for bill in self._bills(row):
                if _name(bill) not in self._paid:
                    self._paid.add(_name(bill))
                    yield _paid(bill)

    def over(self) -> bool:
        return all(view.reload(self._office, row).status.is_over for row in self._rows)

    def rests(self) -> None:
        """Nothing is running: say what a person would do next."""
        echo("\nnothing is running here")
        for row in self._rows:
            shown = view.feature_view(self._office, view.reload(self._office, row), now())
            echo(wrapped(f"{shown.id} {state_words(shown)}", "  "))
            echo(f"    {style(shown.next_command, fg='cyan')}")
            warm = warm_words(self._office, view.reload(self._office, row))
            if warm:
                echo(wrapped(warm, "    "))

    def _told(self, event: Event) -> Iterator[str]:
        line = "" if self._sandbox.known(event) else describe(event) or agent_line(event)
        if not line:
            return
        yield line if len(self._keys) == 1 else named(event, line)

    def _next(self, event: Event) -> Iterator[str]:
        """What a person can do now; nothing after a stop that was answered since."""
        row = next(one for one in self._rows if one.feature.key == event.feature)
        shown = view.feature_view(self._office, view.reload(self._office, row), now())
        if not shown.waits_for or shown.answered:
            return
        yield f"    {style(shown.next_command, fg='cyan')}"
        if link := feature_link(self._office, row):
            yield f"    {style(link, fg='cyan')}"
        warm = warm_words(self._office, view.reload(self._office, row))
        if warm:
            yield wrapped(warm, "    ")

    def _bills(self, row: FeatureRow) -> list[LedgerRow]:
        return [one for one in history.ledger_rows(self._office, row) if one.result is not None]


def _waits(event: Event) -> bool:
    return event.what is FeatureEvent.GATE or isinstance(event.what, StuckEvent)


def _name(bill: LedgerRow) -> tuple[str, int]:
    return bill.attempt.dispatch, bill.number


def _paid(bill: LedgerRow) -> str:
    result = bill.result
    assert result is not None
    if result.usage is None:
        return style(f"    {bill.attempt.role}: cost unknown", dim=True)
    used, origin = result.usage, f" ({result.origin})" if result.origin else ""
    share = f"{100 * used.read // used.input} % cached" if used.input else "nothing sent"
    words = f"{tokens(used.input)} in ({share}), {tokens(used.output)} out"
    return style(f"    {bill.attempt.role}: {dollars(result.nano_usd)}, {words}{origin}", dim=True)
