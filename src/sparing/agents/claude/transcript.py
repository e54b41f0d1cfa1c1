"""What a turn of Claude Code has used, from the client's transcript of its session.

Only needed when a turn's end was not seen. A note says which session the turn writes to, and from
which byte on: it is written before the client starts and again when a new session's id is known.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

from sparing.agents.backend import AgentCall
from sparing.agents.claude.stream import SYNTHETIC, usage_of
from sparing.usage import Usage

MOST_NOTES = 400
MOST_BYTES = 64 * 1024 * 1024
ENDINGS = frozenset({"end_turn", "stop_sequence", "refusal"})
"""Reasons for an answer's end after which the client sends no further request."""


class MessageUsage(NamedTuple):
    """The usage of one answer."""

    id: str
    usage: Usage
    ending: str


@dataclass(slots=True)
class TurnNote:
    """Which part of which transcript belongs to one turn."""

    config: Path
    call: AgentCall
    _named: str = ""

    def begin(self) -> None:
        goes_on = self.call.resume if not self.call.fork else ""
        self._write(goes_on, _size(self.config, goes_on) if goes_on else 0)

    def name(self, session: str) -> None:
        """Note the session's id once the client has reported it."""
        if session and session not in (self._named, self.call.resume):
            self._write(session, 0)

    def _write(self, session: str, begin: int) -> None:
        self._named = session
        path = _note(self.config, self.call.id)
        parent = self.call.resume if self.call.fork else ""
        with suppress(OSError):  # a full disk: the turn's end will tell what it used
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_text(json.dumps([session, begin, parent]))
            _drop_old(path.parent)


def spent(config: Path, call: str) -> Usage:
    """The usage of a turn whose end was not seen: its calls, and the one in progress."""
    try:
        session, begin, parent = json.loads(_note(config, call).read_text())
    except (OSError, ValueError):
        return Usage()
    before = {one.id for one in _messages(config, parent, 0)} if parent else set[str]()
    by_id = {one.id: one for one in _messages(config, session, begin) if one.id not in before}
    calls = list(by_id.values())
    usage = sum((one.usage for one in calls), Usage())
    if not calls or calls[-1].ending in ENDINGS:
        return usage
    last = calls[-1].usage
    return usage + Usage(read=last.input, uncached=last.output)


def _messages(config: Path, session: str, begin: int) -> list[MessageUsage]:
    """Answers in a transcript, written block by block; the last line of each has its full usage."""
    found: list[MessageUsage] = []
    for path in _transcripts(config, session):
        with suppress(OSError), path.open("rb") as file:
            file.seek(begin)
            for line in file.read(MOST_BYTES).splitlines():
                with suppress(ValueError, RecursionError):
                    if (one := _message_usage(json.loads(line))) is not None:
                        found.append(one)
    return found


def _message_usage(line: object) -> MessageUsage | None:
    """The usage in one line of a transcript; None if it is not a model's answer."""
    entry = cast("dict[str, Any]", line) if isinstance(line, dict) else {}
    told: object = entry.get("message")
    said = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
    if entry.get("type") != "assistant" or said.get("model") == SYNTHETIC:
        return None
    return MessageUsage(
        str(said.get("id")), usage_of(said.get("usage")), str(said.get("stop_reason") or "")
    )


def _size(config: Path, session: str) -> int:
    return max((path.stat().st_size for path in _transcripts(config, session)), default=0)


def _transcripts(config: Path, session: str) -> list[Path]:
    """Transcript files of a session; none if the name is not a session id."""
    safe = session and all(one in "0123456789abcdef-" for one in session)
    return list(config.glob(f"projects/*/{session}.jsonl")) if safe else []


def _note(config: Path, call: str) -> Path:
    return config / "turns" / f"{hashlib.sha256(call.encode()).hexdigest()[:32]}.json"


def _drop_old(folder: Path) -> None:
    """Remove old notes, keeping the newest: they are only read after a crash."""
    notes = list(os.scandir(folder))
    if len(notes) > MOST_NOTES:
        notes.sort(key=lambda one: one.stat().st_mtime)
        for one in notes[: -MOST_NOTES // 2]:
            Path(one.path).unlink(missing_ok=True)
