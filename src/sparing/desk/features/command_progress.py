"""Which check or set-up runs now, for how long, and what it printed last."""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.office import Office
from sparing.workspace.checks.live_output import running_commands


class CommandProgress(NamedTuple):
    words: str
    """`set-up: make setup, 12 s`"""
    last: str
    output: str
    """The file with all that it has printed so far."""
    key: str
    """The same for as long as it runs."""


def command_progress(office: Office, at: float) -> list[CommandProgress]:
    redact = office.folder.redactor.clean
    return [
        CommandProgress(
            f"{one.name}: {redact(one.command)}, {_time(at - one.since)}", redact(one.last),
            str(one.output), one.output.name,
        )
        for one in running_commands(office.folder.scratch)
    ]  # fmt: skip


def _time(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60} s"
