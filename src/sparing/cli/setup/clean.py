"""`sparing clean`: remove the worktrees of features that are over."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo
from sparing.desk.features.cleanup import CleanupResult, clean
from sparing.desk.features.merge_status import MergeStatus, finished_features
from sparing.desk.gates import answers
from sparing.desk.office import every_row, open_office
from sparing.desk.setup.disk_use import size_words
from sparing.desk.setup.retention import RemovedTexts, remove_old_texts
from sparing.records.features import FeatureRow


@click.command("clean")
@feature_argument(required=False)
@json_option
def clean_command(feature: str | None, as_json: bool) -> int:
    """Remove the worktrees of features that are merged.

    Without FEATURE: those of all merged features, and the stored texts of features that ended more
    than records.keep_days days ago. Name a FEATURE to clean up one that was abandoned, or merged in
    a way that git can't see. Branches and records always stay, and so does a worktree with
    uncommitted work.
    """
    office = open_office(Path.cwd())
    if feature:
        rows = [answers.find(office, feature)]
    else:
        every = finished_features(office, every_row(office))
        rows = [one.row for one in every if one.home is MergeStatus.MERGED and one.worktree]
    found = {row.feature.id: (row, clean(office, row, now(), named=bool(feature))) for row in rows}
    texts = {} if feature else remove_old_texts(office, now())
    stays = {number: one.stays for number, (_, one) in found.items() if one.stays}
    if as_json:
        old = {number: one._asdict() for number, one in texts.items()}
        gone = [number for number in found if number not in stays]
        print_json(removed=gone, stays=stays, texts=old)
    elif not found and not texts:
        echo("Nothing to clean up: no merged feature has a worktree left.")
    else:
        for row, one in found.values():
            echo(f"{row.feature.id} {_words(row, one)}")
        for number, one in texts.items():
            echo(f"{number} {_removed_words(one)}")
    return 1 if stays else 0


def _removed_words(one: RemovedTexts) -> str:
    size = size_words(one.bytes)
    return f"{one.files} texts of prompts and replies were removed ({size}); its records stay"


def _words(row: FeatureRow, one: CleanupResult) -> str:
    if one.stays:
        return f"stays: {one.stays}"
    if not one.branch:
        return "has neither a worktree nor a branch"
    return f"its worktree was removed; the branch {row.feature.branch} is still there"
