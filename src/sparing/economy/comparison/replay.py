"""A recorded run, replayed on paper: as it was sent, and as it could have been sent.

Every turn keeps the calls that the model really made; only the prompts, their order and the
sessions differ. The bills come from the rules of the cache, so they are simulated, also where
the run itself was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.cache_minimum import MINIMUM_TOKENS
from sparing.dispatch_policy import Way
from sparing.economy.comparison.bound import CallSize, Replay, RunTurn, Sending
from sparing.economy.comparison.recorded_turn import (
    Named,
    RecordedTurn,
    ReplayedPrompt,
    SeedPrompt,
)
from sparing.economy.cost_model import CALL_OUTPUT_TOKENS
from sparing.economy.expected_work import PARALLEL_READS, READ_FACTOR
from sparing.economy.predict import too_long
from sparing.usage import Usage

CALLERS_MARKS = 2
"""How many marks of the caller leave room for the client's, after its base and at the end."""


class ReplayedDispatch(NamedTuple):
    way: Way
    told: ReplayedPrompt


Pick = Callable[[RecordedTurn, "ReplayedSessions"], ReplayedDispatch]
"""Chooses how a turn is sent in a replay."""


class ReplayedSessions:
    """What a replay knows of the sessions so far."""

    def __init__(self) -> None:
        self.lines: dict[str, None] = {}
        """The most recently used line is last."""
        self.fresh_chars: dict[str, int] = {}
        """By line, characters of the latest fresh prompt under the original rules."""
        self.marks: dict[str, tuple[Life, ...]] = {}
        """By line: marks of the prompt that opened its session; every later request has them."""
        self.systems: dict[str, Named] = {}
        """By line, the system prompt of its session."""

    def line_of(self, turn: RecordedTurn) -> str:
        """Its own line, else the latest of the same role: builders continue from stage to stage."""
        if turn.line in self.lines:
            return turn.line
        same = [line for line in self.lines if line.endswith(f" {turn.role}")]
        return same[-1] if same else ""

    def add(self, line: str) -> None:
        self.lines.pop(line, None)
        self.lines[line] = None


