"""Bringing the base branch into a feature: what it would mean, and the order to do it.

A feature that has not begun starts from the new commit; any other one gets it as the answer to the
gate it waits at, and waits there again afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sparing.config.commits import SyncMethod
from sparing.desk.features.skip_and_back import need_rest
from sparing.desk.gates import answers
from sparing.desk.money.forecast import fix_outlook, outlook_brief
from sparing.desk.office import Office, settings_of
from sparing.desk.upstream.moved_base import BaseMove, base_move, move_words
from sparing.errors import FeatureError
from sparing.feature import FeatureStatus
from sparing.flow.flows import code_stage
from sparing.flow.state import Outcome, OutcomeKind
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.stages.base_sync import MOST_TRIES
from sparing.stages.place import Place
from sparing.stages.tasks import AT_WORK
from sparing.upstream.fetched_base import fetch_base
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.merge_trees import merge_trees
from sparing.workspace.git.worktree import Worktree


class SyncPlan(NamedTuple):
    move: BaseMove | None
    """None if there is nothing to bring in."""
    conflicts: tuple[str, ...] = ()
    rebase: bool = False
    lines: tuple[str, ...] = ()
    """What the person should know before confirming, one line each."""
    price: str = ""
    """Price of resolving the conflicts; empty without any."""


def plan_sync(
    office: Office, row: FeatureRow, how: str = "", fetch: Mapping[str, str] | None = None
) -> SyncPlan:
    """Plan a sync, leaving the feature unchanged; raise an error where it makes no sense."""
    number, feature = row.feature.id, row.feature
    if row.status.is_over:
        raise answers.no_gate(row)
    need_rest(row)
    if not feature.base_branch:
        raise FeatureError(
            f"feature {number} was started from a commit, not from a branch",
            f"sparing show {number}",
        )
    if fetch is not None:
        fetch_base(office.repository, feature.base_branch, fetch)
    move = base_move(office, row)
    if move is None:
        return SyncPlan(None)
    begun = row.status is not FeatureStatus.PLANNED
    if begun:
        _refuse_half_done(row)
        refuse_unsaved(office, row, f"sparing sync {number}")
    conflicts = merge_trees(office.repository, row.head, move.tip).conflicts if begun else ()
    method = SyncMethod(how) if how else settings_of(office, row).commits.sync
    price = outlook_brief(fix_outlook(office, row, 1, MOST_TRIES)) if conflicts else ""
    lines = (*move_words(row, move), _conflict_words(row, conflicts, price))
    return SyncPlan(move, conflicts, method is SyncMethod.REBASE, lines, price)


def sync(office: Office, row: FeatureRow, plan: SyncPlan, sender: str, at: float) -> bool:
    """Carry out the plan; True if the engine has work to do for it."""
    assert plan.move is not None
    if row.status is FeatureStatus.PLANNED:
        with office.database.write() as tx:
            if not features.rebase(tx, row, plan.move.tip):
                raise answers.moved_on(features.get(tx, row.feature.key) or row)
        return False
    target = f"{plan.move.tip} rebase" if plan.rebase else plan.move.tip
    answers.answer(office, row, Outcome(OutcomeKind.SYNC, target), sender, at)
    return True


def _conflict_words(row: FeatureRow, conflicts: tuple[str, ...], price: str) -> str:
    if not conflicts:
        return "git can merge it without a conflict; the checks run again"
    who = code_stage(row.feature.flow).author
    named = ", ".join(conflicts)
    return f"conflicts in {named}: {who} gets both sides; 1 to {MOST_TRIES} turns, {price}"


def _refuse_half_done(row: FeatureRow) -> None:
    """Raise an error if a task is half done: it is in no state to be merged."""
    number, place = row.feature.id, Place.load({**row.place, "review": None})
    if place.step in AT_WORK and place.building.since not in ("", row.head):
        raise FeatureError(
            f"a task of feature {number} is half done",
            f"finish it or leave it out first: sparing show {number}",
        )


def refuse_unsaved(office: Office, row: FeatureRow, then: str, below: str = "") -> None:
    """Refuse while the worktree, or a folder of it, has changes the person has yet to commit."""
    number, path = row.feature.id, office.folder.worktree(row.feature.name)
    if not (path / ".git").is_file():
        return
    found = changed_paths(Worktree(office.repository, path, row.feature.branch), row.head)
    changed = [one for one in found if one.startswith(below)]
    if changed:
        raise FeatureError(
            f"the worktree of feature {number} has uncommitted changes: {', '.join(changed[:3])}",
            f"have them committed: sparing edit {number}; then: {then}",
        )
