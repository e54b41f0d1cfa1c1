"""The agent of the bench: opens what it has not seen, uses its tools, answers.

It does the work that was drawn and nothing else, by the same rules as the agent behind the real
client: what stands in its conversation it does not open again, and nothing else matters to it.
Calls come one by one, so that turns that run at the same time are billed in the order of calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile, zip_longest
from typing import NamedTuple

from bench.economy.client import Talk
from bench.economy.parameters import FIRST_TOKEN_SECONDS, SIZES
from bench.economy.steps import File, Step
from sparing.double.agent_draws import share, step_sizes, whole
from sparing.double.agent_kinds import AGENTS, REPOSITORY_FILES, AgentKind
from sparing.segment import CHARS_PER_TOKEN

LEAST_SECONDS = FIRST_TOKEN_SECONDS + 0.1
"""From one call to the next: the answer has begun, and what was written can be read."""


class Call(NamedTuple):
    """One request about to be sent: everything said so far is in the conversation."""

    talk: Talk
    at: float
    output: int
    blocks: int
    """How many of the conversation's blocks it sends."""


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


class Agent(NamedTuple):
    """Who works: drawn from a kind and a seed. The rest is for the rows that ask `what if`."""

    kind: AgentKind
    seed: int
    quick: bool = False
    """No turn takes longer than a minute."""
    batches: bool = False
    """It asks for two tools a step and reads four files at a time, as the prompt wants it to."""
    lists: bool = True
    """It may take a list of files that it was given for a listing of its own."""
    files: int = 1
    """That it asks for at once: more than one only where its tool takes a list."""
    own: bool = False
    """Its tools are the program's, which number one line in five."""
    trust: int = 0
    """Percent of the files that a fact sheet quotes which it does not open for that."""


class Errand(NamedTuple):
    """What a turn has to do here."""

    step: Step
    files: Sequence[File]
    papers: Sequence[File]
    """Documents that the prompt only names: they are opened before all else."""
    targets: Sequence[File]
    """What is changed has to be opened in the session, even if the prompt holds it: the client's
    tools want it so."""
    listed: bool
    """The prompt holds a list of the repository's files."""
    leaves: Sequence[File] = ()
    """The document as the turn leaves it."""
    names: int = 0
    """Tokens in which it names its sources at the end."""


class Tool(NamedTuple):
    """One tool call."""

    ask: int
    result: int
    file: File | None = None
    search: int | None = None

    @property
    def looks(self) -> bool:
        return self.file is not None or self.search is not None


def least_steps(errand: Errand, agent: Agent, searched: set[int]) -> list[list[Tool]]:
    """What a turn takes even if every file is given and its session knows these searches."""
    step = errand.step
    spared = step.needs.searches[:1] if step.needs.trusts_lists else ()
    talk_free = [
        one
        for one in _searches(searched, errand._replace(listed=False), agent)
        if one.search not in spared
    ]
    return list(_steps([*talk_free, *_work(step)], step, agent))


def turn(talk: Talk, errand: Errand, at: float, agent: Agent) -> Iterator[Call | Did]:
    """Calls one by one, and at last what was done."""
    step, did, now, before = errand.step, Did(first_at=at), at, 0
    name = f"{step.loop} {step.round} {at}"
    plan = list(_steps(_tools(talk, errand, agent), step, agent))
    every = max(LEAST_SECONDS, _call_seconds(step, agent))
    for number, tools in enumerate(plan):
        said = step_words(step, agent, number) + _asked(tools, agent.files)
        yield from _call(talk, did, Call(talk, now, said, len(talk.blocks)), before)
        now += every
        before = talk.tokens
        results = list(_results(tools, agent.files))
        talk.say(f"{name} {number}", said, len(results))
        talk.results(f"{name} {number}", results)
        talk.open(one.file for one in tools if one.file is not None)
        talk.searches.update(one.search for one in tools if one.search is not None)
    said = step.answer + errand.names
    yield from _call(talk, did, Call(talk, now, said, len(talk.blocks)), before)
    did.end_at = now + every
    talk.say(f"{name} answer", said, 0)
    talk.open((*step.makes, *step.changes, *errand.leaves))
    yield did


def _call(talk: Talk, did: Did, call: Call, before: int) -> Iterator[Call]:
    did.calls.append((talk.tokens - before, call.output))
    did.last_at, did.sent, did.answer = call.at, call.blocks, call.output
    yield call


