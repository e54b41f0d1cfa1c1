"""Dataclasses that are made when they are first needed behave as if they had been made at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, fields, is_dataclass, replace
from typing import ClassVar

import pytest

from sparing.codec import dump, load
from sparing.lazy_dataclass import lazy_dataclass


@lazy_dataclass
class Base:
    kind: ClassVar = "base"
    name: str
    often: int = 1


@lazy_dataclass
class Derived(Base):
    kind: ClassVar = "derived"
    tags: tuple[str, ...] = ()


def test_a_value_is_a_frozen_dataclass() -> None:
    """S3: equal, hashable, printable, unchangeable; the fields of the base come first."""
    one = Derived("a", tags=("x",))
    assert one == Derived("a", 1, ("x",)) != Base("a")
    assert hash(one) == hash(replace(one))
    assert "often=1" in repr(one)
    with pytest.raises(FrozenInstanceError):
        one.name = "b"  # pyright: ignore[reportAttributeAccessIssue]
    assert asdict(one) == {"name": "a", "often": 1, "tags": ("x",)}


def test_fields_are_known_before_the_first_value() -> None:
    @lazy_dataclass
    class Later:
        name: str = ""

    assert is_dataclass(Later)
    assert [one.name for one in fields(Later)] == ["name"]
    assert load(Later, dump(Later("b"))) == Later("b")


def test_it_is_made_once_however_many_ask_at_once() -> None:
    @lazy_dataclass
    class Shared:
        name: str
        tags: tuple[str, ...] = ()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(Shared, "abcdefgh" * 20))
    assert {one.tags for one in made} == {()}
    assert len(set(made)) == 8


def test_wrong_values_are_refused_as_ever() -> None:
    with pytest.raises(TypeError, match="missing 1 required"):
        Base()  # pyright: ignore[reportCallIssue]
