"""How work gets from one worker's disk to another's: over the repository's own remote.

Before a step is recorded, what it committed is at the remote; and what a turn has written, before
its reply is. A worker that takes a feature over fetches it, whatever became of the disk before.
Where no remote is set, work stays on the machine.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparing.errors import ConfigError, RepositoryError
from sparing.fleet.shared_refs import SharedRefs
from sparing.records.features import FeatureRow
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.objects import keep, move_ref, no_commit
from sparing.workspace.git.parallel_worktrees import PREFIX
from sparing.workspace.git.push import Remote, refused_settings, remote_named
from sparing.workspace.git.repository import Repository, branch_commit, contains

TURNS, LANES = "refs/sparing/turns/", "refs/sparing/lanes/"


@dataclass(frozen=True, slots=True)
class Travel:
    """Moves one worker's features to and from the remote."""

    repository: Repository
    remote: Remote
    who: str
    environ: Mapping[str, str]
    _features: dict[str, SharedRefs] = field(default_factory=dict[str, SharedRefs])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """One push at a time: each has to know what the one before has left."""

    def probe(self) -> None:
        """Raise if the remote does not let us push work in progress."""
        SharedRefs(self.repository, self.remote, "probe", "probe", self.environ).probe(self.who)

    def bring(self, row: FeatureRow) -> bool:
        """Take the feature over: fetch its commits and be the only one who may push from now on.
        True if its branch has moved, so that the files here are out of date."""
        refs, feature, moved = self._refs(row), row.feature, False
        with self._lock:
            there = refs.take(self.who)
            refs.fetch(sorted(there))
            for name, commit in there.items():
                if name == refs.work:
                    moved = self._stand(feature.branch, commit)
                elif name.startswith(f"{LANES}{feature.name}/"):
                    lane = name.removeprefix(LANES)
                    self._stand(f"{PREFIX}{lane}", commit)
            if not self.is_here(row):
                refs.fetch_branches()
        self._need_head(row)
        return moved

    def has(self, row: FeatureRow) -> bool:
        """Whether this process was the last that pushed it: no person has committed elsewhere."""
        return row.feature.key in self._features and self.is_here(row)

    def is_here(self, row: FeatureRow) -> bool:
        return bool(object_id(self.repository.git(), f"{row.head}^{{commit}}"))

    def fetch(self, row: FeatureRow) -> None:
        """Fetch its commits for reading, without disturbing the worker that has it."""
        refs = self._refs(row)
        with self._lock:
            commit = refs.listed().get(refs.work, "")
            if commit:
                refs.fetch((refs.work,))
                self._stand(row.feature.branch, commit)
            else:
                refs.fetch_branches()
        self._need_head(row)

    def hand_on(self, row: FeatureRow) -> None:
        """Push what a person has committed here while no worker had the feature."""
        refs = self._refs(row)
        with self._lock:
            refs.take(self.who)
        self.send(row)

    def send(self, row: FeatureRow) -> None:
        """What has changed since the last time; nothing is pushed where nothing has."""
        refs = self._refs(row)
        with self._lock:
            wanted = self._here(row)
            stale = {name: "" for name in refs.known if name not in wanted and name != refs.lease}
            new = {**stale, **wanted}
            if any(refs.known.get(name, "") != commit for name, commit in new.items()):
                refs.push(new, self.who)

    def publish(self, row: FeatureRow) -> None:
        """The branch appears when the feature is finished."""
        commit = branch_commit(self.repository, row.feature.branch)
        if commit:
            with self._lock:
                self._refs(row).publish(row.feature.branch, commit, self.who)

    def _need_head(self, row: FeatureRow) -> None:
        feature, remote = row.feature, self.remote.name
        if not self.is_here(row):
            raise RepositoryError(
                f"the commit {row.head[:10]} of feature {feature.id} is not at {remote}",
                f"push it from where the feature was started: git push {remote}"
                f" {feature.base_branch}",
            )

    def _here(self, row: FeatureRow) -> dict[str, str]:
        name, key = row.feature.name, row.feature.key
        branches = {
            f"refs/heads/{row.feature.branch}": f"refs/sparing/work/{name}",
            f"refs/heads/{PREFIX}{name}/": f"{LANES}{name}/",
            f"{TURNS}{key}.": f"{TURNS}{key}.",
        }
        args = ("--format=%(objectname) %(refname)", f"refs/heads/{row.feature.branch}")
        args = (*args, f"refs/heads/{PREFIX}{name}/", f"{TURNS}{key}.*")
        found: dict[str, str] = {}
        for line in self.repository.git().text("for-each-ref", *args).splitlines():
            commit, _, ref = line.partition(" ")
            for local, there in branches.items():
                if ref.startswith(local):
                    found[there + ref.removeprefix(local)] = commit
        return found

    def _refs(self, row: FeatureRow) -> SharedRefs:
        key = row.feature.key
        if key not in self._features:
            self._features[key] = SharedRefs(
                self.repository, self.remote, row.feature.name, key, self.environ
            )
        return self._features[key]

    def _stand(self, branch: str, commit: str) -> bool:
        """Set our branch to the remote's commit; a diverging one is kept. True if it moved."""
        git, ref = self.repository.git(), f"refs/heads/{branch}"
        here = branch_commit(self.repository, branch)
        if here == commit:
            return False
        if here and not contains(self.repository, commit, here):
            keep(git, f"{branch}.before-takeover", here)
        move_ref(git, ref, commit, here or no_commit(commit))
        return here is not None


def open_travel(
    repository: Repository, name: str, who: str, environ: Mapping[str, str]
) -> Travel | None:
    """The worker's `Travel`; None if no remote is set."""
    if not name:
        return None
    remote = remote_named(repository, name)
    if remote is None:
        raise ConfigError(
            f"state.remote is {name}, and this repository has no such remote",
            f"git remote add {name} URL; or: sparing config set state.remote ''",
        )
    if fault := refused_settings(repository, remote):
        raise ConfigError(fault, "sparing trust")
    return Travel(repository, remote, who, environ)
