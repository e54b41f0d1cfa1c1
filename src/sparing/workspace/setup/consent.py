"""Which commit's files a set-up may use, according to what a person has agreed to.

That is the commit a feature starts from, until a person agrees to a later one. An agreement is for
that commit: if the branch's set-up would differ later, the person is asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparing.feature import Feature
from sparing.workspace.git.repository import Repository, contains
from sparing.workspace.setup.input_files import Recipe, differences, recipe_at
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
    """The feature that is asked about, and its settings."""

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
    """The set-up that may run."""
    agreed: bool | None
    """The person's answer to it; None if no one was asked."""
    now: Recipe
    """The set-up that the branch would have instead."""
    said: bool | None
    """The person's answer to that; None if no one was asked."""
    changed: tuple[str, ...]
    """Changed files that no one has agreed to; empty if the branch no longer has a set-up."""


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
    """The set-up of the last commit agreed to, if the branch still contains it."""
    commit = agreed_commit(asked.state, asked.feature)
    if commit is None or not contains(asked.repository, head, commit):
        return None
    # By what could be known before it ran: what its run has read since takes no agreement back.
    agreed = answer_to(asked.state, _unlearned(asked, commit).digest)
    return _recipe(asked, commit) if agreed else None


def decide(asked: SetupQuestion, found: Consent, *, agreed: bool) -> None:
    """Record the answer for these exact files; a yes also holds for this commit."""
    keep_answer(asked.state, found.now.digest, agreed=agreed)
    if agreed:
        keep_answer(asked.state, _unlearned(asked, found.now.commit).digest, agreed=True)
        keep_commit(asked.state, asked.feature, found.now.commit)


def _recipe(asked: SetupQuestion, commit: str) -> Recipe:
    learned = learned_from(asked.state)
    return recipe_at(asked.repository, commit, asked.setup, asked.copy, learned, asked.root)


def _unlearned(asked: SetupQuestion, commit: str) -> Recipe:
    return recipe_at(asked.repository, commit, asked.setup, asked.copy, root=asked.root)
