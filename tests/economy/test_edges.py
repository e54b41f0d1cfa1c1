"""Where a rule changes its mind: the last value on one side, the first on the other.

Covers: D2, E5
"""

from __future__ import annotations

from sparing.cache import Life
from sparing.cache_minimum import MINIMUM_TOKENS, minimum_of
from sparing.economy.cache_lives import (
    ANSWER_TOKENS,
    NO_PRIMER,
    TAIL_TOKENS,
    expected_readers,
    primer,
)
from sparing.economy.comparison.naive import without_reads
from sparing.economy.cost_model import Rates
from sparing.economy.repo_map import LEAST_NAME, MOST_NAMES, ranked, repository_map
from sparing.segment import CHARS_PER_TOKEN

RATES = Rates(input=10.0, read=1.0, write_5m=12.5, write_1h=20.0, output=50.0)


def test_each_model_has_its_own_minimum() -> None:
    for name, tokens in MINIMUM_TOKENS.items():
        assert minimum_of(name) == tokens
        assert minimum_of(f"{name}-20990101") == tokens


def test_a_pause_of_exactly_a_life_comes_too_late() -> None:
    life = Life.FIVE_MINUTES
    late = expected_readers([life.seconds], life, usual=[life.seconds])
    assert (late, expected_readers([life.seconds - 1], life, usual=[0.0]) > 1) == (0.0, True)


def test_a_warm_cache_has_ten_readers_at_most() -> None:
    """E5: pauses that were all short promise many, never more than ten."""
    assert expected_readers([1.0] * 99, Life.FIVE_MINUTES, usual=[1.0]) == 10
    assert expected_readers([1.0] * 99, Life.FIVE_MINUTES, usual=[400.0]) == 10


def test_a_primer_pays_for_what_it_writes_and_for_what_it_reads() -> None:
    found = primer(RATES, 1_000, 400, 2.0)
    spared = (12.5 - 1.0) * 600
    sent = 20.0 * 600 + 1.0 * 400 + 20.0 * TAIL_TOKENS + 50.0 * ANSWER_TOKENS
    assert (found.tokens, found.cost, found.saves) == (600, sent - spared, 2.0 * spared)
    assert primer(RATES, 400, 400, 2.0) == NO_PRIMER
    assert (NO_PRIMER.returns, NO_PRIMER.pays) == (0.0, False)


def test_nothing_read_leaves_the_calls_as_they_are() -> None:
    calls = [(100, 10), (50, 5)]
    assert list(without_reads(calls, 0.0, 0.5)) == calls


def test_a_map_takes_a_line_that_fits_exactly_and_no_more() -> None:
    """With its line feed."""
    room = 4 * CHARS_PER_TOKEN
    fits = "x" * (room - 1)
    assert repository_map({fits: ""}, limit_tokens=4) == f"{fits}\n"
    assert repository_map({f"{fits}x": ""}, limit_tokens=4) == ""


def test_a_map_counts_only_the_names_it_does_not_show() -> None:
    names = [f"name_{n}" for n in range(MOST_NAMES + 1)]
    text = "".join(f"def {name}(): pass\n" for name in names)
    shown = ", ".join(names[:MOST_NAMES])
    assert repository_map({"a.py": text}) == f"a.py: {shown} +1\n"
    whole = text.rsplit("def ", 1)[0]
    assert repository_map({"a.py": whole}) == f"a.py: {shown}\n"


def test_a_name_counts_as_used_from_its_least_length_on() -> None:
    name = "n" * LEAST_NAME
    texts = {"a.py": "", "b.py": f"def {name}(): pass\n", "c.py": f"{name}()\n"}
    defined = {"a.py": (), "b.py": (name,), "c.py": ()}
    assert ranked(texts, defined)[0] == "b.py"
    short = {"a.py": (), "b.py": (name[1:],), "c.py": ()}
    assert ranked(texts | {"c.py": f"{name[1:]}()\n"}, short) == ["a.py", "b.py", "c.py"]


def test_a_map_that_just_fits_is_whole() -> None:
    """Each line has its end of line, and a character too many leaves the last one out."""
    line = CHARS_PER_TOKEN * 5 - 1
    texts = {f"{n}{'f' * (line - 4)}.py": "" for n in range(3)}
    assert [len(one) for one in repository_map(texts).splitlines()] == [line] * 3
    assert repository_map(texts, limit_tokens=15).count("\n") == 3
    assert repository_map(texts, limit_tokens=14).count("\n") == 2
