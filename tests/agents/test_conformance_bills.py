"""What every backend promises of its bill, its replies, and of what goes wrong at the provider.

Covers: C14, D2, E2, E7, G1, G2
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.agents.backend import Access
from sparing.failure import Failure
from sparing.review.verdict import SCHEMA
from sparing.usage import Usage
from tests.agents.acts import Act, Backends
from tests.agents.backends import call, run, segments


def test_a_bill_has_no_token_twice(backends: Backends, cwd: Path) -> None:
    """E2: every call sends what was there before it; the buckets hold just that, once."""
    (cwd / "a.txt").write_text("some words " * 400)
    backend = backends.make(Act(read=("a.txt",), write={"b.txt": "more words " * 50}))
    reply = run(backend, call(cwd))
    before_prompt = reply.context_tokens - sum(made.added for made in reply.calls)
    before_prompt -= reply.calls[-1].output
    sent, expected = before_prompt, 0
    for made in reply.calls:
        sent += made.added
        expected += sent
    assert len(reply.calls) == 3
    assert reply.usage.input == expected
    assert reply.usage.output == sum(made.output for made in reply.calls)
    assert before_prompt >= backend.capabilities.base_tokens


def test_the_bill_is_the_provider_s_to_the_token(backends: Backends, cwd: Path) -> None:
    """E2, G1: in every bucket, for fresh, resumed and forked turns, call by call."""
    (cwd / "a.txt").write_text("some words " * 400)
    backend = backends.make(Act(read=("a.txt",), write={"b.txt": "more words " * 50}))
    first = run(backend, call(cwd))
    news = segments("Once more.")
    later = [
        run(
            backend,
            call(cwd, id=f"n{fork}", prompt=news, resume=first.session, fork=fork, at=1100.0),
        )
        for fork in (False, True)
    ]
    replies = [first, *later]
    assert [reply.failure for reply in replies] == [None, None, None]
    assert sum((reply.usage for reply in replies), Usage()) == backends.bill()
    for reply in replies:
        assert sum((made.usage or Usage() for made in reply.calls), Usage()) == reply.usage


def test_several_steps_of_a_turn_are_resumed_as_they_were_sent(
    backends: Backends, cwd: Path
) -> None:
    """C3, E2: what tools answered stands where it stood, so all of it is read from the cache; also
    by whoever resumes what was resumed."""
    (cwd / "a.txt").write_text("some words " * 900)
    act = Act(read=("a.txt",), write={"b.txt": "more words " * 400})
    reply = run(backends.make(act), call(cwd))
    for number in range(2):
        known = reply.context_tokens - reply.calls[-1].output
        news = segments(f"Go on, part {number}.")
        asked = call(
            cwd, id=f"n{number}", prompt=news, resume=reply.session, at=1060.0 + 60 * number
        )
        reply = run(backends.make(act if number == 0 else Act()), asked)
        assert reply.failure is None, reply.detail
        first = reply.calls[0].usage
        assert first is not None
        assert first.read >= 0.95 * known


def test_the_size_of_the_context_is_that_of_the_last_call(backends: Backends, cwd: Path) -> None:
    """D2: a turn's bill counts what is sent again and again, its context does not."""
    (cwd / "a.txt").write_text("some words " * 400)
    reply = run(backends.make(Act(read=("a.txt",))), call(cwd))
    assert len(reply.calls) == 2
    last = reply.calls[-1].usage
    assert last is not None
    assert reply.context_tokens == last.input + last.output < reply.usage.total


VERDICT: dict[str, object] = {"approved": True, "summary": "fine", "findings": []}


def test_a_verdict_has_the_form_that_was_asked_for(backends: Backends, cwd: Path) -> None:
    """C14: the reply is the object alone, however the client got it."""
    backend = backends.make(Act(reply=json.dumps(VERDICT)))
    asked = call(cwd, role="spec-reviewer", access=Access.READ_ONLY, schema=SCHEMA)
    reply = run(backend, asked)
    assert (reply.failure, json.loads(reply.text)) == (None, VERDICT)


def test_a_line_of_a_megabyte(backends: Backends, cwd: Path) -> None:
    """G3: a client's message may be long; it comes through whole."""
    said = {**VERDICT, "summary": "y" * 1_200_000}
    backend = backends.make(Act(reply=json.dumps(said)))
    reply = run(backend, call(cwd, access=Access.READ_ONLY, schema=SCHEMA))
    assert (reply.failure, json.loads(reply.text)) == (None, said)


@pytest.mark.parametrize(
    "failure",
    [
        Failure.AUTH,
        Failure.QUOTA,
        Failure.OVERLOADED,
        Failure.CONTEXT_OVERFLOW,
        Failure.REFUSED,
    ],
)
def test_what_goes_wrong_at_the_provider_has_a_name(
    backends: Backends, cwd: Path, failure: Failure
) -> None:
    """G1: a word of the closed set, and some that tell more; nothing is raised."""
    reply = run(backends.make(Act(fails=failure)), call(cwd))
    assert reply.failure is failure
    assert reply.detail


def test_a_turn_stops_at_its_limit_of_tokens(backends: Backends, cwd: Path) -> None:
    """E7: beyond it nothing more is asked; what was used is told."""
    (cwd / "a.txt").write_text("some words " * 400)
    backend = backends.make(Act(read=("a.txt",), reply="never"))
    reply = run(backend, call(cwd, limit_tokens=500))
    assert reply.failure is Failure.BUDGET
    assert reply.usage.total > 500
