"""Providers' APIs as the real library speaks them, each format against its double.

Covers: C3, C6, C15, B5, E2, G1, G2, G3
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.failure import Failure
from sparing.review.verdict import SCHEMA
from sparing.usage import Usage
from tests.agents.acts import Act
from tests.agents.api_double import ANTHROPIC, WIRES, ApiDouble, WireDouble
from tests.agents.backends import call, run, segments
from tests.agents.doubled_client import FAULTS, KEY, Json

OK: Json = {"text": "ok"}
VERDICT: Json = {"approved": True, "summary": "fine", "findings": []}


@pytest.fixture(params=WIRES, ids=[wire.backend for wire in WIRES])
def api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiDouble]:
    wire: WireDouble = request.param
    made = ApiDouble(tmp_path / "sessions", wire)
    yield made
    made.close()


@pytest.fixture(params=WIRES[1:], ids=[wire.backend for wire in WIRES[1:]])
def other_api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiDouble]:
    """All but the one that the conformance suite runs on."""
    made = ApiDouble(tmp_path / "sessions", request.param)
    yield made
    made.close()


@pytest.fixture
def anthropic(tmp_path: Path) -> Iterator[ApiDouble]:
    made = ApiDouble(tmp_path / "sessions", ANTHROPIC)
    yield made
    made.close()


def test_every_format_is_billed_to_the_token(api: ApiDouble, cwd: Path) -> None:
    """E2, C3: tools, a resumed turn in a form, a fork and a keep-alive, by its own cache rules."""
    (cwd / "a.txt").write_text("some words " * 400)
    model = api.wire.model
    act = Act(read=("a.txt",), write={"b.txt": "more words"}, reply=json.dumps(VERDICT))
    backend = api.make(act)
    first = run(backend, call(cwd, model=model))
    assert (first.failure, first.files_read, first.files_written) == (None, ("a.txt",), ("b.txt",))
    later = [
        run(
            api.make(Act(reply=json.dumps(VERDICT))),
            call(
                cwd, id=f"n{number}", model=model, prompt=segments("Once more."), at=1100.0,
                resume=first.session, fork=number == 1, ping=number == 2,
                schema=SCHEMA if number == 0 else None,
            ),
        )
        for number in (2, 1, 0)
    ]  # fmt: skip
    assert [reply.failure for reply in later] == [None, None, None]
    assert json.loads(later[-1].text) == VERDICT
    assert sum((reply.usage for reply in (first, *later)), Usage()) == api.bill()
    read = later[0].usage.read
    assert (read > 0) is (api.wire.path != "/own/v1"), "a server of one's own bills no cache"


@pytest.mark.parametrize("failure", list(FAULTS))
def test_other_formats_have_words_for_what_goes_wrong(
    other_api: ApiDouble, cwd: Path, failure: Failure
) -> None:
    """G1, G3: of the closed set, after one request; a key is never in them."""
    reply = run(other_api.make(Act(fails=failure)), call(cwd, model=other_api.wire.model))
    assert (reply.failure, bool(reply.detail)) == (failure, True)
    assert KEY not in reply.detail
    assert len(other_api.requests()) == 1


def test_four_marks_and_two_lives(anthropic: ApiDouble, cwd: Path) -> None:
    """B5: tools, system, the caller's, the end; what stands before an hour's mark has one too."""
    run(anthropic.planned(OK), call(cwd, life="1h"))
    asked = anthropic.requests()[0]["request"]
    lives = [block.get("cache_control", {}).get("ttl") for block in asked["tools"]]
    assert lives == [None, None, "1h"]
    system = [block.get("cache_control", {}).get("ttl") for block in asked["system"]]
    assert system == [None, "1h"], "the first block is the library's own word on quoted tags"
    blocks = asked["messages"][0]["content"]
    assert [block["cache_control"]["ttl"] for block in blocks] == ["1h", "5m"]
    assert str(cwd) not in json.dumps(asked)
