"""A session is resumed from the files that its backend names, and from nothing else.

Covers: C3, I4
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.codex.backend import CodexBackend
from sparing.agents.session_lock import KeepsSessionFiles
from tests.agents.acts import Act, Backends
from tests.agents.backends import BACKENDS, Scripted, call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.codex_double import CodexDouble


@pytest.fixture(params=sorted(BACKENDS.keys() & {"scripted", "claude", "codex"}))
def backends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backends]:
    made = BACKENDS[request.param](tmp_path / "sessions")
    yield made
    made.close()


def keeper(backends: Backends) -> KeepsSessionFiles:
    if isinstance(backends, ClaudeDouble):
        return ClaudeBackend(backends.setup())
    if isinstance(backends, CodexDouble):
        return CodexBackend(backends.setup())
    assert isinstance(backends, Scripted)
    return backends.make()


def lose_all_but(backends: Backends, session: str) -> None:
    """As on another machine, on which the session's files were laid down. A scripted agent's
    provider has its cache beside them, which stays."""
    found = keeper(backends).session_files(session)
    kept = {path: (found.folder / path).read_bytes() for path in found.paths}
    assert len(kept) == 1
    own = found.folder / "sessions" if isinstance(backends, Scripted) else found.folder
    shutil.rmtree(own)
    for path, data in kept.items():
        (found.folder / path).parent.mkdir(mode=0o700, parents=True)
        (found.folder / path).write_bytes(data)


def test_its_files_alone_are_enough(backends: Backends, cwd: Path) -> None:
    """C3: what was cached is read from the cache, so the same was sent."""
    reply = run(backends.make(Act(reply="noted. " * 300)), call(cwd))
    for number in range(2):
        asked = reply.context_tokens - reply.calls[-1].output
        lose_all_but(backends, reply.session)
        news = segments(f"Only this is new: {number}.")
        at = 1060.0 + 60 * number
        turn = call(cwd, id=f"n{number}", prompt=news, resume=reply.session, at=at)
        reply = run(backends.make(Act(reply="still known")), turn)
        assert reply.failure is None, reply.detail
        assert reply.usage.read >= 0.95 * asked


def test_an_unknown_session_has_no_files(backends: Backends) -> None:
    for name in ("", "unknown", "../../*", "0" * 32):
        assert keeper(backends).session_files(name).paths == ()
