"""Every step has its two crash points, and the tests know them all. Covers: I1."""

from __future__ import annotations

from sparing.engine import crash, leg
from tests.engine.test_crash import POINTS, SMALL

ELSEWHERE = {"tasks:begin", "tasks:end", "prepare-repair:begin", "prepare-repair:end"}
"""Steps that neither list of kills passes; their neighbours' points enclose them."""


def test_points_come_in_pairs() -> None:
    assert leg.PROGRAM
    begins = {p.removesuffix(":begin") for p in crash.POINTS if p.endswith(":begin")}
    ends = {p.removesuffix(":end") for p in crash.POINTS if p.endswith(":end")}
    assert begins == ends
    assert len(crash.POINTS) == len(set(crash.POINTS))


def test_every_point_is_one_that_a_test_dies_at() -> None:
    died_at = {point.partition("@")[0] for point in (*POINTS, *SMALL)}
    assert set(crash.POINTS) - died_at - ELSEWHERE == set()
    assert died_at <= set(crash.POINTS)