def as_recorded(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
    _ = talk
    return ReplayedDispatch(turn.way, turn.ways[turn.way])


def all_fresh(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
    """The same order and marks, but no session is resumed."""
    _ = talk
    way = Way.COMPOSE if turn.way in (Way.RESUME, Way.FORK) else turn.way
    return ReplayedDispatch(way, turn.ways[way])


def without_paths(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
    """The same, and no document is sent by path for an agent to open."""
    way = Way.PLAIN if turn.way is Way.PLAIN else Way.COMPOSE
    _ = talk
    return ReplayedDispatch(way, turn.ways[way])


def all_inline(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
    """The same, and every prompt begins with what the roles share."""
    _ = talk
    return ReplayedDispatch(Way.COMPOSE, turn.ways[Way.COMPOSE])


def seed_sent(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
    """The original rules: by path, and into the session unless the delta is long."""
    seed = turn.seed
    if seed is None:
        return as_recorded(turn, talk)
    if _resumes(turn, seed, talk):
        return ReplayedDispatch(Way.RESUME, ReplayedPrompt(seed.delta))
    talk.fresh_chars[turn.line] = seed.fresh_chars
    return ReplayedDispatch(Way.REFERENCE, seed.fresh)


def seed_inline(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
    """The same, with the documents in the prompt."""
    way, told = seed_sent(turn, talk)
    if way is Way.REFERENCE and turn.seed is not None:
        return ReplayedDispatch(Way.COMPOSE, ReplayedPrompt(turn.seed.full))
    return ReplayedDispatch(way, told)


def seed_sessions(fresh: Pick) -> Pick:
    """Fresh prompts as `fresh` sends them; whether a session is resumed follows the original
    rules."""

    def pick(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
        way, told = seed_sent(turn, talk)
        if way is not Way.RESUME:
            return fresh(turn, talk)
        return ReplayedDispatch(way, turn.ways.get(Way.RESUME, told))

    return pick


def _resumes(turn: RecordedTurn, seed: SeedPrompt, talk: ReplayedSessions) -> bool:
    known = talk.fresh_chars.get(turn.line, 0)
    return bool(seed.delta) and turn.line in talk.lines and not too_long(seed.delta_chars, known)


class ReplayRules(NamedTuple):
    """How a run is replayed."""

    pick: Pick
    hours: bool = True
    """Entries of an hour live that long; otherwise five minutes, as all others."""
    pings: bool = True
    ahead: bool = True
    """Trunks were sent ahead."""
    looked_up: Mapping[int, Sequence[int]] | None = None
    """By the turn's number: calls more that it would have needed, with the tokens each adds."""


def replay_bills(turns: Sequence[RecordedTurn], rules: ReplayRules) -> list[Usage]:
    """The bill of each turn; of a ping that is not sent, nothing."""
    replay = Replay(MINIMUM_TOKENS)
    runs = _replayed(turns, rules)
    return [Usage() if run is None else replay.send(run, *run.ways) for run in runs]


def replay_runs(turns: Sequence[RecordedTurn], rules: ReplayRules) -> list[RunTurn]:
    """The same as a run of its own, for its lower bound."""
    return [run for run in _replayed(turns, rules) if run is not None]


def _replayed(turns: Sequence[RecordedTurn], rules: ReplayRules) -> Iterable[RunTurn | None]:
    talk = ReplayedSessions()
    for number, turn in enumerate(turns):
        if turn.ping and not (rules.ahead if turn.ahead else rules.pings):
            yield None
        else:
            yield _run_turn(turn, rules, talk, (rules.looked_up or {}).get(number, ()))


def _run_turn(
    turn: RecordedTurn, rules: ReplayRules, talk: ReplayedSessions, looked_up: Sequence[int]
) -> RunTurn:
    sent = _again(turn) if turn.follows else rules.pick(turn, talk)
    sending = _sending(turn, sent, talk, rules, looked_up)
    marks = (*talk.marks.get(sending.on, ()), *_marks(sending.prompt))
    own = turn.plain if sent.way is Way.PLAIN and turn.plain[1] else turn.system
    system = talk.systems.get(sending.on, own)
    talk.add(turn.line)
    talk.marks[turn.line], talk.systems[turn.line] = marks, system
    return _run(turn, marks, {sent.way: sending}, system)


def open_turns(turns: Sequence[RecordedTurn]) -> list[RunTurn]:
    """The run with every way in which each turn could have been sent."""
    talk, rules, found = ReplayedSessions(), ReplayRules(as_recorded), list[RunTurn]()
    lives = [life for turn in turns for told in turn.ways.values() for life in _marks(told.blocks)]
    # Whatever opened a session, a mark of an hour may stand in it; one before it must live as long.
    longest = Life.ONE_HOUR if Life.ONE_HOUR in lives else Life.FIVE_MINUTES
    for turn in turns:
        sent = [_again(turn)] if turn.follows else [ReplayedDispatch(*one) for one in _open(turn)]
        ways = {one.way: _sending(turn, one, talk, rules) for one in sent}
        talk.add(turn.line)
        found.append(_run(turn, (longest,), ways, turn.system))
    return found


def _open(turn: RecordedTurn) -> Iterable[tuple[Way, ReplayedPrompt]]:
    """All ways share one base, so the rest of a plain system prompt is put after it."""
    for way, told in turn.ways.items():
        more = turn.plain[1] - turn.system[1] if way is Way.PLAIN else 0
        if more > 0:
            block = CacheBlock(RequestPart.MESSAGES, f"system {turn.plain[0]}", more)
            yield way, replace(told, blocks=(block, *told.blocks))
        else:
            yield way, told


def _again(turn: RecordedTurn) -> ReplayedDispatch:
    return ReplayedDispatch(
        Way.RESUME, ReplayedPrompt((_block(turn, "again", turn.calls[0].added),))
    )


def _run(
    turn: RecordedTurn, marks: Sequence[Life], ways: Mapping[Way, Sending], system: Named
) -> RunTurn:
    life = marks[0] if marks else Life.FIVE_MINUTES
    mark = life if len(marks) <= CALLERS_MARKS else None
    parts = ((RequestPart.TOOLS, turn.tools), (RequestPart.SYSTEM, system))
    base = tuple(CacheBlock(part, *named, mark) for part, named in parts if named[1])
    # A ping reads a session and leaves it as it was.
    session = f"{turn.line} {turn.at}" if turn.ping else turn.line
    return RunTurn(session, turn.at, turn.model, base, ways, turn.call_seconds)


def _marks(blocks: Iterable[CacheBlock]) -> tuple[Life, ...]:
    return tuple(block.mark for block in blocks if block.mark)


def _sending(
    turn: RecordedTurn,
    sent: ReplayedDispatch,
    talk: ReplayedSessions,
    rules: ReplayRules,
    looked_up: Sequence[int] = (),
) -> Sending:
    way, told = sent
    line = talk.line_of(turn) if way is Way.RESUME else ""
    blocks = _lived(told.blocks, rules)
    if way is Way.RESUME and not line and turn.transcript:
        # Nothing of its session is in these records: it is one block that nobody has sent yet.
        rest = max(0, turn.transcript - turn.base[1])
        blocks = (_block(turn, "transcript", rest), *blocks)
    lookups = [*_reads(turn, way, told), *looked_up]
    return Sending(blocks, with_lookups(_calls(turn, way), lookups), line)


def _calls(turn: RecordedTurn, way: Way) -> tuple[CallSize, ...]:
    """The calls; those that opened documents by path are not needed with a composed prompt."""
    if way is Way.COMPOSE and turn.way is Way.REFERENCE and turn.naive.own_calls:
        return tuple(CallSize(*call) for call in turn.naive.own_calls)
    return turn.calls


def _block(turn: RecordedTurn, name: str, tokens: int) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, f"{turn.line} {turn.at} {name}", tokens)


def _reads(turn: RecordedTurn, way: Way, told: ReplayedPrompt) -> list[int]:
    """What is read before all else; a turn that really went by path has done so in its calls."""
    if way is not Way.REFERENCE or turn.way is Way.REFERENCE or not told.read_files:
        return []
    times = -(-told.read_files // PARALLEL_READS)
    return [round(READ_FACTOR * told.read_tokens / times)] * times


def with_lookups(calls: tuple[CallSize, ...], lookups: Sequence[int]) -> tuple[CallSize, ...]:
    """Add one call for each lookup; its result is part of the input of the next call."""
    first, *rest = calls
    added, found = first.added, list[CallSize]()
    for tokens in lookups:
        found.append(CallSize(added, CALL_OUTPUT_TOKENS))
        added = tokens + CALL_OUTPUT_TOKENS
    return (*found, CallSize(added, first.output), *rest)


def _lived(blocks: tuple[CacheBlock, ...], rules: ReplayRules) -> tuple[CacheBlock, ...]:
    if rules.hours:
        return blocks
    return tuple(
        replace(block, mark=Life.FIVE_MINUTES) if block.mark else block for block in blocks
    )
