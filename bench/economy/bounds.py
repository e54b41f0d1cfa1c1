"""What no strategy can go below, for the work that was drawn.

The lower bound knows no order and no time. A turn makes at least the calls that no knowledge
spares: it types, edits and runs commands. In each of them the client's tools, the role and every
line that the role must know are sent, however it was told; a file that the turn needs stands in
one call at least. A token that is sent k times costs k times the plain price, or is written once
and read k − 1 times, whichever is less. It can't be reached: prompts have an order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from bench.economy.agent import Agent, Errand, least_steps, step_words
from bench.economy.dispatches import Dispatch
from bench.economy.prompts import Composer
from bench.economy.strategy import Client
from sparing.economy.cost_model import Rates
from sparing.segment import CHARS_PER_TOKEN
from sparing.turn_kind import KINDS, Actor


@dataclass(slots=True)
class _Sum:
    """Every token that is sent, with how often at the least, and what is answered."""

    tokens: dict[str, float] = field(default_factory=dict[str, float])
    times: Counter[str] = field(default_factory=Counter[str])
    output: int = 0

    def send(self, name: str, tokens: float, times: int) -> None:
        self.tokens[name] = tokens
        self.times[name] += times

    def cost(self, rates: Rates) -> float:
        write = min(rates.write_5m, rates.write_1h)
        sent = sum(
            self.tokens[name] * min(count * rates.input, write + (count - 1) * rates.read)
            for name, count in self.times.items()
            if count
        )
        return sent + rates.output * self.output


def lower_bound(composer: Composer, client: Client, rates: Rates) -> float:
    """In the unit of the rates."""
    feature, total = composer.feature, _Sum()
    agent, searched = Agent(feature.kind, feature.seed), defaultdict[str, set[int]](set)
    for dispatch in feature.dispatches:
        _least(total, dispatch, client, agent, searched[dispatch.step.loop])
        searched[dispatch.step.loop].update(dispatch.step.needs.searches)
    return total.cost(rates)


def _least(
    total: _Sum, dispatch: Dispatch, client: Client, agent: Agent, searched: set[int]
) -> None:
    step = dispatch.step
    plan = least_steps(Errand(step, (), (), (), listed=False), agent, searched)
    calls = len(plan) + 1
    tools = f"tools {dispatch.writes} {KINDS[step.kind].formed}"
    total.send(tools, client.base_tokens(writes=dispatch.writes), calls)
    total.send(f"role {step.role}", len(dispatch.role.text) // (2 * CHARS_PER_TOKEN), calls)
    for line in _lines(dispatch):
        total.send(line, (len(line) + 1) / CHARS_PER_TOKEN, calls)
    for file in dispatch.files:
        if file not in dispatch.shown:
            total.send(str(file), file.tokens, 1)
    for number, asked in enumerate(plan):
        said = step_words(step, agent, number) + sum(one.ask for one in asked)
        total.output += said
        grown = said + sum(one.result for one in asked)
        total.send(f"{dispatch.number} {number}", grown, calls - number - 1)
    total.output += step.answer


def _lines(dispatch: Dispatch) -> set[str]:
    """What the role must know, but for what it may have typed itself."""
    own = dispatch.brief.subject
    settles = KINDS[dispatch.step.kind].actor is Actor.FIXER
    typed = own.path if own is not None and settles else ""
    return {line for need in dispatch.wanted if need.name != typed for line in need.lines}