def _call_seconds(step: Step, agent: Agent) -> float:
    """Whoever needs fewer calls is done earlier."""
    quick = AGENTS[agent.kind].quick_seconds
    slower = max(1.0, step.needs.seconds / quick) if agent.quick else 1.0
    return step.needs.call_seconds / slower


def step_words(step: Step, agent: Agent, number: int) -> int:
    """What is said with a step."""
    chars = whole(AGENTS[agent.kind].step_chars, agent.seed, *step.identity, "words", number)
    return max(1, chars // CHARS_PER_TOKEN)


def _steps(tools: list[Tool], step: Step, agent: Agent) -> Iterator[list[Tool]]:
    sizes = step_sizes(agent.seed, step.identity, agent.kind, step.needs.parallel)
    left = tools
    while left:
        count = next(sizes)
        if agent.batches:
            count = 4 if left[0].file is not None else max(2, count)
        elif agent.files > 1 and left[0].looks:
            alike = sum(1 for _ in takewhile(lambda one: one.looks, left))
            count = min(alike, agent.files * count)
        yield left[:count]
        left = left[count:]


def _asked(tools: Sequence[Tool], files: int) -> int:
    """Of what is asked: files of one call share its frame."""
    reads = sum(one.file is not None for one in tools) if files > 1 else 0
    joined = reads - math.ceil(reads / files)
    return sum(one.ask for one in tools) - joined * (SIZES.ask - SIZES.listed_path)


def _results(tools: Sequence[Tool], files: int) -> Iterator[int]:
    """What comes back, by call."""
    reads = [one.result for one in tools if one.file is not None] if files > 1 else []
    yield from (sum(reads[start : start + files]) for start in range(0, len(reads), files))
    yield from (one.result for one in tools if not reads or one.file is None)


def _tools(talk: Talk, errand: Errand, agent: Agent) -> list[Tool]:
    """What is only known by looking, as far as it is not known; then what is done in any case."""
    own = [_paper(one, agent) for one in errand.targets if one not in talk.opened]
    known = {*talk.files, *errand.targets}
    papers = [_paper(one, agent) for one in errand.papers if one not in known]
    unknown = [one for one in errand.files if one not in known]
    files = [_read(one, agent) for one in unknown if not _trusts(talk, one, errand.step, agent)]
    searches = list(_searches(talk.searches, errand, agent))
    looks = [one for pair in zip_longest(searches, files) for one in pair if one is not None]
    return [*own, *papers, *looks, *_work(errand.step)]


def _trusts(talk: Talk, file: File, step: Step, agent: Agent) -> bool:
    """Whether what a fact sheet quotes of the file is enough for it."""
    drawn = 100 * share(agent.seed, *step.identity, "trusts", file.path)
    return file.path in talk.quoted and drawn < agent.trust


def _work(step: Step) -> list[Tool]:
    """What no knowledge spares: files and documents that are typed, edits, commands."""
    edits = [Tool(SIZES.ask + 2 * SIZES.passage, SIZES.changed)] * step.needs.changes
    commands = [Tool(SIZES.ask, SIZES.command)] * step.needs.commands
    work = [one for pair in zip_longest(edits, commands) for one in pair if one is not None]
    typed = [one.tokens for one in step.makes]
    if step.size:
        typed.append(step.size // CHARS_PER_TOKEN)
    return [*(Tool(SIZES.ask + tokens, SIZES.changed) for tokens in typed), *work]


def _searches(known: set[int], errand: Errand, agent: Agent) -> Iterator[Tool]:
    """The first is a listing, which a list in the prompt may stand for."""
    needs, lines = errand.step.needs, AGENTS[agent.kind].search_lines
    spared = errand.listed and needs.trusts_lists and agent.lists
    for place, number in enumerate(needs.searches):
        if number in known or (not place and spared):
            continue
        size = SIZES.search_line * round(lines.at(share(agent.seed, number, "lines")))
        if not place:
            size = REPOSITORY_FILES * SIZES.listed_file
        yield Tool(SIZES.ask, size, search=number)


def _read(file: File, agent: Agent) -> Tool:
    factor = SIZES.own_read_factor if agent.own else SIZES.read_factor
    return Tool(SIZES.ask, round(file.tokens * factor), file=file)


def _paper(file: File, agent: Agent) -> Tool:
    if file.path.endswith(".py"):
        return _read(file, agent)
    factor = SIZES.own_paper_factor if agent.own else SIZES.paper_factor
    return Tool(SIZES.ask, round(file.tokens * factor), file=file)
