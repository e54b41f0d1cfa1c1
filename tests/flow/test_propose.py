"""A tier is proposed with its reasons. Covers: A2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.propose import Ground, propose

KNOWN = Ground(files=200, checks=2)


@pytest.mark.parametrize(
    ("request_", "tier"),
    [
        ("Fix the typo in the README", "L1"),
        ("Rename the login button", "L1"),
        ("Add a --quiet flag", "L1"),
        ("Add an option that makes the train run backwards", "L1"),
        ("Add rate limiting with a queue to the server", "L2"),
        ("Migrate the user database and the password hashes to the new schema; keep the API", "L2"),
        ("Refactor the auth middleware, migrate the sessions table, lock it while it runs", "L3"),
        ("Redesign payments:\n- invoices\n- refunds\n- a ledger", "L3"),
    ],
)
def test_what_a_request_asks_for(request_: str, tier: str) -> None:
    """A2: proposed from the request."""
    assert propose(request_, KNOWN).tier == tier


def test_what_the_repository_tells() -> None:
    """A2: and from the repository."""
    request = "Show the number of lines next to each word"
    assert propose(request, KNOWN).tier == "L1"
    wild = Ground(files=9_000, checks=0)
    said = propose(request, wild)
    assert said.tier == "L2"
    assert said.why == (
        "the repository has no checks that could catch a mistake",
        "the repository is large (9000 files)",
    )


@given(st.text(), st.integers(0, 10_000), st.integers(0, 3))
def test_there_is_always_a_reason(request: str, files: int, checks: int) -> None:
    said = propose(request, Ground(files, checks))
    assert said.tier in ("L1", "L2", "L3", "feature")
    assert said.why


def test_only_a_toss_up_is_asked_about() -> None:
    """A2: one point less would have given the tier below."""
    ground = Ground(files=10, checks=1)
    assert not propose("Greet by name", ground).or_else
    assert not propose("Greet by name", ground._replace(checks=0)).or_else
    assert propose("Store passwords", ground)[::2] == ("L2", "L1")
    clear = "Migrate the database of payments, with locks, behind the public API"
    assert propose(clear, ground)[::2] == ("L3", "")


def test_a_request_that_touches_everything_gets_the_whole_flow() -> None:
    """A2"""
    request = "Rewrite billing: migrate the schema, encrypt tokens, lock rows, keep the public API"
    assert propose(request, Ground(files=10, checks=1)).tier == "feature"
