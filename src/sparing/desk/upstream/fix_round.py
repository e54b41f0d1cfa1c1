"""A round that fixes what a pull request's reviewers and CI found: its price, and the order.

Nothing is spent unless a person agreed, now or in advance; if in advance, only findings from
members of the repository count. The feature's last gate is reopened with this as its answer, in one
transaction: a crash leaves all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.desk.features.merge_status import handover_event
from sparing.desk.features.skip_and_back import need_rest
from sparing.desk.gates import answers
from sparing.desk.money.forecast import fix_round_outlook, outlook_words
from sparing.desk.office import Office
from sparing.desk.upstream.pull_requests import last_seen, open_findings
from sparing.errors import FeatureError, RepositoryError, UsageError
from sparing.feature import FeatureStatus
from sparing.finding import Severity
from sparing.flow.flows import code_stage
from sparing.flow.state import Cause, FlowState, OutcomeKind, Position
from sparing.pull_status import PullState
from sparing.records import features, gates, mailbox
from sparing.records.features import FeatureRow
from sparing.records.mailbox import Letter
from sparing.upstream.fetched_base import fetch_base
from sparing.upstream.pull_findings import PullFinding, feedback_text
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.parallel_worktrees import move_on
from sparing.workspace.git.repository import Repository, contains
from sparing.workspace.git.worktree import ensure_worktree

KIND = "gate"


class FixRound(NamedTuple):
    number: int
    """Number of the pull request."""
    findings: tuple[PullFinding, ...]
    """Findings that the round is to fix."""
    left: tuple[PullFinding, ...]
    """Findings that were not chosen."""
    author: str
    price: str


def plan_fix(
    office: Office, row: FeatureRow, only: Collection[str] = (), *, members: bool = False
) -> FixRound:
    """Raises an error if there is nothing to fix. `members`: no one was asked, so findings of
    outsiders and mere suggestions are left out."""
    feature, told = row.feature, last_seen(office, row)
    need_rest(row)
    if told.state != PullState.OPEN:
        words = f"was {told.state}" if told.state else "has not been looked at"
        raise FeatureError(
            f"the pull request of feature {feature.id} {words}", "see: sparing status --fetch"
        )
    if row.status is not FeatureStatus.COMPLETED:
        raise FeatureError(
            f"feature {feature.id} is already working on its pull request",
            f"sparing show {feature.id}",
        )
    found = open_findings(office, row)
    if unknown := [one for one in only if one not in {known.id for known in found}]:
        ids = ", ".join(one.id for one in found) or "none"
        raise UsageError(f"there is no open finding {unknown[0]}", f"open findings: {ids}")
    chosen = tuple(one for one in found if one.id in only) if only else found
    if members:
        chosen = tuple(one for one in chosen if _counts_unasked(one))
    if not chosen:
        raise FeatureError(
            f"nothing is open on pull request #{told.number}", f"sparing show {feature.id}"
        )
    left = tuple(one for one in found if one not in chosen)
    price = outlook_words(fix_round_outlook(office, row))
    return FixRound(told.number, chosen, left, code_stage(feature.flow).author, price)


def _counts_unasked(one: PullFinding) -> bool:
    return one.member and one.finding.severity is not Severity.SUGGESTION


def start_fix(
    office: Office, row: FeatureRow, plan: FixRound, environ: Mapping[str, str], at: float,
    sender: str = "",
) -> None:  # fmt: skip
    """Reopen the last gate with this as its answer. `sender`: if not the person at this machine."""
    head = _with_pushed(office, row, environ)
    state = replace(
        FlowState.load(row.place["state"]), position=Position.GATE, reason="", cause=Cause.NONE,
        held=None,
    )  # fmt: skip
    key, gate = row.feature.key, row.leg_id
    text = feedback_text(plan.number, plan.findings)
    with office.database.write() as tx:
        place = {**row.place, "state": state.dump(), "head": head}
        if not features.set_status(tx, row, FeatureStatus.ACTIVE, place, at, head):
            raise answers.moved_on(features.get(tx, key) or row)
        why = f"pull request #{plan.number} came back"
        gates.open_gate(tx, gates.Gate(gate, key, state.stage, KIND, why, at))
        letter = Letter(0, key, OutcomeKind.FIX.value, gate, text, sender or office.sender)
        mailbox.post(tx, f"{gate}.{OutcomeKind.FIX.value}", letter, at)


def _with_pushed(office: Office, row: FeatureRow, environ: Mapping[str, str]) -> str:
    """The feature's commit, merged with what others pushed to its branch at the host: otherwise
    our push would be refused. Safe to repeat after a crash."""
    feature, repo, there = row.feature, office.repository, last_seen(office, row).head
    if there == handover_event(office, row).commit or _holds(repo, row.head, there):
        return row.head
    came = fetch_base(repo, feature.branch, environ, feature.base_branch)
    if not contains(repo, came, row.head):
        raise RepositoryError(
            f"{feature.branch} was rewritten at its remote: it no longer contains {row.head[:10]}",
            f"put your commits there by hand, in {office.folder.worktree(feature.name)}",
        )
    path = office.folder.worktree(feature.name)
    worktree = ensure_worktree(repo, path, feature.branch, row.head)
    if changed := changed_paths(worktree, worktree.tip()):
        raise FeatureError(
            f"the worktree of feature {feature.id} has uncommitted changes: {changed[0]}",
            f"commit or remove them in {path}, then: sparing fix {feature.id}",
        )
    if worktree.tip() != came:
        move_on(worktree, row.head, came)
    return came


def _holds(repo: Repository, commit: str, other: str) -> bool:
    return bool(object_id(repo.git(), f"{other}^{{commit}}")) and contains(repo, commit, other)


def finding_words(one: PullFinding) -> str:
    """One line, such as `C2 blocker app/gate.py:14 (grace)`."""
    who = one.author if one.member else f"{one.author}, not a member of this repository"
    return f"{one.id}  {one.finding.severity}  {one.finding.location}  ({who})"


def severities(found: Sequence[PullFinding]) -> str:
    """Counts by severity, such as `2 blockers, 1 warning`."""
    counts = [(sum(one.finding.severity is kind for one in found), kind.value) for kind in Severity]
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)
