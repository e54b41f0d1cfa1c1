"""Work in progress at a remote, under refs of ours: no branch, so nobody's checks start for it.

refs/sparing/work/NAME    a feature's branch     refs/sparing/lanes/NAME/LANE   those of its lanes
refs/sparing/turns/…      what turns left        refs/sparing/lease/NAME        who may push

Every push is one transaction of the remote's and moves the lease from where we know it to be. Who
takes a feature over moves it first: from then on whoever had it before can push nothing. Nothing
is forced (a `+` would undo that), and what a person has put there under these names stays.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sparing.errors import RepositoryError, StateError
from sparing.workspace.git.objects import CommitStamp, make_commit
from sparing.workspace.git.push import UPLOAD_PACK, Remote, last_line, outward
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.runner import GitFailed, start_git

LIMIT_SECONDS = 120.0
TRIES = 3
FLAGS = (
    "--atomic", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
    "--receive-pack=git-receive-pack", "--porcelain",
)  # fmt: skip
MOVED = ("stale info", "[rejected]", "failed to update ref", "cannot lock ref", "reference already")
FETCH_FLAGS = (
    *("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"),
    UPLOAD_PACK,
)
Refs = Mapping[str, str]
"""Ref names at the remote, and the commits they point to."""


class LeaseLost(StateError):
    """Another worker has taken the feature over."""


@dataclass(frozen=True, slots=True)
class SharedRefs:
    """Of one feature."""

    repository: Repository
    remote: Remote
    name: str
    key: str
    environ: Mapping[str, str]
    known: dict[str, str] = field(default_factory=dict[str, str])
    """Refs at the remote, as far as this process has pushed or seen them."""

    @property
    def lease(self) -> str:
        return f"refs/sparing/lease/{self.name}"

    @property
    def work(self) -> str:
        return f"refs/sparing/work/{self.name}"

    def take(self, who: str) -> Refs:
        """Take the lease, so that only this process may push; returns the refs that are there."""
        for number in range(TRIES):
            self.known.clear()
            self.known.update(self.listed())
            try:
                self.push({}, f"{who} {number}")
            except LeaseLost:
                continue
            return {name: at for name, at in self.known.items() if name != self.lease}
        raise self._lost()

    def push(self, wanted: Refs, who: str, branches: Refs | None = None) -> None:
        """Set these refs at the remote, provided that the lease is still ours; `branches` also,
        which only ever go forward."""
        before = self.known.get(self.lease, "")
        new = {**wanted, self.lease: self._next_lease(before, who)}
        changed = {name: at for name, at in new.items() if self.known.get(name, "") != at}
        leases = [f"--force-with-lease={name}:{self.known.get(name, '')}" for name in changed]
        specs = [f"{at}:{name}" for name, at in (*changed.items(), *(branches or {}).items())]
        self._git("push", "--quiet", *FLAGS, *leases, "--", self.remote.name, *specs)
        self.known.update({name: at for name, at in changed.items() if at})
        for name in [name for name, at in changed.items() if not at]:
            self.known.pop(name, None)

    def fetch(self, names: Sequence[str]) -> None:
        """Fetch the commits of these refs and keep them under the same names."""
        if names:
            specs = [f"+{name}:{name}" for name in names]
            self._git("fetch", *FETCH_FLAGS, "--", self.remote.name, *specs)

    def fetch_branches(self) -> None:
        """Fetch the remote's branches, from which features begin."""
        spec = f"+refs/heads/*:refs/remotes/{self.remote.name}/*"
        self._git("fetch", *FETCH_FLAGS, "--", self.remote.name, spec)

    def publish(self, branch: str, commit: str, who: str) -> None:
        """The branch itself, when the feature is finished."""
        self.push({}, who, {f"refs/heads/{branch}": commit})

    def probe(self, who: str) -> None:
        """Raise if the remote does not let us push here; nothing is changed there."""
        spec = f"{self._next_lease('', who)}:{self.lease}"
        self._git("push", "--quiet", "--dry-run", *FLAGS, "--", self.remote.name, spec)

    def listed(self) -> dict[str, str]:
        patterns = (
            self.lease, self.work, f"refs/sparing/lanes/{self.name}/*",
            f"refs/sparing/turns/{self.key}.*",
        )  # fmt: skip
        out = self._git("ls-remote", "--quiet", UPLOAD_PACK, "--", self.remote.name, *patterns)
        pairs = (line.split("\t", 1) for line in out.splitlines() if "\t" in line)
        return {name: commit for commit, name in pairs}

    def _next_lease(self, before: str, who: str) -> str:
        """A commit of nothing; each differs from the one before, so that the remote compares."""
        git = self.repository.git()
        tree = git.text("mktree", stdin=b"")
        return make_commit(git, tree, (), CommitStamp("Lease", who, before or "first", 0.0))

    def _git(self, *args: str) -> str:
        env = outward(self.repository, self.environ)
        try:
            done = start_git(("--bare", *args), env, self.repository.checkout, None, LIMIT_SECONDS)
        except GitFailed as error:
            raise self._unreachable(error.stderr) from error
        said = os.fsdecode(done.stderr)
        if done.returncode == 0:
            return os.fsdecode(done.stdout)
        told = said + os.fsdecode(done.stdout)
        if args[0] == "push" and any(word in told for word in MOVED) and "denied" not in told:
            raise self._lost()
        raise self._unreachable(said)

    def _lost(self) -> LeaseLost:
        return LeaseLost(
            f"another worker has taken over {self.name}", "see where it is: sparing status"
        )

    def _unreachable(self, said: str) -> RepositoryError:
        name = self.remote.name
        return RepositoryError(
            f"the remote {name} can't be used for work in progress: {_reason(said)}",
            f"check that `git push {name}` works without asking anything, then run the same command"
            " again; what was stopped by it: sparing resume",
        )


def _reason(said: str) -> str:
    """What the remote itself has said, else git's last line."""
    told = [line for line in said.splitlines() if line.startswith("remote: ") and line[8:].strip()]
    return told[-1].strip() if told else last_line(said)
