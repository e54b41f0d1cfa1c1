"""What no strategy can go below, and what a model that types the prompts costs on top.

The lower bound knows no order and no time: every token that anyone must see is written once and
read ever after, nothing is explored twice, nothing is opened by a call of its own. It can't be
reached. The typing cost is that of a workflow whose leader is a model: it copies the documents
into each prompt as output, and keeps all it has typed in its own conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.economy.agent import TYPES_ON_THE_WAY
from bench.economy.client import Front, Talk, Words
from bench.economy.feature import Dispatch
from bench.economy.parameters import MODEL, Parameters
from bench.economy.prompts import Composer, Variant
from bench.economy.sessions import MINIMUM_TOKENS
from sparing.cache import CacheBlock, Life, PromptCache, RequestPart
from sparing.economy.cost_model import Rates
from sparing.segment import Segment
from sparing.turn_kind import KINDS
from sparing.usage import Usage
from sparing.way import Way

RESUME = Variant(Way.RESUME)
LEADER_TOKENS = 20_000
LEADER_FULL = 160_000
LEADER_SUMMARY = 8_000
REPLY_TOKENS = 1_200
DECISION_TOKENS = 250


@dataclass(slots=True)
class _Sum:
    """Tokens seen for the first time, tokens seen again, tokens answered."""

    known: set[str] = field(default_factory=set[str])
    unique: int = 0
    read: int = 0
    output: int = 0

    def new(self, name: str, tokens: int) -> int:
        if name in self.known:
            return 0
        self.known.add(name)
        self.unique += tokens
        return tokens


def lower_bound(composer: Composer, base_tokens: int, rates: Rates) -> float:
    """In the unit of the rates."""
    total = _Sum()
    for dispatch in composer.feature.dispatches:
        _least(total, composer, dispatch, base_tokens)
    return rates.write_5m * total.unique + rates.read * total.read + rates.output * total.output


def _least(total: _Sum, composer: Composer, dispatch: Dispatch, base_tokens: int) -> None:
    step, p = dispatch.step, composer.feature.parameters
    again = step.round > 1 and KINDS[step.kind].remembers
    work = step.again if again else step.fresh
    told = composer.prompt(dispatch, RESUME if again else Variant()).segments
    steady = [one for one in composer.prompt(dispatch, Variant()).segments if _steady(one)]
    context = base_tokens + sum(
        one.tokens for one in {one.digest: one for one in (*steady, *told)}.values()
    )
    new = total.new(f"front {dispatch.role.role_class}", base_tokens)
    new += sum(total.new(one.digest, one.tokens) for one in told)
    if not again:
        new += sum(total.new(one.digest, one.tokens) for one in steady)
    for file in dict.fromkeys(work.files):
        if file not in dispatch.shown:
            context += file.tokens
            new += total.new(str(file), file.tokens)
    _calls(total, dispatch, p, context, new, work.results)
    for file in (*step.makes, *step.changes):
        total.known.add(str(file))


def _steady(segment: Segment) -> bool:
    """What the role must have before it: documents, code, its own text."""
    return segment.name not in ("findings", "turn", "notes", "last-changes", "fix-summary")


def _calls(
    total: _Sum, dispatch: Dispatch, p: Parameters, context: int, new: int,
    results: tuple[int, ...],
) -> None:  # fmt: skip
    answer, count = dispatch.step.answer, len(results)
    typed = answer // (count + 1) if dispatch.step.kind in TYPES_ON_THE_WAY else 0
    fresh = new
    for result in results:
        total.read += max(0, context - fresh)
        total.output += p.call_output + typed
        fresh = p.call_output + typed + result
        total.unique += fresh
        context += fresh
    total.read += max(0, context - fresh)
    total.output += answer - typed * count


def typing_usage(composer: Composer) -> Usage:
    """Of the leader alone; the agents it starts come on top."""
    cache, total, now = PromptCache({MODEL: MINIMUM_TOKENS}), Usage(), 0.0
    front = Front("leader", "You lead a team of agents.", LEADER_TOKENS)
    talk = _opened(front)

    def call(output: int) -> None:
        nonlocal total
        total += cache.bill(talk.request(), now, output=output)

    naive = Variant(naive=True, everything=True, diff=False)
    for number, dispatch in enumerate(composer.feature.dispatches):
        now += dispatch.step.gap + 60
        if LEADER_TOKENS + talk.tokens > LEADER_FULL:
            call(3_000)
            talk = _opened(front)
            _say(talk, "user", f"summary {number}", LEADER_SUMMARY)
        prompt = composer.prompt(dispatch, naive)
        typed = sum(one.tokens for one in prompt.segments) + len(dispatch.role.text) // 4
        call(typed)
        _say(talk, "assistant", f"prompt {number}", typed)
        _say(talk, "user", f"reply {number}", REPLY_TOKENS)
        now += 90
        call(DECISION_TOKENS)
        _say(talk, "assistant", f"decision {number}", DECISION_TOKENS)
        _say(talk, "user", f"go on {number}", 1)
    return total


def _opened(front: Front) -> Talk:
    talk = Talk.opened(front, Life.ONE_HOUR)
    _say(talk, "user", "the feature", 200)
    return talk


def _say(talk: Talk, side: str, name: str, tokens: int) -> None:
    talk.add(Words(side, "text", name, tokens), CacheBlock(RequestPart.MESSAGES, name, tokens))
