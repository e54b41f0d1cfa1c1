"""Frozen dataclasses that are made when one is first needed.

Making a dataclass takes most of a millisecond. A short command imports dozens of which it uses two
or three, so those are marked here and made when the first instance is built, or when somebody asks
for the fields. Apart from that they are what `@dataclass(frozen=True)` makes.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field
from threading import RLock
from typing import Any, TypeVar, cast, dataclass_transform

Class = TypeVar("Class", bound=type)
Value = TypeVar("Value")
FIELDS = "__dataclass_fields__"
_making = RLock()
_made: set[type] = set()
"""Only complete ones: another thread may ask while one is being made."""


class _Fields:
    """Stands where a dataclass has its fields, until somebody looks."""

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


def _make(wanted: type) -> None:
    with _making:
        for cls in reversed(wanted.__mro__):
            if isinstance(cls.__dict__.get(FIELDS), _Fields):
                delattr(cls, FIELDS)
                dataclass(frozen=True)(cls)
            _made.add(cls)
