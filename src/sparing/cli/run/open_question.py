"""A question at the terminal while features keep running."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

import click

from sparing.cli.gate.gate import AtGate
from sparing.cli.run.notify import notify
from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate


class OpenQuestion:
    """One question at a time, in a thread: meanwhile the mailbox is read and other features run."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._task: asyncio.Task[bool] | None = None
        self._left: set[str] = set()
        """Gates already asked about; one that the person left open is not asked about again."""

    @property
    def open(self) -> bool:
        return self._task is not None

    def ended(self) -> bool:
        """Whether the open question has ended by now; raises any error it ended with."""
        if self._task is None or not self._task.done():
            return False
        task, self._task = self._task, None
        task.result()
        return True

    def begin(self, row: FeatureRow, gate: Gate) -> None:
        if self.open or gate.id in self._left:
            return
        notify(self._office.loaded.settings.notify, *_call(row, gate))
        self._left.add(gate.id)
        context = click.get_current_context(silent=True)
        question = asyncio.to_thread(_ask, self._office, row, gate, context)
        self._task = asyncio.create_task(question)


def _call(row: FeatureRow, gate: Gate) -> tuple[str, str]:
    feature = row.feature
    waits = gate.reason or f"{gate.stage} waits for your approval"
    return f"sparing: {feature.id} {feature.title}", waits


def _ask(office: Office, row: FeatureRow, gate: Gate, context: click.Context | None) -> bool:
    """Ask at the terminal; False leaves the gate open."""
    # A thread knows nothing of the command that runs, so it is told: colours depend on it.
    with context.scope(cleanup=False) if context else nullcontext():
        return AtGate(office, row, gate).decide()
