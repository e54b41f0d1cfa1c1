"""Where cache entries end, how long they live, and when a session is kept warm. Covers: E1."""

from __future__ import annotations

from dataclasses import replace

from sparing.cache import Life
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base, SentPrompt, believed
from sparing.economy.cache_lives import (
    expected_readers,
    mark_places,
    marked_blocks,
    pass_share,
    trunk_life,
)
from sparing.economy.cost_model import TYPICAL
from sparing.economy.keepalive import another_ping, warmth
from sparing.segment import Segment, Volatility
from tests.economy.offers import BASE, NOW, block, inputs


def _segments(*parts: tuple[str, Volatility]) -> tuple[Segment, ...]:
    return tuple(Segment(name, name * 40, soon) for name, soon in parts)


DOCUMENTS = _segments(
    ("prd", Volatility.FEATURE), ("spec", Volatility.STAGE), ("role", Volatility.ROLE),
    ("turn", Volatility.ITERATION),
)  # fmt: skip
CODE = _segments(
    ("design", Volatility.FEATURE), ("code", Volatility.STAGE), ("after-1", Volatility.STAGE),
    ("role", Volatility.ROLE), ("turn", Volatility.ITERATION),
)  # fmt: skip


def test_one_mark_ends_before_what_the_next_round_replaces() -> None:
    """E1: a document under review is another one in every round, code only grows."""
    assert mark_places(DOCUMENTS, 2, 1) == (0,)
    assert mark_places(CODE, 3, 1) == (2,)
    assert mark_places(DOCUMENTS, 2, 2) == (0, 1)
    assert mark_places(DOCUMENTS, 2, 0) == ()


def test_one_mark_ends_behind_what_is_mostly_approved() -> None:
    """E1: then the next reviewer is shown the very same document."""
    assert pass_share(0, 0) < 0.5, "nobody expects it at first"
    assert mark_places(DOCUMENTS, 2, 1, pass_share(6, 2)) == (0,)
    assert mark_places(DOCUMENTS, 2, 1, pass_share(6, 5)) == (1,)
    assert mark_places(DOCUMENTS, 2, 2, pass_share(6, 5)) == (0, 1)


def test_one_mark_ends_behind_a_document_that_outweighs_what_stays() -> None:
    """E1, E6: rules and a short PRD are cheap to write again, a long spec under review is not."""
    spec = replace(DOCUMENTS[1], text="spec" * 4_000)
    long = (DOCUMENTS[0], spec, *DOCUMENTS[2:])
    assert mark_places(long, 2, 1, pass_share(0, 0)) == (1,)
    assert mark_places(long, 2, 1, 0.0) == (0,), "nobody will see it again as it is"
    documents = (replace(DOCUMENTS[0], text="prd" * 20_000), spec, *DOCUMENTS[2:])
    assert mark_places(documents, 2, 1, pass_share(0, 0)) == (0,)


def test_only_what_stays_lives_for_an_hour() -> None:
    """E1: an hour for a version that is replaced in minutes would be wasted."""
    marks = [one.mark for one in marked_blocks(DOCUMENTS, 2, 3, Life.ONE_HOUR)]
    assert marks == [Life.ONE_HOUR, Life.FIVE_MINUTES, Life.FIVE_MINUTES, None]
    code = [one.mark for one in marked_blocks(CODE, 3, 1, Life.ONE_HOUR)]
    assert code == [None, None, Life.ONE_HOUR, None, None]


def test_an_hour_pays_over_pauses_and_not_without() -> None:
    """E1: seconds need no hour, hours outlive it."""
    assert trunk_life(TYPICAL, []) is Life.ONE_HOUR
    assert trunk_life(TYPICAL, [30.0] * 8) is Life.FIVE_MINUTES
    assert trunk_life(TYPICAL, [600.0] * 8) is Life.ONE_HOUR
    assert trunk_life(TYPICAL, [5_000.0] * 8) is Life.FIVE_MINUTES
    assert trunk_life(TYPICAL, [], usual=(20.0,)) is Life.FIVE_MINUTES


def test_a_base_may_live_longer_than_what_follows_it() -> None:
    """E1: the base is used by all roles of a class, a trunk by a few of them."""
    base = Base("authors", 2_000, Life.ONE_HOUR)
    known = believed([SentPrompt(base, (block("task", 5_000),), 0.0, 0.0)], 1_024)
    lives = sorted(entry.expires_at for entry in known.values())
    assert lives == [300.0, 3600.0]


def test_warmth_is_worth_what_the_best_way_saves() -> None:
    """E1: a session that is not resumed anyway is worth nothing warm."""
    assert warmth(inputs(Way.COMPOSE, Way.RESUME)) > 0
    assert warmth(inputs(Way.COMPOSE)) == 0
    assert warmth(inputs(Way.COMPOSE, Way.RESUME, transcript=900_000)) == 0


def test_a_ping_is_sent_while_it_pays() -> None:
    """E1: it is given up when nobody ever waited so long, or nobody will come."""
    now = inputs(Way.COMPOSE, Way.RESUME, idle=285)
    assert another_ping(now, 22_000, [500.0], 285, probability=1.0).pays
    assert not another_ping(now, 22_000, [500.0], 285, probability=0.0).pays
    assert not another_ping(now, 22_000, [500.0], 800, probability=1.0).pays
    assert not another_ping(now, 22_000, [60_000.0] * 9, 600, probability=1.0).pays
    dear = replace(now, base=BASE)
    assert not another_ping(dear, 900_000, [500.0], 285, probability=1.0).pays


def test_a_trunk_that_dies_with_the_session_counts_for_its_warmth() -> None:
    """E1: a ping renews both; without it the next turn finds neither, unless one lives an hour."""
    found = inputs(idle=0)
    blocks = found.offers[Way.COMPOSE].blocks
    lives = {
        life: replace(
            found,
            known=believed(
                [SentPrompt(BASE, tuple(replace(one, mark=life) for one in blocks), NOW, NOW)], 1
            ),
        )
        for life in Life
    }
    assert warmth(lives[Life.FIVE_MINUTES]) > warmth(lives[Life.ONE_HOUR])


def test_readers_are_expected_while_pauses_are_short() -> None:
    """E6: one at first; many where turns follow each other at once; none after long pauses."""
    five, hour = Life.FIVE_MINUTES, Life.ONE_HOUR
    assert expected_readers([], five) == 1
    assert expected_readers([20.0] * 9, five) > 5
    assert expected_readers([600.0] * 9, five) < 0.1
    assert expected_readers([600.0] * 9, hour) == 10
