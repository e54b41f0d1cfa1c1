"""How often findings are joined that are two, on every pair labelled by hand. Covers: C2, C19."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from bench import finding_pairs
from bench.finding_pairs import DEVELOPMENT, DIFFERENT, HELD_OUT, Pair, half
from bench.pair_words import Disguise, disguised, worded
from sparing.finding import Finding, Severity
from sparing.review.finding_terms import wording
from sparing.review.identity import likeness, match
from tests.review.test_histories_bench import HISTORY

LEAST = 0.98


class Labelled(NamedTuple):
    half: str
    label: str
    one: Finding
    other: Finding


def labelled() -> Iterator[Labelled]:
    """The pairs of real histories, and those of one place that are about two matters."""
    for row in worded():
        yield Labelled(row.half, row.label, row.one, row.other)
    for one, other in finding_pairs.one_place():
        yield Labelled(half(one.text, other.text), DIFFERENT, one, other)


def precision(rows: list[Labelled], joins: Callable[[Finding, Finding], bool]) -> float:
    joined = [row.label != DIFFERENT for row in rows if joins(row.one, row.other)]
    return sum(joined) / len(joined)


def is_same(one: Finding, other: Finding) -> bool:
    return bool(match([one], [other]))


@pytest.mark.parametrize("of", [DEVELOPMENT, HELD_OUT])
def test_nearly_all_that_is_joined_is_one_finding(of: str) -> None:
    """C2, C19: precision, on the half that rules were chosen on and on the other."""
    rows = [row for row in labelled() if row.half == of]
    assert sum(row.label == DIFFERENT for row in rows) >= 150
    assert sum(is_same(row.one, row.other) for row in rows) >= 20
    assert precision(rows, is_same) >= LEAST


@pytest.mark.parametrize("of", [DEVELOPMENT, HELD_OUT])
def test_the_pairs_would_show_a_rule_that_joins_too_much(of: str) -> None:
    """C2: half of the words in common is no proof that two findings are one."""
    rows = [row for row in labelled() if row.half == of]
    assert precision(rows, lambda one, other: likeness(one, other) >= 0.3) < LEAST


def test_every_labelled_pair_is_there_once() -> None:
    """C2: with the half and the label that it has where its places are named."""
    there = [(row.label, row.half, row.part) for row in worded()]
    assert there == [
        (row.label, half(row.digest, row.later_digest), row.part) for row in finding_pairs.pairs()
    ]


def test_made_up_words_keep_what_identity_reads() -> None:
    """C2: places, names, numbers, endings and words with a meaning; no other word."""
    was = Finding(Severity.WARNING, "AC-3: `load_queue` Retries missing retry", location="io.py:4")
    made = Disguise().finding(was)
    assert (made.location, made.text) == (
        "bbbbc.py:4",
        "AC-3: `bbbcd_bbbdfe` Bbbfges missing bbbfg",
    )
    before, after = wording(was), wording(made)
    assert (after.numbers, after.lines) == (before.numbers, before.lines)
    assert after.places["ac"] == before.places["ac"]
    assert len(after.stems) == len(before.stems)


def test_a_pair_is_made_from_the_lines_that_were_labelled() -> None:
    """C2: not from a line that reads otherwise now."""
    lines = HISTORY.split("\n")
    places = [at for at, line in enumerate(lines, start=1) if "C4 names the store" in line]
    digests = [hashlib.sha256(lines[at - 1].strip().encode()).hexdigest()[:10] for at in places]
    pair = Pair("train", "queue", places[0], places[-1], digests[0], digests[-1], "same")
    made = disguised({"queue": HISTORY}, [pair, pair._replace(digest="0" * 10)])
    assert [row[0] for row in made] == ["same"]
    assert made[0][4] == made[0][6]
    assert "store" not in str(made)
