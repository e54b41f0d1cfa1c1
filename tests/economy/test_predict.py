"""Predictions against the cache itself: what is believed to be cached is what is read.

Covers: E1, C15.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base, SentPrompt, believed, blocks_of
from sparing.economy.cost_model import TYPICAL, Expected, Rates, TurnWork
from sparing.economy.expected_work import Share
from sparing.economy.predict import Inputs, Offer, ReadAgain, Transcript, predict
from sparing.segment import Segment, Volatility
from sparing.usage import Usage
from tests.examples import many

ONE_CALL = TurnWork(1, 0, 0)
MINIMUM = 1_024
BASE = Base("reviewers", 2_000)
SPEC = CacheBlock(RequestPart.MESSAGES, "spec", 9_000)
DESIGN = CacheBlock(RequestPart.MESSAGES, "design", 6_000)
PLAN = CacheBlock(RequestPart.MESSAGES, "plan", 3_000)


def marked(block: CacheBlock, life: Life = Life.FIVE_MINUTES) -> CacheBlock:
    return replace(block, mark=life)


def role(name: str) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, f"role {name}", 700)


@dataclass
class Client:
    """Sends one-call turns to the cache and writes down what a ledger would know of them."""

    hour: bool = False
    cache: PromptCache = field(default_factory=lambda: PromptCache({"": MINIMUM}))
    sends: list[SentPrompt] = field(default_factory=list[SentPrompt])
    openings: dict[str, tuple[CacheBlock, ...]] = field(
        default_factory=dict[str, tuple[CacheBlock, ...]]
    )
    transcripts: dict[str, tuple[CacheBlock, ...]] = field(
        default_factory=dict[str, tuple[CacheBlock, ...]]
    )
    seen: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def life(self) -> Life:
        return Life.ONE_HOUR if self.hour else Life.FIVE_MINUTES

    def trunk(self, *blocks: CacheBlock) -> tuple[CacheBlock, ...]:
        *before, last = blocks
        return (*before, marked(last, self.life))

    def send(
        self, session: str, blocks: tuple[CacheBlock, ...], at: float, *, resumed: bool
    ) -> Usage:
        messages = (*(self.transcripts[session] if resumed else ()), *blocks)
        *before, last = (
            CacheBlock(RequestPart.SYSTEM, BASE.key, BASE.tokens, self.life),
            *messages,
        )
        usage = self.cache.bill(
            CacheRequest("model", (*before, last if last.mark else marked(last))), at
        )
        if not resumed:
            self.openings[session] = blocks
        sent = SentPrompt(BASE, self.openings[session], at, at, resumed=resumed)
        self.sends.append(sent)
        self.transcripts[session] = (
            *messages,
            CacheBlock(RequestPart.MESSAGES, f"answer {at}", 400),
        )
        self.seen[session] = at
        return usage

    def inputs(
        self, session: str, offer: tuple[CacheBlock, ...], at: float, *, resumed: bool
    ) -> Inputs:
        way, on = Way.COMPOSE, None
        if resumed:
            size = BASE.tokens + sum(block.tokens for block in self.transcripts[session])
            on = Transcript(size, self.seen[session], 400, opening=self.openings[session])
            way = Way.RESUME
        known = believed(self.sends, MINIMUM)
        offers = {way: Offer(offer, ONE_CALL, on)}
        return Inputs(at, TYPICAL, BASE, offers, known, minimum_tokens=MINIMUM, start_seconds=0)


@many(150)
@given(
    hour=st.booleans(),
    turns=st.lists(
        st.tuples(
            st.sampled_from(["quality", "security", "plan"]),
            st.booleans(),
            st.sampled_from([1.0, 110.0, 299.0, 300.0, 420.0, 1_800.0, 3_300.0, 3_700.0]),
        ),
        min_size=1,
        max_size=12,
    ),
)
def test_what_is_believed_to_be_cached_is_read(
    hour: bool, turns: list[tuple[str, bool, float]]
) -> None:
    """E1: three reviewers with nested prompts, fresh and resumed, at any distance: every bucket of
    every bill is foreseen to the token."""
    client, at = Client(hour=hour), 0.0
    documents = {
        "quality": (SPEC, DESIGN),
        "security": (SPEC, DESIGN),
        "plan": (SPEC, DESIGN, PLAN),
    }
    for number, (name, resume, gap) in enumerate(turns):
        at += gap
        resumed = resume and name in client.transcripts
        turn = CacheBlock(RequestPart.MESSAGES, f"turn {number}", 300)
        trunk = client.trunk(*documents[name])
        blocks = (turn,) if resumed else (*trunk, role(name), turn)
        inputs = client.inputs(name, blocks, at, resumed=resumed)
        found = predict(inputs)[Way.RESUME if resumed else Way.COMPOSE]
        usage = client.send(name, blocks, at, resumed=resumed)
        expected = Expected(usage.uncached, usage.read, usage.write_5m, usage.write_1h, 0)
        assert found.tokens == expected, (number, name)


def test_a_second_reviewer_reads_what_the_first_one_wrote() -> None:
    """E1: a trunk is paid once by all who share its key."""
    client = Client()
    trunk = client.trunk(SPEC, DESIGN)
    client.send("quality", (*trunk, role("quality")), 0, resumed=False)
    inputs = client.inputs("security", (*trunk, role("security")), 20, resumed=False)
    found = predict(inputs)[Way.COMPOSE]
    assert (found.cached, found.context) == (17_000, 17_700)
    other = replace(inputs, base=Base("another schema", 2_000))
    assert predict(other)[Way.COMPOSE].cached == 0


def test_every_way_has_a_prediction_or_says_why_not() -> None:
    """E1: ways that can't be taken are listed too."""
    found = predict(Client().inputs("quality", (SPEC,), 0, resumed=False))
    assert set(found) == set(Way)
    assert found[Way.FORK].cost is None
    assert found[Way.FORK].words == "fork is not on offer"
    assert found[Way.COMPOSE].cost == pytest.approx(1.25 * 11_000)
    assert found[Way.COMPOSE].words == "0 of 11,000 tokens cached, about 1 call"


