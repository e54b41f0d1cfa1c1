"""A lever with which reviewers find less is lost. Covers: E11."""

from __future__ import annotations

import pytest

from sparing.economy.review_quality import FirstLook, LookFigures, fallen, pairs


def looks(
    findings: int, times: int = 30, *, aided: bool, verified: int | None = None, model: str = "m"
) -> list[FirstLook]:
    """Looks that differ a little, with as many quotes as findings."""
    good = findings if verified is None else verified
    return [
        FirstLook(model, aided, findings + n % 2, findings, good) for n in range(times)
    ]  # fmt: skip


def test_a_model_that_finds_less_with_the_lever_loses_it() -> None:
    """E11: only that model, which shares no trunk with another; the words say what fell."""
    bare = looks(5, aided=False)
    assert fallen([*looks(3, aided=True), *bare]) == {
        "m": "findings per review fell from 5.5 to 3.5"
    }
    other = [*looks(5, aided=True, model="o"), *looks(5, aided=False, model="o")]
    assert set(fallen([*looks(3, aided=True), *bare, *other])) == {"m"}


def test_quotes_that_do_not_stand_where_they_point_lose_it_too() -> None:
    """E11: as many findings, fewer of which can be checked."""
    found = fallen([*looks(4, aided=True, verified=3), *looks(4, aided=False)])
    assert found == {"m": "quotes that verify fell from 100 % to 75 %"}


def test_thirty_quotes_on_each_side_are_enough() -> None:
    """E11: one quote a look, in thirty looks each."""
    found = fallen([*looks(1, aided=True, verified=0), *looks(1, aided=False)])
    assert found == {"m": "quotes that verify fell from 100 % to 0 %"}
    fewer = [
        one._replace(quotes=0) if n == 0 else one for n, one in enumerate(looks(1, aided=True))
    ]
    assert fallen([*fewer, *looks(1, aided=False, verified=1)]) == {}


@pytest.mark.parametrize(
    "aided", [looks(3, 29, aided=True), looks(5, aided=True), looks(9, aided=True)]
)
def test_few_looks_or_no_fall_lose_nothing(aided: list[FirstLook]) -> None:
    """E11: thirty on each side at least."""
    assert fallen([*aided, *looks(5, aided=False)]) == {}


def test_chance_is_no_fall() -> None:
    """E11: means that differ by a quarter, and single looks by far more."""
    wild = [FirstLook("m", True, n, 0, 0) for n in (0, 9) * 15]
    calm = [FirstLook("m", False, n, 0, 0) for n in (0, 12) * 15]
    (pair,) = pairs([*wild, *calm])
    assert (pair.aided.findings, pair.bare.findings) == (4.5, 6.0)
    assert pair.fell == ""


def test_nothing_to_compare_with_is_no_fall() -> None:
    """E11: where every look had the lever."""
    (pair,) = pairs(looks(5, aided=True))
    assert (pair.bare, pair.fell) == (LookFigures(), "")
