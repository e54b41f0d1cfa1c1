"""What a client sends in one turn, call by call, and what the prompt cache does with it.

The scripted agent has no model, so its bill is simulated: the same blocks that a real client would
send go through the double's cache rules. Text is counted with the one estimate of `segment`, never
with a tokenizer, so the figures are marked as simulated.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, cast

from sparing.agents.session_lock import SessionFiles, files_in
from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.segment import Segment, estimate_tokens
from sparing.turn_event import AgentAction
from sparing.usage import Usage

TOOL_CALL_TOKENS = 60
"""Output tokens for naming a tool and its arguments."""
LISTED_TOKENS = 12
"""Output tokens for each further entry, if one call takes a list."""
FOUND = "found"
"""The result of a search or a listing, for which there is no event."""
CALL_SECONDS = 3.0
"""Seconds between two calls of one turn, by the engine's clock."""
SESSION = re.compile("[0-9a-f]{32}")
BOOK = "bill.jsonl"
SHORT = Life.FIVE_MINUTES.value


class Tool(NamedTuple):
    kind: str
    path: str
    chars: int
    step: int = 0
    """The number of the call in the turn that asked for it."""


class ClientTools(NamedTuple):
    """The tools that a request begins with."""

    name: str
    tokens: int
    own: bool = False
    """True if they are ours, which take lists."""


class StoredSession(NamedTuple):
    messages: list[list[Any]]
    known: frozenset[str] = frozenset()
    """Files, documents and searches that its agent has seen, if recorded."""
    until: float = 0.0
    """When its last turn ended: the next one can't begin earlier, even in the same step."""


class ClientConversation:
    """The messages of a session, growing call by call."""

    def __init__(self, model: str, system: str, tools: ClientTools, session: StoredSession) -> None:
        self.model = model
        self.system = system
        self.tools = tools
        self.known = session.known
        self.messages: list[list[Any]] = [list(block) for block in session.messages]
        """Digest, tokens, and the lifetime of the cache entry at the caller's mark, if any."""
        self.calls: list[tuple[int, int]] = []
        """Per call: tokens added to the conversation, tokens answered."""
        self.asked: list[int] = []
        """Per call: how many things it asked our tools for."""
        self.sent: list[int] = []
        """Per call: how many messages it sent."""
        self._pending = 0

    @property
    def size(self) -> int:
        """Tokens of everything in the window."""
        own = self.tools.tokens + estimate_tokens(self.system)
        return own + sum(tokens for _, tokens, _ in self.messages)

    def ask(self, prompt: Sequence[Segment], *, marks: bool, life: str = SHORT) -> None:
        for segment in prompt:
            mark = life if marks and segment.mark else ""
            self.messages.append([segment.digest, segment.tokens, mark])
        self._pending += sum(segment.tokens for segment in prompt)

    def work(self, tools: Sequence[Tool]) -> None:
        """Send the tool calls, those of one step together."""
        for _, batch in groupby(tools, lambda tool: tool.step):
            self._call(list(batch))

    def answer(self, text: str) -> None:
        self._send(estimate_tokens(text), 0)

    def _call(self, batch: Sequence[Tool]) -> None:
        typed = sum(tool.chars for tool in batch if tool.kind == AgentAction.WRITE)
        more = LISTED_TOKENS if self.tools.own else TOOL_CALL_TOKENS
        output = TOOL_CALL_TOKENS + more * (len(batch) - 1) + estimate_tokens("x" * typed)
        self._send(output, len(batch) if self.tools.own else 0)
        for tool in batch:
            known = tool.kind in (AgentAction.READ, AgentAction.RAN, FOUND)
            size = estimate_tokens("x" * tool.chars) if known else 20
            self.messages.append([_digest(f"{len(self.messages)} {tool}"), size, False])
            self._pending += size

    def _send(self, output: int, asked: int) -> None:
        self.asked.append(asked)
        self.sent.append(len(self.messages))
        self.calls.append((self._pending, output))
        self.messages.append([_digest(f"answer {len(self.messages)} {output}"), output, False])
        self._pending = output


