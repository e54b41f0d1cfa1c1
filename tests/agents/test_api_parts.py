"""Providers without the library: which key is used, what a turn is told, what its words come to.

Covers: G1, G2, G3, H6, E2, C8
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sparing import backend_name as names
from sparing.agents.api.backend import ApiBackend, ended_turn
from sparing.agents.api.detection import address_of
from sparing.agents.api.failures import failure_of
from sparing.agents.api.options import ApiSetup, StoredConversation, hosts, needs, order
from sparing.agents.api.providers import PROVIDERS, FoundKey, find_key
from sparing.agents.api.stream import ApiWatch, usage_of
from sparing.agents.backend import Access, AgentCall, TurnOutcome
from sparing.agents.own_tools import ToolDesk
from sparing.errors import ConfigError
from sparing.failure import Failure
from sparing.usage import Usage
from tests.agents.backends import call, segments

Json = dict[str, Any]
ANTHROPIC, OPENAI = PROVIDERS[names.API_ANTHROPIC], PROVIDERS[names.API_OPENAI]
SERVER, GOOGLE = PROVIDERS[names.API_SERVER], PROVIDERS[names.API_GOOGLE]


@dataclass
class NoSessions:
    saved: list[str] = field(default_factory=list[str])

    def load(self, session: str) -> StoredConversation | None:
        return None

    def save(self, session: str, model: str, text: str, turns: int, at: float) -> bool:
        self.saved.append(session)
        return True


def setup(folder: Path, **changes: Any) -> ApiSetup:
    usual: Json = {
        "provider": ANTHROPIC,
        "version": "2.66.0",
        "folder": folder,
        "store": NoSessions(),
        "key": FoundKey("ANTHROPIC_API_KEY", "sk-secret"),
    }
    return ApiSetup(**{**usual, **changes})


def watching(asked: AgentCall, *messages: Json) -> ApiWatch:
    watch = ApiWatch(asked, ToolDesk(None, lambda _: None), lambda _: None)
    for message in messages:
        watch.see(message, lambda _: None)
    return watch


def answer(**changes: Any) -> Json:
    usual: Json = {"kind": "answer", "input": 10, "output": 2, "measured": True, "text": "ok"}
    return {**usual, "stop": "stop", "calls": [], **changes}


def ended(*messages: Json, asked: AgentCall | None = None, folder: Path) -> TurnOutcome:
    return ended_turn(watching(asked or call(folder), *messages), 0, "")


def test_a_key_is_found_by_its_variable_and_never_shown() -> None:
    """G1, H6"""
    found = find_key(GOOGLE, {"GOOGLE_API_KEY": " sk-secret ", "OPENAI_API_KEY": "other"})
    assert found is not None
    assert (found.secret, found.words) == ("sk-secret", "API key from GOOGLE_API_KEY")
    assert "sk-secret" not in f"{found!r} {found.words}"
    assert find_key(ANTHROPIC, {"ANTHROPIC_API_KEY": "  "}) is None
    assert find_key(SERVER, {}) == FoundKey("", ""), "a server of one's own may ask for none"


@pytest.mark.parametrize(
    ("address", "words"),
    [("", "no server is set"), ("http://models.example/v1", "is not this machine")],
)
def test_a_server_of_one_s_own_is_named_and_safe(address: str, words: str) -> None:
    """H6: without TLS nothing leaves this machine."""
    with pytest.raises(ConfigError) as told:
        address_of(SERVER, {}, address)
    assert words in told.value.what
    assert "agent.server" in told.value.repair
    for good in ("http://127.0.0.1:11434/v1", "http://localhost:1/v1", "https://models.example/v1"):
        assert address_of(SERVER, {}, good) == good


def test_the_key_stands_in_the_orders_alone(tmp_path: Path) -> None:
    """H6: neither in the environment nor in the line that everybody can list."""
    made = setup(tmp_path)
    told = json.loads(order(made, call(tmp_path), (), ""))
    assert told["key"] == "sk-secret"
    assert "sk-secret" not in f"{made} {made.program} {needs(made)}"
    assert {host.name for host in hosts(made)} == {"api.anthropic.com"}
    near = setup(tmp_path, provider=SERVER, base_url="http://127.0.0.1:9/v1")
    assert (hosts(near), needs(near).ports) == (frozenset(), {9})


def test_marks_are_set_where_a_provider_has_them(tmp_path: Path) -> None:
    """B5, G2: one of the caller's, in a session's first turn."""

    def marks(provider: Any, **changes: Any) -> list[bool]:
        asked = call(tmp_path, prompt=segments("trunk", "role", " "), **changes)
        told = json.loads(order(setup(tmp_path, provider=provider), asked, (), ""))
        return [part["mark"] for part in told["prompt"]]

    assert marks(ANTHROPIC) == [True, False]
    assert marks(ANTHROPIC, resume="a" * 32) == [False, False]
    assert marks(OPENAI) == [False, False]


def test_what_a_provider_has_not_is_off(tmp_path: Path) -> None:
    """G2"""
    for provider in PROVIDERS.values():
        can = ApiBackend(setup(tmp_path, provider=provider)).capabilities
        marked = provider is ANTHROPIC
        assert (can.marks, can.two_lives, can.primes) == (int(marked), marked, marked)
        assert can.own_tools(writes=True, model="m") == "own"
        assert can.automatic is (provider.vendor in ("OpenAI", "Google"))
        assert bool(can.prefix_ends) is bool(provider.vendor)


def test_buckets_are_disjoint() -> None:
    """E2: the library counts what was read and written within the input."""
    told = {"input": 100, "read": 60, "written": 30, "written_1h": 10, "output": 5}
    assert usage_of(told) == Usage(uncached=10, read=60, write_5m=20, write_1h=10, output=5)
    assert usage_of({"input": -1, "output": True, "read": "many"}) == Usage()


def test_usage_that_is_not_told_is_estimated_and_never_zero(tmp_path: Path) -> None:
    """E2: as some servers of one's own do."""
    watch = watching(call(tmp_path), answer(measured=False, input=0, output=0))
    assert watch.estimated
    assert watch.calls[0].input > sum(segment.tokens for segment in call(tmp_path).prompt)
    failed = watching(call(tmp_path), answer(measured=False, input=0, output=0, text="", stop=None))
    assert failed.calls == [], "nothing came back, nothing is on the bill"


