"""Merges a finished branch into its base by plumbing, or names the commands to type.

A base branch that is checked out belongs to the person using it. It moves only with consent, only
as git's own fast-forward, and only if no tracked file there has changes. A conflict stops here;
nothing is half merged.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import NamedTuple

from sparing.change import MergeHistory
from sparing.errors import RepositoryError
from sparing.workspace.git.lock import held
from sparing.workspace.git.merge_trees import RewrittenBranch, merge_trees, rebased, squashed
from sparing.workspace.git.objects import CommitStamp, identity, make_commit, move_ref, settle
from sparing.workspace.git.private_index import unpack
from sparing.workspace.git.repository import Repository, branch_commit, contains, find_entry
from sparing.workspace.git.runner import Git
from sparing.workspace.git.special_files import read_plain


class Handover(NamedTuple):
    merged: bool
    commit: str
    """The merge commit, or the tip of the base branch."""
    note: str
    commands: tuple[str, ...]
    """What a person types to continue; empty if merged."""
    url: str = ""
    """URL of the pull request, if there is one."""
    pushed: bool = False


class Merge(NamedTuple):
    base: str
    branch: str
    commit: str
    """Exactly what is merged, wherever the branch points."""
    history: MergeHistory = MergeHistory.ALL


class _Place(NamedTuple):
    """A folder in which the base branch is checked out."""

    path: Path
    git: Git

    def has_changes(self) -> bool:
        args = ("--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all")
        return bool(self.git.run("status", *args))


def hand_over(
    repo: Repository, merge: Merge, consent: bool, stamp: CommitStamp, body: str = ""
) -> Handover:
    """Merge a branch's commit into its base; a replay finds the merge it made."""
    base_branch, branch, tip, history = merge
    with held(repo.lock):
        base = _tip(repo, base_branch)
        made = _merged_before(repo, base, tip, history, stamp)
        if made is not None:
            return Handover(True, made, f"{branch} is already in {base_branch}", ())
        place = _checked_out_at(repo, base_branch)
        by_hand = _commands(repo, place, merge, stamp.subject)
        new = rewritten(repo, merge, base, stamp, body)
        if new.conflicts:
            files = ", ".join(new.conflicts)
            note = f"{branch} and {base_branch} both changed: {files}"
            return Handover(False, base, note, by_hand)
        if place is None:
            return _move(repo, merge, base, new.commit, by_hand)
        if not consent:
            note = f"{base_branch} is checked out in {place.path}; it moves only with your consent"
            return Handover(False, base, note, by_hand)
        return _fast_forward(place, merge, base, new.commit, by_hand)


def rewritten(
    repo: Repository, merge: Merge, base: str, stamp: CommitStamp, body: str
) -> RewrittenBranch:
    """The commit that the base branch would get; no ref moves."""
    match merge.history:
        case MergeHistory.SQUASH:
            return squashed(repo, base, merge.commit, stamp, body)
        case MergeHistory.REBASE:
            return rebased(repo, base, merge.commit, stamp.signer)
        case MergeHistory.ALL:
            merged = merge_trees(repo, base, merge.commit)
            if merged.conflicts:
                return RewrittenBranch("", merged.conflicts)
            parents = (base, merge.commit)
            return RewrittenBranch(make_commit(repo.git(), merged.tree, parents, stamp, body))


def name_commands(repo: Repository, merge: Merge, stamp: CommitStamp) -> Handover:
    """Return only the commands for a person to type, or the merge if it is done; nothing moves."""
    base_branch, branch, _, history = merge
    base, tip = _tip(repo, base_branch), _tip(repo, branch)
    made = _merged_before(repo, base, tip, history, stamp)
    if made is not None:
        return Handover(True, made, f"{branch} is already in {base_branch}", ())
    conflicts = merge_trees(repo, base, tip).conflicts
    note = f"{branch} is ready to be merged into {base_branch}"
    if conflicts:
        note += f"; both changed: {', '.join(conflicts)}"
    place = _checked_out_at(repo, base_branch)
    return Handover(False, base, note, _commands(repo, place, merge, stamp.subject))


def _tip(repo: Repository, branch: str) -> str:
    commit = branch_commit(repo, branch)
    if commit is None:
        raise RepositoryError(f"there is no branch {branch}", "git branch lists them")
    return commit


