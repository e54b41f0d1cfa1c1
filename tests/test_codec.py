"""What is stored: values become JSON by their types and come back the same.

Covers: I1, I7
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.codec import Sparse, brief, dump, load, stored_as


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    colour: Colour = Colour.RED


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    points: tuple[Point, ...] = ()
    pair: tuple[str, bool, int] = ("", False, 0)
    named: Mapping[str, Inner] = field(default_factory=dict[str, Inner])
    colours: frozenset[Colour] = frozenset()
    maybe: Inner | None = None
    share: float | None = None


inners = st.builds(Inner, st.text(), st.sampled_from(Colour))
outers = st.builds(
    Outer,
    inner=inners,
    points=st.lists(
        st.builds(Point, st.integers(), st.floats(allow_nan=False, allow_infinity=False))
    ).map(tuple),
    pair=st.tuples(st.text(), st.booleans(), st.integers()),
    named=st.dictionaries(st.text(), inners),
    colours=st.frozensets(st.sampled_from(Colour)),
    maybe=st.none() | inners,
    share=st.none() | st.floats(0, 1),
)


@given(outers)
def test_what_is_stored_comes_back(value: Outer) -> None:
    """I1: through JSON text, whole or without its defaults."""
    assert load(Outer, json.loads(json.dumps(dump(value)))) == value
    assert load(Outer, json.loads(json.dumps(brief(value)))) == value


def test_a_brief_record_leaves_defaults_out() -> None:
    assert brief(Outer(Inner("a"), points=(Point(1),))) == {
        "inner": {"name": "a", "colour": "red"},
        "points": [{"x": 1, "y": 0.0}],
    }


def test_stored_values_outlive_a_release() -> None:
    """I7: a missing field has its default, an unknown one is passed over, a list is in order."""
    assert load(Inner, {"name": "a", "gone": 1}) == Inner("a")
    assert load(Outer, {"inner": ["a", "blue"], "points": [[1], [2, 3]]}) == Outer(
        Inner("a", Colour.BLUE), points=(Point(1), Point(2, 3.0))
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"inner": {"name": 7}}, "Outer.inner: Inner.name: 7 is no str"),
        ({"inner": {"name": "a", "colour": "green"}}, "Inner.colour: 'green' is not a valid"),
        ({"inner": {"name": "a"}, "pair": ["a"]}, "Outer.pair: 1 values where 3 belong"),
        ({"inner": {"name": "a"}, "points": "x"}, "Outer.points: 'x' is no list"),
        ({"inner": None}, "Outer.inner: None is no Inner"),
        ({}, "Outer: .*missing 1 required"),
    ],
)
def test_a_wrong_value_is_named(value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load(Outer, value)


@dataclass(frozen=True)
class Kept(Sparse):
    size: int | None = None
    names: tuple[str, ...] | None = None
    whose: str | None = field(default=None, metadata=stored_as("kept by"))


@dataclass(frozen=True, slots=True)
class Around:
    kept: Kept = field(metadata=stored_as("the kept"))
    plain: str | None = field(default=None, metadata=stored_as("as is"))


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (Kept(), {}),
        (Kept(0, ()), {"size": 0, "names": []}),
        (Kept(whose="ada"), {"kept by": "ada"}),
    ],
)
def test_what_is_not_known_is_not_stored(value: Kept, stored: dict[str, object]) -> None:
    """I7: empty is stored, unknown is not, and a field may have an older name where it is stored;
    so it is inside another record, too."""
    assert value.dump() == stored
    assert Kept.load(stored) == value
    assert dump(Around(value)) == {"the kept": stored, "as is": None}
    assert brief(Around(value)) == {"the kept": stored}
    assert load(Around, {"the kept": stored}) == Around(value)
    assert load(Inner | Around, {"the kept": stored}) == Around(value)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="Kept.whose: 7 is no str"):
        Kept.load({"kept by": 7})


def test_only_records_are_stored() -> None:
    with pytest.raises(TypeError, match="int is no record"):
        dump(3)
    with pytest.raises(TypeError, match="object can't be stored"):
        dump(Inner(object()))  # pyright: ignore[reportArgumentType]


class Refusal(NamedTuple):
    what: str


def test_of_several_records_the_one_that_fits_is_read() -> None:
    """I1: what a step gave may be one of two things."""
    assert load(Inner | Refusal, {"name": "a"}) == Inner("a")  # pyright: ignore[reportArgumentType]
    assert load(Inner | Refusal, {"what": "no"}) == Refusal("no")  # pyright: ignore[reportArgumentType]
    assert load(Inner | None, None) is None  # pyright: ignore[reportArgumentType]
