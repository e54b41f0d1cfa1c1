"""Which checks a feature has, and what has changed in them since the feature began.

Both come from commits alone: the base and what the feature's commits add. A check that is gone and
a part that changed each have a key; a person agrees to keys, and thereby to exactly this change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from sparing.workspace.checks.definitions import Parts, common_parts, parts_of
from sparing.workspace.checks.discover import Check, find_checks
from sparing.workspace.git.snapshot import Snapshot


class Changed(NamedTuple):
    words: str
    key: str


class Standing(NamedTuple):
    """The checks of a commit, and how they differ from those of the base."""

    checks: tuple[Check, ...]
    changed: tuple[Changed, ...] = ()

    def open(self, agreed: Collection[str]) -> tuple[Changed, ...]:
        """The changes that no one has agreed to yet."""
        return tuple(one for one in self.changed if one.key not in agreed)


@lru_cache(16)
def standing(base: Snapshot, head: Snapshot) -> Standing:
    before = find_checks(base)
    now = find_checks(head, frozenset(one.name for one in before))
    if not before or base.commit == head.commit:
        return Standing(now)
    found = dict[str, Changed]()
    for one in (*_checks(base, before, head, now), *_everywhere(base, head)):
        found.setdefault(one.words, one)
    return Standing(now, tuple(found.values()))


def changed(words: str, value: str) -> Changed:
    return Changed(words, hashlib.sha256(f"{words}\0{value}".encode()).hexdigest()[:16])


def _checks(
    base: Snapshot, before: tuple[Check, ...], head: Snapshot, now: tuple[Check, ...]
) -> Iterator[Changed]:
    there = {one.name: one for one in now}
    for check in before:
        found = there.get(check.name)
        if found is None:
            yield changed(f"{check.name} is gone: {check.words} ({check.origin})", "")
            continue
        if check.words != found.words:
            yield changed(f"{check.name}: `{check.words}` became `{found.words}`", "")
        old, new = parts_of(check, base), parts_of(found, head)
        for part in sorted(old.keys() | new.keys()):
            if old.get(part) != new.get(part):
                yield changed(f"{check.name}: {_how(part, old, new)}", new.get(part, ""))


def _everywhere(base: Snapshot, head: Snapshot) -> Iterator[Changed]:
    old, new = common_parts(base), common_parts(head)
    for part in sorted(new):
        if part not in old or old[part] != new[part]:
            yield changed(_how(part, old, new), new[part])


def _how(part: str, old: Parts, new: Parts) -> str:
    return f"{part} {'is new' if part not in old else 'is gone' if part not in new else 'changed'}"
