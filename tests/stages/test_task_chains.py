"""Small tasks that go on in the session of the one before.

Covers: E13
"""

from __future__ import annotations

from sparing.job import JobKind, JobResult
from sparing.stages.moves import Next
from tests.stages.test_tasks import DOUBT, FAILED, after, begun, job

CHAINS = (("2", "1"), ("3", "2"))


def _chained(found: Next, *results: JobResult) -> list[str]:
    """In whose session each dispatch may go on."""
    seen = [job(found).chain]
    for result in results:
        found = after(found, result)
        if found.jobs and job(found).kind is JobKind.DISPATCH:
            seen.append(job(found).chain)
    return seen


def test_a_small_task_may_go_on_in_the_session_of_the_one_before() -> None:
    """E13: each is dispatched, looked at and noted by itself all the same."""
    turn, seen = JobResult(commit="c", reply="r"), JobResult(commit="log")
    assert _chained(begun(chains=CHAINS), turn, seen, turn, seen) == ["", "1", "2"]
    assert _chained(begun(), turn, seen, turn, seen) == ["", "", ""]


def test_a_chain_ends_with_a_reply_that_has_no_report() -> None:
    """E13: whoever comes next begins by itself."""
    turn, silent = JobResult(commit="c", reply="r"), JobResult(commit="log", reported=False)
    found = _chained(begun(chains=CHAINS), turn, silent, turn, JobResult(commit="log"))
    assert found == ["", "", "2"]


def test_a_chained_task_that_is_not_done_is_tried_alone_and_so_are_the_others() -> None:
    """E13: the second try has a session of its own, and nobody follows in it."""
    turn, seen = JobResult(commit="c", reply="r"), JobResult(commit="log")
    assert _chained(begun(chains=CHAINS), turn, seen, turn, DOUBT, turn, seen) == ["", "1", "", ""]
    assert _chained(begun(chains=CHAINS), turn, seen, FAILED, turn, seen) == ["", "1", "", ""]


def test_nobody_goes_on_in_the_session_of_a_task_that_needed_two_tries() -> None:
    """E13: a first task that fails says nothing of chains: the third may follow the second."""
    turn, seen = JobResult(commit="c", reply="r"), JobResult(commit="log")
    assert _chained(begun(chains=CHAINS), turn, DOUBT, turn, seen, turn, seen)[2:] == ["", "2"]
