"""Finished features: which branches are merged, which are not, and what is left of them on disk.

A branch merged by hand is found by asking git, once for all of them. One that a person
has cleaned up by name counts as settled, however it was merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from sparing.desk.office import Office, settings_of
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.lazy_dataclass import lazy_dataclass
from sparing.records.features import FeatureRow
from sparing.workspace.git.repository import branch_commit, not_merged

if TYPE_CHECKING:
    from sparing.event import HandoverEvent


REQUEST = "gh pr create "
"""How the command starts if a person has to open the pull request."""


class MergeStatus(StrEnum):
    """Where a finished branch is."""

    READY = "ready to be merged"
    MERGED = "merged"
    REQUESTED = "in a pull request"
    SETTLED = "not merged, and its worktree was removed"
    GONE = "its branch is gone"


@lazy_dataclass
class FinishedFeature:
    row: FeatureRow
    home: MergeStatus
    words: str
    commands: tuple[str, ...]
    """Commands that merge it; empty if it is merged."""
    worktree: str
    """Its worktree folder, if that still exists."""


def finished_features(office: Office, rows: Sequence[FeatureRow]) -> list[FinishedFeature]:
    """The completed ones among `rows`, in the same order."""
    done = [row for row in rows if row.status is FeatureStatus.COMPLETED]
    open_ = _not_home(office, done)
    return [_finished(office, row, outside=row.feature.branch in open_) for row in done]


def finished_feature(office: Office, row: FeatureRow) -> FinishedFeature:
    """One finished feature, with commands that fit the repository's current state."""
    from sparing.commits.message import merge_stamp
    from sparing.workspace.git.merge_into_base import Merge, name_commands

    feature, repo = row.feature, office.repository
    found = _finished(office, row, outside=feature.branch in _not_home(office, [row]))
    gone = found.home is MergeStatus.MERGED and branch_commit(repo, feature.branch) is None
    if gone and not _ended_at_host(office, row):
        words = f"its branch {feature.branch} is gone; its last commit was {row.head[:10]}"
        return FinishedFeature(row, MergeStatus.GONE, words, (), found.worktree)
    if found.home is not MergeStatus.READY or branch_commit(repo, feature.base_branch) is None:
        return found
    if any(one.startswith(REQUEST) for one in found.commands):
        return found
    settings = settings_of(office, row)
    merge = Merge(feature.base_branch, feature.branch, row.head, settings.commits.history)
    named = name_commands(repo, merge, merge_stamp(repo, settings, feature))
    commands = _typed_here(office, named.commands)
    return FinishedFeature(row, MergeStatus.READY, named.note, commands, found.worktree)


def handover_event(office: Office, row: FeatureRow) -> HandoverEvent:
    """The branch's last hand-over; an empty event if there was none."""
    from sparing.event import HandoverEvent
    from sparing.records import events

    with office.database.read() as connection:
        return events.last_what(connection, row.feature.key, HandoverEvent) or HandoverEvent()


def _not_home(office: Office, rows: Sequence[FeatureRow]) -> frozenset[str]:
    """Branches of these features that exist and are not merged into their base."""
    asked: dict[str, list[str]] = {}
    for row in rows:
        if not handover_event(office, row).merged:
            asked.setdefault(row.feature.base_branch, []).append(row.feature.branch)
    if not asked:
        return frozenset()
    from sparing.workspace.git.runner import GitFailed

    found: set[str] = set()
    for base, branches in asked.items():
        try:
            found |= not_merged(office.repository, base, branches)
        except (SparingError, GitFailed):
            continue  # a repository that git may not look into, or whose base branch is gone
    return frozenset(found)


def _finished(office: Office, row: FeatureRow, *, outside: bool) -> FinishedFeature:
    from sparing.event import CleanedEvent
    from sparing.records import events

    feature, told = row.feature, handover_event(office, row)
    folder = office.folder.worktree(feature.name)
    left = str(folder) if folder.is_dir() else ""
    if told.url and (ended := _ended_at_host(office, row)):
        return FinishedFeature(row, MergeStatus.MERGED, ended, (), left)
    where = f"{feature.branch} is merged into {feature.base_branch}"
    if not outside:
        return FinishedFeature(row, MergeStatus.MERGED, where, (), left)
    with office.database.read() as connection:
        cleaned = events.last(connection, feature.key, CleanedEvent.kind) is not None
    if cleaned:
        words = f"{feature.branch} is not in {feature.base_branch}, and its worktree was removed"
        return FinishedFeature(row, MergeStatus.SETTLED, words, _here(office, told), left)
    if url := told.url:
        return FinishedFeature(row, MergeStatus.REQUESTED, f"{feature.branch}: {url}", (), left)
    words = f"{feature.branch} is ready to be merged into {feature.base_branch}"
    return FinishedFeature(row, MergeStatus.READY, words, _here(office, told), left)


def _ended_at_host(office: Office, row: FeatureRow) -> str:
    """How its pull request was merged, if the host has been asked."""
    from sparing.branch_event import PullEvent
    from sparing.records import events

    with office.database.read() as connection:
        pull = events.last_what(connection, row.feature.key, PullEvent)
    if pull is None or pull.state != "merged":
        return ""
    by = f" by {pull.by}" if pull.by else ""
    kept = f"; its commits are kept as {pull.kept}" if pull.kept else ""
    return f"{row.feature.branch} was merged as pull request #{pull.number}{by}{kept}"


def _here(office: Office, told: HandoverEvent) -> tuple[str, ...]:
    """The commands named at hand-over, as far as they are needed here."""
    return _typed_here(office, told.commands)


def _typed_here(office: Office, commands: Sequence[str]) -> tuple[str, ...]:
    """Commands without the `cd` into the current checkout."""
    away = f"cd {office.repository.checkout}"
    return tuple(one for one in commands if one != away)
