"""Rounds that fix what was said about pull requests, as proposed by `sparing run`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from sparing.cli.clock import now
from sparing.cli.options import print_json
from sparing.cli.run.pull_requests import look_at_pulls, look_data, print_plan, tell_open
from sparing.cli.run.run_loop import Mode
from sparing.cli.screen import confirm, echo, style
from sparing.config.process_environment import network_environment
from sparing.desk.features.view import reload
from sparing.desk.office import Office
from sparing.desk.upstream.fix_round import FixRound, plan_fix, start_fix
from sparing.desk.upstream.pull_requests import PullLook, requested, seen
from sparing.errors import FeatureError, NeedsHuman
from sparing.feature import FeatureStatus
from sparing.records.features import FeatureRow

Run = Callable[[Sequence[FeatureRow]], int]


class PullRounds:
    """The rounds of one `sparing run`: each set of findings is proposed once."""

    def __init__(self, office: Office, only: Sequence[FeatureRow] | None, mode: Mode) -> None:
        self.mode, self.ended = mode, False
        self._office, self._only = office, only
        self._seconds = office.loaded.settings.commits.poll_seconds
        self._proposed: set[tuple[str, ...]] = set()

    def look(self) -> list[PullLook]:
        """Ask the host; features whose pull requests are over are ended by it."""
        if not self._seconds:
            return []
        open_before = len(requested(self._office, self._only))
        found = look_at_pulls(self._office, self._only)
        self.ended = self.ended or len(found) < open_before
        return found

    def known(self) -> list[PullLook]:
        """What was seen last, including while features ran."""
        rows = self._only and [reload(self._office, row) for row in self._only]
        return [seen(self._office, row) for row in requested(self._office, rows)]

    def agreed(self, looks: Sequence[PullLook]) -> list[FeatureRow]:
        """Features whose round a person agreed to, now or in advance; the others are named."""
        found: list[FeatureRow] = []
        for one in looks:
            row = reload(self._office, one.row)
            name = (row.feature.key, *(finding.id for finding in one.findings))
            if row.status is not FeatureStatus.COMPLETED or not one.findings:
                continue
            if one.over or name in self._proposed:
                continue
            self._proposed.add(name)
            if self._agrees(row):
                found.append(reload(self._office, row))
        return found

    def _agrees(self, row: FeatureRow) -> bool:
        unasked = self._unasked(row) if self.mode is Mode.YES else None
        plan = unasked or plan_fix(self._office, row)
        print_plan(row, plan)
        asks = self.mode is Mode.ASK
        if not unasked and not (asks and confirm("  let them fix it?", default=False, err=True)):
            again = style(f"sparing fix {row.feature.id}", fg="cyan")
            echo(f"  {again}   to fix it later", err=True)
            return False
        start_fix(self._office, row, plan, network_environment(), now())
        return True

    def _unasked(self, row: FeatureRow) -> FixRound | None:
        """The round that consent given in advance allows; None if there is nothing to fix."""
        try:
            return plan_fix(self._office, row, members=True)
        except FeatureError:
            return None

    def told(self, looks: Sequence[PullLook], run: Run, *, as_json: bool, wait: bool) -> int:
        """If there is nothing else to run: print the state of the pull requests."""
        if as_json:
            print_json(features=[], pull_requests=[look_data(one) for one in looks])
        else:
            tell_open(looks)
        needs = NeedsHuman.exit_code if any(one.findings for one in looks) else 0
        return self.stay(run, needs) if wait else needs

    def follow(self, run: Run, code: int, *, wait: bool) -> int:
        """After a run: run rounds for findings that came in the meantime."""
        while more := self.agreed(self.known()):
            code = run(more)
        return self.stay(run, code) if wait else code

    def stay(self, run: Run, code: int = 0) -> int:
        """Keep checking until no pull request is open, or one needs a person."""
        while not code and self._seconds and requested(self._office, self._only):
            time.sleep(self._seconds)
            looks = self.look()
            rows = self.agreed(looks)
            if rows:
                code = run(rows)
            elif any(one.findings for one in looks):
                code = NeedsHuman.exit_code
        return code
