"""Pull requests in a terminal: what was said about them, the round that fixes it, and their end."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from sparing.cli.clock import now
from sparing.cli.screen import echo, style, wrapped
from sparing.config.process_environment import network_environment
from sparing.desk.features.view import reload
from sparing.desk.office import Office
from sparing.desk.upstream.fix_round import FixRound, finding_words, severities
from sparing.desk.upstream.pull_end import end_feature
from sparing.desk.upstream.pull_requests import PullLook, look, pull_words, requested
from sparing.errors import SparingError
from sparing.printable import printable
from sparing.records.features import FeatureRow
from sparing.upstream.pull_findings import PullFinding

LONGEST_LINE = 160
PATIENCE = 4
"""Checks skipped after one that failed, so as not to use up the host's rate limit."""


def look_at_pulls(office: Office, rows: Sequence[FeatureRow] | None = None) -> list[PullLook]:
    """Check each one that is still open; ends the features of those that are over."""
    found = [look(office, row, network_environment(), now()) for row in requested(office, rows)]
    for fault in dict.fromkeys((one.fault.what, one.fault.repair) for one in found if one.fault):
        echo(f"note: {fault[0]}\n  fix: {fault[1]}", err=True)
    for one in found:
        if one.over:
            tell_end(office, one)
    return [one for one in found if not one.over]


def tell_end(office: Office, found: PullLook) -> None:
    ended, number = end_feature(office, found, now()), found.row.feature.id
    echo(f"{style(number, bold=True)} {printable(ended.words)}", err=True)
    for line in ended.kept:
        echo(f"  {printable(line)}", err=True)


def print_findings(found: Iterable[PullFinding]) -> None:
    """One or two lines each; the whole text is untrusted."""
    for one in found:
        finding = one.finding
        echo(f"  {printable(finding_words(one))}", err=True)
        first = next((line for line in finding.text.splitlines() if line.strip()), "")
        more = "" if finding.text.strip() == first.strip() else " …"
        echo(wrapped(printable(first.strip()[:LONGEST_LINE]) + more, "      "), err=True)


def print_plan(row: FeatureRow, plan: FixRound) -> None:
    what = severities(plan.findings)
    echo(f"{style(row.feature.id, bold=True)} pull request #{plan.number}: {what}", err=True)
    print_findings(plan.findings)
    if plan.left:
        ids = ",".join(one.id for one in plan.left)
        echo(f"  left out: {ids} (to include: sparing fix {row.feature.id} --only …)", err=True)
    echo(f"  a round of {plan.author} and the reviewers: {plan.price}", err=True)


def tell_open(looks: Iterable[PullLook]) -> None:
    for one in looks:
        if not one.findings and one.told.number:
            number = style(one.row.feature.id, bold=True)
            echo(f"{number} {printable(pull_words(one.told))}", err=True)


def look_data(one: PullLook) -> dict[str, object]:
    told = one.told
    return {
        "feature": one.row.feature.id, "number": told.number, "url": told.url,
        "state": told.state, "checks": {
            "red": list(told.red), "pending": told.pending, "green": told.green,
        },
        "findings": [
            {
                "id": f.id, "author": f.author, "member": f.member, "text": f.finding.text,
                "severity": f.finding.severity.value, "location": f.finding.location,
            }
            for f in one.findings
        ],
        "error": {"what": one.fault.what, "fix": one.fault.repair} if one.fault else None,
    }  # fmt: skip


class PullWatch:
    """Checks at intervals while features run, in a thread that is never waited for."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._seconds = office.loaded.settings.commits.poll_seconds
        self._next = now() + self._seconds
        self._thread: threading.Thread | None = None
        self._told: set[str] = set()
        self._found: list[PullLook] = []

    def turn(self, *, hold: bool) -> None:
        """Start a check if it is time, and print the results of the last one; never waits."""
        if hold or not self._seconds or (self._thread and self._thread.is_alive()):
            return
        for one in self._found:
            self._tell(one)
        if any(one.fault for one in self._found):
            self._next += self._seconds * PATIENCE
        self._found, self._thread = [], None
        if now() >= self._next:
            self._next = now() + self._seconds
            self._thread = threading.Thread(target=self.look_now, daemon=True)
            self._thread.start()

    def look_now(self) -> None:
        for row in requested(self._office):
            self._found.append(look(self._office, row, network_environment(), now()))

    def _tell(self, one: PullLook) -> None:
        """Print errors and ends; other news are events, which are shown with all the others."""
        words = f"{one.fault.what}\n  fix: {one.fault.repair}" if one.fault else ""
        if words and words not in self._told:
            echo(f"note: {words}", err=True)
        self._told.add(words)
        if one.over and self._mark(one):
            try:
                tell_end(self._office, one)
            except SparingError as error:  # it has just moved: the next look ends it
                self._told.discard(self._name(one))
                echo(f"note: {error.what}", err=True)

    def _mark(self, one: PullLook) -> bool:
        """Whether its end is news; a running feature's is reported now and once it has stopped."""
        running = reload(self._office, one.row).running
        name = self._name(one) + ("…" if running else "")
        new = name not in self._told
        self._told.add(name)
        return new

    def _name(self, one: PullLook) -> str:
        return f"{one.row.feature.key} {one.told.state}"