def _merged_before(
    repo: Repository, base: str, tip: str, history: MergeHistory, stamp: CommitStamp
) -> str | None:
    git = repo.git()
    if not contains(repo, base, tip):
        return _rewritten_before(git, base, tip, history, stamp)
    args = ("rev-list", "--merges", "--ancestry-path", "--parents", base, f"^{tip}")
    for line in git.text(*args).splitlines():
        commit, *parents = line.split()
        if tip in parents[1:]:
            return commit
    return tip


def _rewritten_before(
    git: Git, base: str, tip: str, history: MergeHistory, stamp: CommitStamp
) -> str | None:
    """The squashed commit, or the last one of a rebased branch, recognised by how its text ends."""
    if history is MergeHistory.ALL:
        return None
    last = os.fsdecode(git.run("cat-file", "commit", tip)).partition("\n\n")[2]
    for commit in git.text("rev-list", "--first-parent", base, f"^{tip}").splitlines():
        text = os.fsdecode(git.run("cat-file", "commit", commit)).partition("\n\n")[2]
        if text == last or text.endswith(f"\n{stamp.trailers}"):
            return commit
    return None


def _checked_out_at(repo: Repository, branch: str) -> _Place | None:
    """The folder that has the branch checked out, or is rebasing it."""
    # Not `repo.git()`: told that there is no working folder, git would leave out the main one.
    out = os.fsdecode(repo.checkout_git().run("worktree", "list", "--porcelain", "-z"))
    for block in out.split("\0\0"):
        lines = block.split("\0")
        path = Path(lines[0].removeprefix("worktree "))
        git_dir = find_entry(repo, path) or repo.git_dir
        stands_on_it = f"branch refs/heads/{branch}" in lines
        if "bare" not in lines and (stands_on_it or _is_rebasing(git_dir, branch)):
            return _Place(path, Git(git_dir, path, trusted=repo.trusted))
    return None


def _is_rebasing(git_dir: Path, branch: str) -> bool:
    names = (git_dir / "rebase-merge" / "head-name", git_dir / "rebase-apply" / "head-name")
    wanted = f"refs/heads/{branch}".encode()
    return any((read_plain(name) or b"").strip() == wanted for name in names)


def _move(
    repo: Repository, merge: Merge, base: str, new: str, by_hand: tuple[str, ...]
) -> Handover:
    stands = move_ref(repo.checkout_git(), f"refs/heads/{merge.base}", new, base)
    if stands == new:
        return Handover(True, new, _arrived(merge), ())
    return Handover(False, stands, f"{merge.base} moved in the meantime", by_hand)


def _arrived(merge: Merge) -> str:
    match merge.history:
        case MergeHistory.ALL:
            return f"merged into {merge.base}"
        case MergeHistory.SQUASH:
            return f"merged into {merge.base} as one commit"
        case MergeHistory.REBASE:
            return f"rebased onto {merge.base}"


def _fast_forward(
    place: _Place, merge: Merge, base: str, new: str, by_hand: tuple[str, ...]
) -> Handover:
    if place.has_changes():
        note = f"{place.path} has uncommitted changes"
        return Handover(False, base, note, by_hand)
    # Ignored files too are the user's: without the first flag git writes over them. The others
    # undo what `branch.….mergeOptions` may ask for.
    flags = ("--no-overwrite-ignore", "--no-autostash", "--no-squash", "--no-verify-signatures")
    done = place.git.ask("merge", "--ff-only", "--quiet", *flags, new, env=identity(0))
    if done.returncode != 0:
        reason = " ".join(os.fsdecode(done.stderr).split())
        return Handover(False, base, f"git refuses to fast-forward: {reason}", by_hand)
    unpack(place.git)
    settle(place.git, "refs/heads", new)
    return Handover(True, new, f"{_arrived(merge)}; {place.path} is up to date", ())


def _commands(
    repo: Repository, place: _Place | None, merge: Merge, subject: str
) -> tuple[str, ...]:
    where = place.path if place else repo.checkout
    words = " ".join(subject.split())
    match merge.history:
        case MergeHistory.ALL:
            commands = [("git", "merge", "--no-ff", "-m", words, merge.branch)]
        case MergeHistory.SQUASH:
            commands = [("git", "merge", "--squash", merge.branch), ("git", "commit", "-m", words)]
        case MergeHistory.REBASE:
            commands = [("git", "cherry-pick", f"{merge.base}..{merge.branch}")]
    if place is None:
        commands = [("git", "switch", merge.base), *commands]
    elif place.has_changes():
        commands = [("git", "stash"), *commands, ("git", "stash", "pop")]
    return tuple(shlex.join(command) for command in [("cd", str(where)), *commands])
