"""Builders: what a dispatch could be sent as, in one line a test."""

from __future__ import annotations

from sparing.cache import CacheBlock, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL, TurnWork
from sparing.economy.expected_work import UNSEEN, Share
from sparing.economy.predict import Inputs, Offer, Transcript

BASE = Base("reviewers", 2_000)
NOW = 1_000.0
LONG_AGO = NOW - 3_600


def block(name: str, tokens: int) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, name, tokens)


def inputs(
    *ways: Way,
    idle: float = 60,
    transcript: int = 22_000,
    share: Share = UNSEEN,
    needed: int = 18_000,
) -> Inputs:
    """A review of documents of `needed` tokens, and a session that has looked at them."""
    session = Transcript(transcript, NOW - idle, answer=400)
    offers = {
        Way.COMPOSE: Offer((block("documents", needed),), TurnWork(8, 15_000, 2_000)),
        Way.REFERENCE: Offer((block("paths", 900),), TurnWork(9, 15_000 + needed, 2_150)),
        Way.RESUME: Offer((block("delta", 900),), TurnWork(3, 2_500, 1_400), session),
        Way.PLAIN: Offer((block("words", needed + 50),), TurnWork(8, 15_000, 2_000)),
        Way.FORK: Offer((block("delta", 900),), TurnWork(3, 2_500, 1_400), session),
    }
    wanted = ways or (Way.COMPOSE, Way.RESUME)
    return Inputs(NOW, TYPICAL, BASE, {way: offers[way] for way in wanted}, {}, share)
