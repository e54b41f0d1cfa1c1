"""Whatever a client, its login or its network does wrong is a word of the closed set, for each
client alike, told after as few requests as were allowed.

Covers: C8, G1, G3
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sparing.agents.backend import AgentReply
from sparing.failure import Failure
from sparing.usage import Usage
from tests.agents.backends import CLIENT_NAMES, call, run, segments
from tests.agents.doubled_client import Json
from tests.agents.every_client import CASES, ClientDouble, EveryClient

OK: Json = {"text": "ok"}
PATIENT = 600.0
"""Seconds for a turn: some clients take several of processor time to start."""
MOST_REQUESTS = 3
"""A client may ask once more, and once more in one piece."""
ODD = "printf '\\377\\376\\000'; echo '[1, 2]'; echo '{\"type\": 7, \"id\": []}'"
RESETS = {
    "retry-after": "3600",
    "x-codex-primary-used-percent": "100",
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": "2000000000",
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": "1900000000",
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
}
"""How providers say when a quota is there again."""
NOTHING: Json = {}
WITH_SESSIONS = [name for name in CLIENT_NAMES if CASES[name].other_session]
"""Without the API: its sessions are rows of ours, and nobody else opens one."""


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        ("exit 3", Failure.CRASHED),
        ("kill -9 $$", Failure.CRASHED),
        ("echo 'no JSON at all'; exit 0", Failure.CRASHED),
        (ODD, Failure.CRASHED),
        ("read line; printf '{\"id\": 1, \"result\": {\"thr'; exit 1", Failure.CRASHED),
        ("sleep 600", Failure.TIMED_OUT),
        ("while read line; do :; done; sleep 600", Failure.TIMED_OUT),
    ],
    ids=["crash", "kill", "garbage", "odd-json", "half-json", "hang", "silence"],
)  # fmt: skip
def test_a_client_that_is_broken(
    client: EveryClient, cwd: Path, script: str, failure: Failure
) -> None:
    """G3: nothing is asked of the provider, nothing is raised."""
    _, case, around = client
    backend = case.stand_in(around, script)
    limit = 2.0 if failure is Failure.TIMED_OUT else PATIENT
    reply = run(backend, call(cwd, limit_seconds=limit))
    assert (reply.failure, reply.text, reply.usage) == (failure, "", Usage())
    assert reply.detail
    assert _requests(around) == 0


@pytest.mark.parametrize("client", WITH_SESSIONS, indirect=True)
def test_a_client_that_opens_another_session(client: EveryClient, cwd: Path) -> None:
    """G3, C8: the wrong session is none; the one that was asked for stays as it was."""
    _, case, around = client
    session = run(around.planned(OK), call(cwd, limit_seconds=PATIENT)).session
    asked = call(cwd, id="2", prompt=segments("Go on."), resume=session, limit_seconds=PATIENT)
    reply = run(case.stand_in(around, case.other_session), asked)
    assert (reply.failure, reply.session, reply.text) == (Failure.INVALID_SESSION, "", "")
    assert reply.detail
    assert _requests(around) == 1


def test_a_login_that_has_vanished(client: EveryClient, cwd: Path) -> None:
    """G3: no request is sent without one, and the reason is said."""
    _, case, around = client
    reply = run(around.planned(OK, **case.no_login), call(cwd, limit_seconds=PATIENT))
    assert (reply.failure, reply.usage) == (Failure.AUTH, Usage())
    assert reply.detail
    assert _requests(around) == 0


def _requests(around: ClientDouble) -> int:
    try:
        return len(around.requests())
    except FileNotFoundError:
        return 0


@pytest.mark.parametrize("told", [True, False], ids=["with-reset", "without-reset"])
def test_a_used_up_quota(client: EveryClient, cwd: Path, told: bool) -> None:
    """G1: no storm of requests; when it is over is known where the provider tells it."""
    _, case, around = client
    headers = RESETS if told else {}
    quota: Json = {"error": 429, "message": "used up", "headers": headers, "times": 20}
    quota |= {"kind": "usage_limit_reached"}
    changes = case.subscribed if told else NOTHING
    reply = run(around.planned(quota, **changes), call(cwd, limit_seconds=PATIENT))
    assert (reply.failure, reply.text, reply.usage) == (Failure.QUOTA, "", Usage())
    assert reply.detail
    assert (reply.resets_at is not None) is told
    assert 1 <= _requests(around) <= MOST_REQUESTS


def test_a_network_that_is_cut_in_mid_turn(client: EveryClient, cwd: Path) -> None:
    """G3, E2: told after as many tries as were allowed; the session can be resumed."""
    around = client.around
    session = run(around.planned(OK), call(cwd, limit_seconds=PATIENT)).session
    cut: Json = {"text": "half of it " * 300, "cut": 2000, "times": 20}
    reply = _resumed(around, cwd, "2", session, cut)
    assert (reply.failure, reply.text) == (Failure.NETWORK, "")
    assert reply.detail
    assert 2 <= _requests(around) <= 1 + MOST_REQUESTS
    again = _resumed(around, cwd, "3", session, OK)
    assert (again.failure, again.session) == (None, session)


def _resumed(around: ClientDouble, cwd: Path, id: str, session: str, planned: Json) -> AgentReply:
    asked = call(
        cwd, id=id, prompt=segments("Go on."), resume=session, at=1000.0 + 10 * int(id),
        limit_seconds=PATIENT,
    )  # fmt: skip
    return run(around.planned(planned), asked)


def test_a_provider_that_nobody_answers_for(client: EveryClient, cwd: Path) -> None:
    """G3: a closed port is a network that is down."""
    _, case, around = client
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        reply = run(around.planned(**case.at(address)), call(cwd, limit_seconds=PATIENT))
    assert (reply.failure, reply.usage) == (Failure.NETWORK, Usage())