def resumed_at(at: float, share: Share, rates: Rates = TYPICAL) -> Inputs:
    session = Transcript(22_000, last_call_at=0, answer=400)
    delta = CacheBlock(RequestPart.MESSAGES, "delta", 500)
    offer = Offer((delta,), TurnWork(3, 1_000, 600), session)
    return Inputs(at, rates, BASE, {Way.RESUME: offer}, {}, share)


@pytest.mark.parametrize(
    ("at", "share", "cached"),
    [
        (60, Share(1, 9), 21_600),
        (60, Share(0.5, 9), 10_800),
        (60, Share(0, 9), 0),
        (294, Share(1, 9), 21_600),
        (295, Share(1, 9), 0),
        (600, Share(1, 9), 0),
    ],
)
def test_how_much_of_a_transcript_is_read(at: float, share: Share, cached: float) -> None:
    """C15, E1: by the time since its last call, its client's start, and what was observed."""
    assert predict(resumed_at(at, share))[Way.RESUME].cached == cached


def test_the_price_list_decides_by_how_much_warmth_pays() -> None:
    """E1: factors differ by model and are data."""
    cheap_reads = replace(TYPICAL, read=0.025)
    warm, cold = resumed_at(60, Share(1, 9)), resumed_at(600, Share(1, 9))

    def ratio(rates: Rates) -> float:
        costs = [predict(replace(inputs, rates=rates))[Way.RESUME].cost for inputs in (warm, cold)]
        assert costs[0] is not None
        assert costs[1] is not None
        return costs[1] / costs[0]

    assert ratio(TYPICAL) == pytest.approx(36_975 / 12_135)
    assert ratio(cheap_reads) > 1.5 * ratio(TYPICAL)


def test_a_short_prompt_is_never_cached() -> None:
    """E1: below the model's minimum every call pays in full, and nothing is left for others."""
    small = (CacheBlock(RequestPart.MESSAGES, "note", 300),)
    base = Base("tiny", 400)
    offers = {Way.COMPOSE: Offer(small, TurnWork(2, 100, 50))}
    inputs = Inputs(10, TYPICAL, base, offers, {}, minimum_tokens=MINIMUM)
    assert predict(inputs)[Way.COMPOSE].tokens == Expected(uncached=1_500, output=50)
    assert believed([SentPrompt(base, small, 0, 0)], MINIMUM) == {}


def test_segments_as_a_cache_sees_them() -> None:
    """E1: the composer's marks count as far as the backend takes them."""
    segments = [
        Segment("spec", "s" * 400, Volatility.FEATURE, mark=True),
        Segment("design", "d" * 400, Volatility.STAGE, mark=True),
        Segment("role", "r" * 40, Volatility.ROLE),
    ]
    one = blocks_of(segments, Life.ONE_HOUR, marks=1)
    assert [block.mark for block in one] == [Life.ONE_HOUR, None, None]
    assert [block.tokens for block in one] == [100, 100, 10]
    assert [block.digest for block in one] == [segment.digest for segment in segments]
    assert not any(block.mark for block in blocks_of(segments, Life.ONE_HOUR, marks=0))


def test_who_has_the_same_tools_reads_them_whatever_it_is_told() -> None:
    """E1, E6: the client marks the end of its tools too, so a plain prompt does not write them
    again, and nobody is spared them by a trunk."""
    trunk = Base("authors", 5_500, tools="writer", tools_tokens=5_400)
    plain = Base("one author", 6_000, tools="writer", tools_tokens=5_400)
    readers = Base("readers", 2_300, tools="reader", tools_tokens=2_200)
    known = believed([SentPrompt(trunk, (marked(SPEC),), 0.0, 10.0)], MINIMUM)
    offers = {
        Way.COMPOSE: Offer((SPEC,), ONE_CALL),
        Way.PLAIN: Offer((PLAN,), ONE_CALL, base=plain),
    }
    found = predict(Inputs(60.0, TYPICAL, trunk, offers, known))
    assert (found[Way.COMPOSE].cached, found[Way.PLAIN].cached) == (14_500, 5_400)
    others = predict(Inputs(60.0, TYPICAL, readers, {Way.COMPOSE: Offer((SPEC,), ONE_CALL)}, known))
    assert others[Way.COMPOSE].cached == 0
    again = Offer((marked(SPEC),), ONE_CALL, again=ReadAgain(2, SPEC.tokens))
    cold = predict(Inputs(900.0, TYPICAL, trunk, {Way.COMPOSE: again}, known))
    assert cold[Way.COMPOSE].later == pytest.approx(2 * 1.15 * SPEC.tokens)
