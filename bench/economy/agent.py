"""The agent of the bench: opens what it has not seen, uses its tools, answers.

It does the work that was drawn and nothing else: which files it opens follows from what stands in
its conversation, never from the strategy's name. Calls come one by one, so that turns that run at
the same time can be billed in the order of their calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.economy.client import Talk
from bench.economy.draw import File, Step, Work
from bench.economy.parameters import Parameters
from sparing.turn_kind import TurnKind

TYPES_ON_THE_WAY = (TurnKind.TASK, TurnKind.FIX)
"""Turns whose answer is edits, typed call by call."""


class Call(NamedTuple):
    """One request about to be sent: everything said so far is in the conversation."""

    talk: Talk
    at: float
    output: int
    blocks: int
    """How many of the conversation's blocks it sends."""
    tools: int = 0
    """How many it asks for."""


@dataclass(slots=True)
class Did:
    """What became of a turn."""

    calls: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Per call: tokens added to the conversation, tokens answered."""
    first_at: float = 0.0
    last_at: float = 0.0
    end_at: float = 0.0
    sent: int = 0
    """Blocks of the conversation that the last call sent."""
    answer: int = 0


class Habits(NamedTuple):
    """How the agent works, as far as a strategy can change it."""

    files_per_call: int
    calls_per_step: int
    result_share: float = 1.0
    file_share: float = 1.0
    fewer_calls: int = 0
    """Of those that look around: what a map of the repository saves."""


def turn(
    talk: Talk, step: Step, work: Work, papers: Sequence[File], at: float, habits: Habits,
    parameters: Parameters,
) -> Iterator[Call | Did]:  # fmt: skip
    """Calls one by one, and at last what was done."""
    p, did, now, name = parameters, Did(first_at=at), at, f"{step.loop} {step.round} {at}"
    before = 0
    plan = _plan(talk, work, papers, habits, p)
    typed = step.answer // (len(plan) + 1) if step.kind in TYPES_ON_THE_WAY else 0
    for number, (files, sizes) in enumerate(plan):
        output = p.call_output + typed
        yield from _call(talk, did, Call(talk, now, output, len(talk.blocks), len(sizes)), before)
        now += p.first_token_seconds + output / p.tokens_per_second + p.tool_seconds
        before = talk.tokens
        talk.say(f"{name} {number}", output, len(sizes))
        talk.results(f"{name} {number}", sizes)
        talk.files.update(files)
    answer = step.answer - typed * len(plan)
    yield from _call(talk, did, Call(talk, now, answer, len(talk.blocks)), before)
    did.end_at = now + p.first_token_seconds + answer / p.tokens_per_second
    talk.say(f"{name} answer", answer, 0)
    talk.files.update((*step.makes, *step.changes))
    yield did


def _call(talk: Talk, did: Did, call: Call, before: int) -> Iterator[Call]:
    did.calls.append((talk.tokens - before, call.output))
    did.last_at, did.sent, did.answer = call.at, call.blocks, call.output
    yield call


class _Errand(NamedTuple):
    files: Sequence[File]
    sizes: Sequence[int]


def _plan(
    talk: Talk, work: Work, papers: Sequence[File], habits: Habits, p: Parameters
) -> list[_Errand]:
    """Documents that were only named, then files not seen yet, then the other tools."""
    wanted = dict.fromkeys((*papers, *work.files))
    unseen = [one for one in wanted if one not in talk.files]
    plan: list[_Errand] = []
    for start in range(0, len(unseen), habits.files_per_call):
        some = unseen[start : start + habits.files_per_call]
        sizes = [round(one.tokens * habits.file_share) + p.read_extra for one in some]
        plan.append(_Errand(some, sizes))
    results = work.results[min(habits.fewer_calls, len(work.results) - 1) :]
    for start in range(0, len(results), habits.calls_per_step):
        some = results[start : start + habits.calls_per_step]
        plan.append(_Errand((), [round(one * habits.result_share) for one in some]))
    return plan
