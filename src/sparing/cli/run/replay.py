"""`sparing replay`: a recorded run played again, offline, and compared with the recording."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.run.run_loop import run_features
from sparing.cli.screen import echo, style
from sparing.desk.cassettes.replay import (
    Comparison,
    RecordedPeople,
    compare,
    open_replay,
    readable,
)
from sparing.desk.features import view
from sparing.errors import NeedsHuman, UsageError
from sparing.money import dollars

MOST_NAMED = 8


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--keep", type=click.Path(path_type=Path), help="Replay it in this folder and keep the folder."
)
@json_option
def replay_command(file: Path, keep: Path | None, as_json: bool) -> int:
    """Replay a recorded run offline and compare the results.

    Sparing makes every decision again, in a repository created from FILE. Agents' replies and
    people's answers come from the recording; the repository's own checks run in the sandbox. Exit
    code 2 if the resulting files or the bill differ. Prompts may differ; the output says how many
    do.
    """
    from sparing.cassette import read_cassette

    cassette = read_cassette(file)
    with _folder(keep) as folder:
        with readable(file):
            office, row = open_replay(cassette, file, folder)
            people = RecordedPeople(office, cassette)
        if not as_json:
            told = cassette.tape
            version = f"recorded by sparing {told.sparing}"
            echo(f'feature {row.feature.id} "{row.feature.title}", {version}', err=True)
        run_features(office, [row], people, quiet=as_json, kept=False, bill=False)
        ended = view.reload(office, row)
        found = compare(office, ended, cassette, file)
        if as_json:
            print_json(
                feature=row.feature.id, status=ended.status.value, head=ended.head,
                recorded_head=cassette.tape.head, stopped=people.stopped,
                same_tree=found.same_tree, same_bill=found.same_bill, **found._asdict(),
                folder=str(keep.resolve()) if keep else None,
            )  # fmt: skip
        else:
            _tell(found, people.stopped)
    same = found.same_bill and (found.same_tree or found.times_only)
    return 0 if same else NeedsHuman.exit_code


@contextmanager
def _folder(keep: Path | None) -> Generator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="sparing-replay-") as folder:
            yield Path(folder)
        return
    if keep.exists():
        raise UsageError(f"{keep} already exists", "name a folder that does not exist yet")
    keep.mkdir(parents=True)
    yield keep.resolve()


def _tell(found: Comparison, stopped: str) -> None:
    echo()
    if found.same_tree:
        echo(f"files: the same {found.files}")
    elif found.times_only:
        echo(f"files: the same {found.files}, but for the times in the feature's .meta.json")
    else:
        _list("files that are not the same", found.differing)
    then, now = dollars(found.recorded_nano_usd), dollars(found.nano_usd)
    same = found.recorded_nano_usd == found.nano_usd and found.recorded_tokens == found.tokens
    words = f"the same {now}" if same else f"{now}, recorded were {then}"
    echo(f"bill: {words} for {found.turns} turns, as recorded")
    other = found.prompts - found.same_prompts
    differing = f", {other} differ: worded or sent differently now" if other else ""
    echo(f"prompts: {found.same_prompts} are the same to the byte{differing}")
    _list("recorded turns that were not requested", found.unplayed)
    _list("requested, but not recorded", found.unknown)
    if stopped:
        echo(f"the recording ends at {style(stopped, bold=True)}")


def _list(title: str, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    echo(f"{title}: {len(lines)}")
    for line in lines[:MOST_NAMED]:
        echo(f"  {line}")
