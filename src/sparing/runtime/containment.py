"""Containment of a turn: a clean start, and a receipt afterwards.

Before an author's turn the worktree is what the last commit says. After any turn the user's own
things are compared with what they were; what a reviewer wrote is undone. The receipt is one line
in the story of the feature. Nothing here stops the work: the sandbox does that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from sparing.clients.check_resources import lent_to_checks
from sparing.codec import JsonObject
from sparing.event import write_event
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.runtime.source import Source
from sparing.turn_event import ContainedEvent, IncidentEvent
from sparing.workspace.git import containment
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.containment import Sight, branch_place, worktree_place
from sparing.workspace.git.parallel_worktrees import PREFIX, is_lane_of
from sparing.workspace.git.special_files import take_note
from sparing.workspace.git.worktree import Worktree, is_empty, restore
from sparing.workspace.project.leaks import set_aside
from sparing.workspace.sandbox.policy import SandboxLevel

MOST_NAMED = 5


class Receipt(NamedTuple):
    kind: str
    text: str
    data: JsonObject

    @classmethod
    def of(cls, what: IncidentEvent | ContainedEvent, text: str) -> Self:
        return cls(what.kind, text, write_event(what))


@dataclass(frozen=True, slots=True)
class Guard:
    source: Source
    worktree: Worktree
    salvage: str
    """Name under which work that has to be removed is kept."""
    seen: Sight
    aside: tuple[str, ...] = ()
    """Where files with secrets are now that an earlier turn had left."""
    bare: bool = False
    """True if the worktree held nothing that could be removed."""

    def after(self, *, writes: bool) -> Receipt:
        level, role = self.source.around.level, self.source.job.who
        now = _look(self.source)
        own, changed = self._compared(now)
        incident, found = IncidentEvent(level.name.lower(), changed), list[str]()
        if changed:
            found.append(f"changed meanwhile: {_listed(changed)}{_who(level)}")
        if special := take_note(self.worktree.git_dir):
            incident = replace(incident, special=tuple(special))
            found.append(f"pipes, sockets or devices were moved aside: {_listed(special)}")
        if self.aside:
            found.append(f"files with secrets were moved aside: {_listed(self.aside)}")
        if writes and not self.bare and is_empty(self.worktree.path):
            found.append(f"{role} removed all files of its worktree; the last commit is put back")
        if not writes and (undone := self._undo()):
            incident = replace(incident, undone=undone)
            found.append(f"written while {role} only looked, and undone: {_listed(undone)}")
        if found:
            return Receipt.of(incident, "; ".join(found))
        contained = ContainedEvent(level.name.lower(), changed)
        around, row = self.source.around, self.source.row
        lent = lent_to_checks(around.settings(row).workspace, around.folder.path).words
        contained = replace(contained, lent=lent)
        said = f"{contained.level}; {containment.words(now, own)}{f'; {lent}' if lent else ''}"
        if not writes:
            tree = containment.tree_id(self.source.around.repository, self.source.job.head)
            contained = replace(contained, tree=tree)
            said = f"{said}; tree {tree[:10]} unchanged"
        return Receipt.of(contained, said)

    def _compared(self, now: Sight) -> tuple[frozenset[str], tuple[str, ...]]:
        """What is ours to change, and what else has changed; other features are asked for only
        if something has."""
        row, names = self.source.row, (*self.seen, *now)
        own = _own(row, names, ())
        if containment.differences(self.seen, now, own):
            own = _own(row, names, _rows(self.source))
        return own, containment.differences(self.seen, now, own)

    def _undo(self) -> tuple[str, ...]:
        """Reset a reviewer's worktree to the commit it reviewed; returns the paths it had
        changed."""
        head = self.source.job.head
        paths = changed_paths(self.worktree, head)
        if paths:
            remove_leftovers(self.source, self.worktree, f"{self.salvage}.written")
        return paths


def guard(
    source: Source, worktree: Worktree, salvage: str, *, writes: bool, goes_on: bool
) -> Guard:
    """Prepare a turn; with `goes_on` it repairs what the turn before left, which has to stay."""
    aside = remove_leftovers(source, worktree, salvage) if writes and not goes_on else ()
    return Guard(source, worktree, salvage, _look(source), aside, is_empty(worktree.path))


def remove_leftovers(source: Source, worktree: Worktree, salvage: str) -> tuple[str, ...]:
    """Restore the files of the job's head; returns where removed files with secrets are."""
    withhold = Withholding(source, worktree)
    restore(worktree, source.job.head, salvage, withhold)
    return tuple(withhold.aside)


@dataclass(slots=True)
class Withholding:
    """Sets aside files that no commit may hold, not even one that only we can see."""

    source: Source
    worktree: Worktree
    aside: list[str] = field(default_factory=list[str])

    def __call__(self, paths: tuple[str, ...]) -> bool:
        known, head = self.source.around.folder.redactor.known, self.source.job.head
        self.aside.extend(set_aside(self.worktree, head, paths, known))
        return bool(self.aside)


def _look(source: Source) -> Sight:
    """State of the user's repository; also other worktrees' files, if agents can reach them."""
    around = source.around
    if around.level >= SandboxLevel.FILES:
        return containment.look(around.repository)
    own, folder = source.row.feature.name, around.folder.worktree("x").parent
    busy = {row.feature.name for row in _rows(source) if row.running} | {own}
    # A lane has a plus after the name; what is put aside, or belongs to a check, has a dot.
    beside = tuple(f"{name}{sign}" for name in busy for sign in "+.")
    others = sorted(
        path
        for path in folder.iterdir()
        if path.is_dir() and path.name not in busy and not path.name.startswith(beside)
    )
    return containment.look(around.repository, others)


def _own(row: FeatureRow, seen: Iterable[str], others: Sequence[FeatureRow]) -> frozenset[str]:
    """What the engine itself may change meanwhile, for this feature and for others."""
    lanes = branch_place(PREFIX)
    branches = (branch_place(one.feature.branch) for one in (row, *others))
    busy = {row.feature.name, *(one.feature.name for one in others if one.running)}
    of_lanes = (
        name
        for name in seen
        if name.startswith(lanes) or is_lane_of(name.rpartition(" ")[2], frozenset(busy))
    )
    own = (place for name in busy for place in _places(name))
    return frozenset((*branches, *own, *of_lanes))


def _places(name: str) -> tuple[str, str]:
    return worktree_place(name), f"files of {name}"


def _rows(source: Source) -> list[FeatureRow]:
    with source.around.database.read() as connection:
        return features.list_all(connection)


def _who(level: SandboxLevel) -> str:
    if level >= SandboxLevel.FILES:
        return " (by somebody else: the agent can't reach it)"
    return " (nothing keeps an agent from it here)"


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
