"""Frozen dataclasses that are built when first needed.

Making a dataclass takes most of a millisecond. A short command imports dozens of which it uses two
or three, so those are marked here and built when the first instance is made, or when the fields are
accessed. Apart from that they are what `@dataclass(frozen=True)` makes. Only methods that must be
are generated: all classes share how they compare, hash and print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from typing import Any, TypeVar, cast, dataclass_transform

Class = TypeVar("Class", bound=type)
Value = TypeVar("Value")
FIELDS = "__dataclass_fields__"
_making = RLock()
_made: set[type] = set()
"""Only complete classes: another thread may ask while one is being built."""


class _Fields:
    """Stands in for a dataclass's fields until they are accessed."""

    def __get__(self, _instance: object, owner: type) -> dict[str, Field[Any]]:
        _make(owner)
        return cast("dict[str, Field[Any]]", getattr(owner, FIELDS))


def _new(cls: type[Value], *_values: object, **_named: object) -> Value:
    if cls not in _made:
        _make(cls)
    return object.__new__(cls)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def lazy_dataclass(cls: Class) -> Class:
    cls.__new__ = _new
    setattr(cls, FIELDS, _Fields())
    return cls


def declared_fields(cls: type) -> Mapping[str, Field[Any]]:
    """Fields that the class itself declares with `field`, without building the class."""
    if not isinstance(cls.__dict__.get(FIELDS), _Fields):
        return cast("Mapping[str, Field[Any]]", getattr(cls, FIELDS))
    own = cast("Mapping[str, object]", vars(cls))
    return {name: cast("Field[Any]", one) for name, one in own.items() if isinstance(one, Field)}


def _make(wanted: type) -> None:
    with _making:
        for cls in reversed(wanted.__mro__):
            if isinstance(cls.__dict__.get(FIELDS), _Fields):
                delattr(cls, FIELDS)
                dataclass(frozen=True, eq=False, repr=False)(cls)
                _share_methods(cls)
            _made.add(cls)


def _share_methods(cls: type) -> None:
    for name, method in _SHARED.items():
        if vars(cls).get(name) is None:
            setattr(cls, name, method)


@cache
def _compared(cls: type) -> Callable[[object], object]:
    names = [one.name for one in fields(cls) if one.compare]
    return attrgetter(*names) if names else type


def _equal(self: object, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return values(self) == values(other)


def _hash(self: object) -> int:
    return hash(_compared(self.__class__)(self))


@recursive_repr()
def _text(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


_SHARED: Mapping[str, Callable[..., object]] = {
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _text,
}
