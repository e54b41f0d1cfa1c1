"""Errors in a step: which wait for a person's answer, and which for another run. Covers: I3, K1."""

from __future__ import annotations

import asyncio

import pytest

from sparing.engine.steps.program import outcome
from sparing.errors import ConfigError, EngineBusy, RepositoryError, StateError, recordable
from sparing.job import JobResult


def failing(error: Exception) -> JobResult:
    def work() -> JobResult:
        raise error

    return asyncio.run(outcome(work))


@pytest.mark.parametrize("kind", [ConfigError, RepositoryError])
def test_what_a_person_repairs_is_a_result(kind: type[RepositoryError]) -> None:
    """K1: the feature waits, and says why."""
    result = failing(kind("the branch was moved", "git log"))
    assert (result.failure, result.detail) == ("the branch was moved", "git log")


@pytest.mark.parametrize("kind", [StateError, EngineBusy])
def test_a_full_disk_is_none(kind: type[StateError]) -> None:
    """I3: a stage was stuck on it, with `reject` as the only way on, after there was room again."""
    error = kind("the state can't be used: disk is full", "free some space")
    with pytest.raises(kind):
        failing(error)
    with pytest.raises(kind):
        recordable(error)
