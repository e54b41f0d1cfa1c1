"""Limits of tests that a busy machine does not reach. Covers: I3."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.patience import Patience, outcome_of


def clock(*times: float) -> Iterator[float]:
    yield from times


def test_an_idle_machine_counts_by_the_clock() -> None:
    ticks = clock(0, 60, 240)
    patience = Patience(240, lambda: next(ticks), lambda: 0.1)
    assert (patience.left, patience.left) == (180, 0)


def test_a_busy_machine_gets_more_time() -> None:
    """I3: fifteen processes for each processor, for five minutes: twenty seconds have passed."""
    ticks = clock(0, 300)
    assert Patience(300, lambda: next(ticks), lambda: 15).left == 280


def test_what_never_comes_is_an_error_with_a_name() -> None:
    with pytest.raises(AssertionError, match="not in time: a reply"):
        Patience(0.01).until(lambda: False, "a reply", pause_seconds=0.01)


def test_a_process_that_never_ends_is_ended() -> None:
    process = subprocess.Popen(("sleep", "600"), stdout=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        outcome_of(process, 0.1)
    assert process.returncode == -9


def test_all_that_a_process_says() -> None:
    said = subprocess.PIPE
    process = subprocess.Popen(("sh", "-c", "echo a; sleep 1.2; echo b"), stdout=said, stderr=said)
    assert outcome_of(process, 60) == (b"a\nb\n", b"")
