"""`sparing worker`: run features for everyone who starts or answers one, from any machine."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.options import sandbox_flag, unsandboxed_option
from sparing.cli.run.engine_host import host_engine
from sparing.cli.screen import echo
from sparing.desk.features.view import has_unread, open_rows
from sparing.desk.office import open_office, refuse_second_address


@click.command("worker")
@click.option(
    "--slots",
    type=click.IntRange(1, 64),
    help="How many turns run at the same time. Default: agent.concurrency.",
)
@click.option("--until-idle", is_flag=True, help="Exit when there is nothing to do.")
@unsandboxed_option
def worker_command(slots: int | None, until_idle: bool, unsandboxed: bool) -> int:
    """Run features until stopped, whoever starts or answers them.

    With `state.database` any number of workers share the features of a repository, each in its own
    clone. If one is killed or cut off, others take over its features within seconds. On SIGTERM it
    starts nothing new, finishes its current turns and exits.
    """
    given: dict[str, object] = {"agent.concurrency": slots} if slots else {}
    office = open_office(Path.cwd(), {**sandbox_flag(unsandboxed), **given})

    refuse_second_address(office)

    def lives() -> bool:
        return not until_idle or has_unread(office) or any(row.running for row in open_rows(office))

    echo(f"working for {office.repository.checkout}; SIGTERM drains, Ctrl-C ends", err=True)
    host_engine(office, lives)
    return 0