def test_how_a_turn_ends(tmp_path: Path) -> None:
    """G1, G3: success is an answer, whatever the process says."""
    end: Json = {"kind": "end", "text": "ok", "history": "[]"}
    assert ended(answer(), end, folder=tmp_path) == (None, "")
    empty = ended(answer(text=""), {**end, "text": " "}, folder=tmp_path)
    assert empty == (Failure.GARBAGE, "the reply is empty")
    refused = ended(answer(stop="content_filter"), end, folder=tmp_path)
    assert refused.failure is Failure.REFUSED
    wrong: Json = {"kind": "failed", "failure": "garbage", "detail": "no object", "text": "words"}
    assert ended(answer(), wrong, folder=tmp_path).failure is None, "the words are judged later"
    strange = ended({"kind": "failed", "failure": "new", "detail": "?"}, folder=tmp_path)
    assert strange == (Failure.CRASHED, "?")
    quota: Json = {"kind": "failed", "failure": "quota", "detail": "no", "resets_at": 2e9}
    assert ended(quota, folder=tmp_path).detail == "no (until 2033-05-18 03:33 UTC)"
    assert ended_turn(watching(call(tmp_path)), 3, "").detail.startswith(
        "the turn's process exited"
    )


def test_a_reader_that_wants_to_write(tmp_path: Path) -> None:
    """H6: it is said, and its reply is not used."""
    wants = answer(calls=[{"name": "change", "given": '{"path": "kept.txt"}'}])
    asked = call(tmp_path, access=Access.READ_ONLY, role="judge")
    told = ended(wants, {"kind": "end", "text": "ok"}, asked=asked, folder=tmp_path)
    assert (told.failure, "kept.txt" in told.detail) == (Failure.PERMISSION_DENIED, True)


def error(*kinds: str, status: int | None = None, headers: object = None, words: str = "no") -> Any:
    """An error whose classes have these names, the most special one first."""
    made: Any = Exception
    for kind in reversed(kinds):
        made = type(kind, (made,), {})
    found: Any = made(words)
    if status is not None:
        found.status_code = status
    found.headers = headers
    return found


@pytest.mark.parametrize(
    ("raised", "failure"),
    [
        (error("ModelRateLimitError", "ModelAPIError", status=429), Failure.QUOTA),
        (error("ModelQuotaExceededError", "ModelAPIError"), Failure.QUOTA),
        (error("ModelAuthenticationError", "ModelRequestRejectedError", status=401), Failure.AUTH),
        (error("ModelRequestRejectedError", "ModelAPIError", status=400), Failure.REFUSED),
        (
            error("ModelHTTPError", status=400, words="prompt is too long: 9 > 8"),
            Failure.CONTEXT_OVERFLOW,
        ),
        (error("ModelOverloadedError", "ModelUnavailableError", status=529), Failure.OVERLOADED),
        (error("ModelHTTPError", status=500), Failure.OVERLOADED),
        (error("ModelHTTPError", status=402), Failure.QUOTA),
        (error("ModelHTTPError", status=418), Failure.REFUSED),
        (error("ModelConnectionError", "ModelAPIError"), Failure.NETWORK),
        (error("ModelAPIError"), Failure.NETWORK),
        (error("UsageLimitExceeded"), Failure.BUDGET),
        (error("UnexpectedModelBehavior"), Failure.GARBAGE),
        (error("SomethingNew"), Failure.CRASHED),
    ],
)
def test_failures_are_words_of_the_closed_set(raised: Exception, failure: Failure) -> None:
    """G1"""
    assert failure_of(raised, 0.0).failure == failure.value


@pytest.mark.parametrize(
    ("headers", "at"),
    [({"retry-after": "60"}, 1060.0), ({"retry-after": "soon"}, None), (None, None), ({}, None)],
)
def test_a_used_up_quota_says_until_when(headers: object, at: float | None) -> None:
    """G1: where the provider tells it."""
    raised = error("ModelRateLimitError", status=429, headers=headers)
    assert failure_of(raised, 1000.0).resets_at == at


def test_an_unknown_session_is_refused_at_once(tmp_path: Path) -> None:
    """C8: nothing is started for it."""
    import asyncio

    backend = ApiBackend(setup(tmp_path, program=("/nowhere",)))
    reply = asyncio.run(backend.run(call(tmp_path, resume="f" * 32), lambda _: None))
    assert (reply.failure, reply.usage) == (Failure.INVALID_SESSION, Usage())
