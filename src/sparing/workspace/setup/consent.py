"""Which commit's files a set-up may use, by what a person has said.

That is the commit a feature starts from, until somebody has agreed to a later one. An agreement
holds for that commit: what the branch has later is asked about again if its set-up would differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparing.feature import Feature
from sparing.workspace.git.repository import Repository, contains
from sparing.workspace.setup.ingredients import Recipe, differences, recipe_at
from sparing.workspace.setup.setup_plan import (
    agreed_commit,
    answer_of,
    answer_to,
    keep_answer,
    keep_commit,
)
from sparing.workspace.setup.traced_runs import learned_from


class SetupSettings(Protocol):
    @property
    def setup(self) -> Sequence[str]: ...

    @property
    def copy(self) -> Sequence[str]: ...

    @property
    def root(self) -> str: ...


@dataclass(frozen=True, slots=True)
class SetupQuestion:
    """Of which feature, and what its settings say."""

    repository: Repository
    state: Path
    feature: str
    base: str
    setup: tuple[str, ...]
    copy: tuple[str, ...]
    root: str = ""

    @classmethod
    def of(
        cls, repository: Repository, state: Path, feature: Feature, settings: SetupSettings
    ) -> SetupQuestion:
        return cls(
            repository=repository,
            state=state,
            feature=feature.key,
            base=feature.base_commit,
            setup=tuple(settings.setup),
            copy=tuple(settings.copy),
            root=settings.root,
        )


@dataclass(frozen=True, slots=True)
class Consent:
    known: Recipe
    """What may run."""
    agreed: bool | None
    """What a person said to it; None if nobody was asked."""
    now: Recipe
    """What the branch would have instead."""
    said: bool | None
    """What a person said to that."""
    changed: tuple[str, ...]
    """Files that nobody has agreed to. None if the branch has no set-up any more."""


def consent(asked: SetupQuestion, head: str) -> Consent:
    now, base = _recipe(asked, head), _recipe(asked, asked.base)
    later = _agreed_later(asked, head) if now.digest != base.digest else None
    known = later or base
    first = True if base.plan.empty else answer_of(asked.state, base.plan)
    return Consent(
        known=known,
        agreed=True if later else first,
        now=now,
        said=answer_to(asked.state, now.digest),
        changed=differences(asked.repository, known, now) if now.plan.commands else (),
    )


def _agreed_later(asked: SetupQuestion, head: str) -> Recipe | None:
    """Of a commit that the branch still has."""
    commit = agreed_commit(asked.state, asked.feature)
    if commit is None or not contains(asked.repository, head, commit):
        return None
    # By what could be known before it ran: what its run has read since takes no agreement back.
    agreed = answer_to(asked.state, _unlearned(asked, commit).digest)
    return _recipe(asked, commit) if agreed else None


def decide(asked: SetupQuestion, found: Consent, *, agreed: bool) -> None:
    """The answer is to these bytes; a yes is to this commit."""
    keep_answer(asked.state, found.now.digest, agreed=agreed)
    if agreed:
        keep_answer(asked.state, _unlearned(asked, found.now.commit).digest, agreed=True)
        keep_commit(asked.state, asked.feature, found.now.commit)


def _recipe(asked: SetupQuestion, commit: str) -> Recipe:
    learned = learned_from(asked.state)
    return recipe_at(asked.repository, commit, asked.setup, asked.copy, learned, asked.root)


def _unlearned(asked: SetupQuestion, commit: str) -> Recipe:
    return recipe_at(asked.repository, commit, asked.setup, asked.copy, root=asked.root)