class Transcripts:
    """Sessions and the cache on disk, so that they outlive the process as a client's do."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: tuple[tuple[int, ...] | None, PromptCache] = None, PromptCache()

    @contextmanager
    def held(self, session: str) -> Generator[bool]:
        """Allow one turn at a time in a session: False while another one runs, in any process."""
        path = self._session(session)
        if path is None or not path.exists():
            yield True
            return
        with path.with_suffix(".lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def load(self, session: str) -> StoredSession | None:
        path = self._session(session)
        if path is None or not path.exists():
            return None
        found = json.loads(path.read_text())
        if isinstance(found, list):
            return StoredSession(cast("list[list[Any]]", found))
        known, until = frozenset(found["known"]), found.get("until", 0.0)
        return StoredSession(found["messages"], known, until)

    def save(self, session: str, conversation: ClientConversation, at: float) -> None:
        """Save a session after a turn that began at `at`."""
        known, until = (
            sorted(conversation.known),
            at + CALL_SECONDS * len(conversation.calls[1:]) + 1,
        )
        value = {"messages": conversation.messages, "known": known, "until": until}
        self._write(self._folder / "sessions" / f"{session}.json", value)

    def files(self, session: str) -> SessionFiles:
        if not SESSION.fullmatch(session):
            return SessionFiles(self._folder)
        return files_in(self._folder, f"sessions/{session}.json")

    def _session(self, session: str) -> Path | None:
        """A session's file; None if the name can't be one of our sessions."""
        if not SESSION.fullmatch(session):
            return None
        return self._folder / "sessions" / f"{session}.json"

    def ask(self, call: str, conversation: ClientConversation, at: float) -> Usage:
        """Bill the turn's first call, which is known before anything is answered."""
        (usage,) = self._bill(conversation, [len(conversation.messages)], at)
        self._note(call, usage)
        return usage

    def work(
        self, call: str, conversation: ClientConversation, asked: Usage, at: float
    ) -> list[Usage]:
        """Bill the calls after the first, and what all of them answered."""
        later = self._bill(conversation, conversation.sent[1:], at + CALL_SECONDS)
        outputs = [Usage(output=output) for _, output in conversation.calls]
        self._note(call, sum((*later, *outputs), Usage()))
        return [sent + output for sent, output in zip([asked, *later], outputs, strict=True)]

    def _note(self, call: str, usage: Usage) -> None:
        """Record in the provider's own book what it would bill, even if no one receives it."""
        with (self._folder / BOOK).open("a") as book:
            book.write(json.dumps({"call": call, **asdict(usage)}) + "\n")

    def billed(self, call: str) -> Usage:
        """What the book has for one call."""
        book = self._folder / BOOK
        lines = book.read_text().splitlines() if book.exists() else []
        rows = (json.loads(line) for line in lines if json.dumps(call) in line)
        return sum((_bill_of(row) for row in rows if row.pop("call") == call), Usage())

    def _bill(
        self, conversation: ClientConversation, sent: Sequence[int], at: float
    ) -> list[Usage]:
        path = self._folder / "cache.json"
        cache = self._cache(path)
        self._known = None, PromptCache()  # until what is changed now is written
        bills: list[Usage] = []
        for number, count in enumerate(sent):
            start = at + number * CALL_SECONDS
            request = self._request(conversation, count)
            bills.append(cache.bill(request, start, ready_at=start + 1))
        self._write(path, cache.dump())
        self._known = _stamp(path), cache
        return bills

    def _cache(self, path: Path) -> PromptCache:
        """The cache as last written, by any process."""
        stamp = _stamp(path)
        if stamp is None:
            return PromptCache()
        if stamp != self._known[0]:
            self._known = stamp, PromptCache.load(json.loads(path.read_text()))
        return self._known[1]

    def _request(self, conversation: ClientConversation, sent: int) -> CacheRequest:
        """The request; marks end tools, system prompt and messages. No block may be empty."""
        system, tools = conversation.system, conversation.tools
        messages = conversation.messages[:sent]
        # No mark may outlive one before it, so the client's own live as long as the first of these.
        first = next((mark for _, _, mark in messages if mark), SHORT)
        blocks = [
            (RequestPart.TOOLS, f"tools {tools.name}", tools.tokens, first),
            (RequestPart.SYSTEM, _digest(system), estimate_tokens(system), first),
            *((RequestPart.MESSAGES, *message) for message in messages),
        ]
        kept = [_block(*block) for block in blocks if block[2]]
        if kept and kept[-1].mark is None:
            kept[-1] = kept[-1].marked(Life.FIVE_MINUTES)
        return CacheRequest(conversation.model, tuple(kept))

    def _write(self, path: Path, value: object) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        with partial.open("w") as file:
            file.write(json.dumps(value))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _bill_of(row: dict[str, int]) -> Usage:
    return Usage(**row)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=16_384)
def _block(part: RequestPart, digest: str, tokens: int, mark: object) -> CacheBlock:
    """One and the same object each time, so that the cache sees what requests have in common."""
    return CacheBlock(part, digest, tokens, _life(mark))


def _life(mark: object) -> Life | None:
    """A mark's lifetime; sessions stored before lifetimes differed only say if there is a mark."""
    if not mark:
        return None
    return Life(mark) if isinstance(mark, str) else Life.FIVE_MINUTES
