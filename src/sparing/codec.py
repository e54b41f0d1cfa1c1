"""Values as plain JSON and back, by their types, so that what is stored matches the types.

For frozen dataclasses, named tuples, enums, tuples, frozensets, mappings and optional values.
Stored values outlive the release that wrote them, so loading is lenient in three ways: a missing
field gets its default, one that is no longer known is skipped, and a record may be a list of its
fields in order, as older releases wrote some. A value of the wrong form is a `ValueError` that
names the field. A field is stored under its own name, or under the one that `stored_as` gives it.
Plain Python instead of a library, because commands that answer at once read stored values too.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
JsonObject = dict[str, Any]
"""An object as JSON has it, with text keys: what is stored, and what a step is given."""
_PLAIN = (str, int, float, bool, type(None))
_AS_IT_IS = frozenset[type](_PLAIN)
_STORED_AS = "stored as"


def dump(value: object) -> JsonObject:
    """A record as JSON."""
    found = plain(value)
    if not isinstance(found, dict):
        raise TypeError(f"{type(value).__name__} is no record")
    return cast("JsonObject", found)


def brief(value: object) -> JsonObject:
    """A record as JSON, without fields that have their default: for what is stored often."""
    whole = dump(value)
    return {name: one for name, one in whole.items() if one != _defaults(type(value)).get(name)}


def load(kind: type[T], value: object) -> T:
    return cast("T", _reader(kind)(value))


class Stored:
    """Base class of records that are stored under their own names."""

    __slots__ = ()

    def dump(self) -> JsonObject:
        return dump(self)

    @classmethod
    def load(cls, value: object) -> Self:
        return load(cls, value)


class Sparse(Stored):
    """Base class of records with many unknowns: a field that is None is not stored."""

    __slots__ = ()


def stored_as(key: str) -> Mapping[str, str]:
    """The `metadata` of a field whose stored name is older than its current one."""
    return {_STORED_AS: key}


def plain(value: object) -> object:
    """Any value as JSON."""
    kind: type = value.__class__
    return value if kind in _AS_IT_IS else _writer(kind)(value)


@cache
def _writer(kind: type) -> Callable[[Any], object]:
    """A function that turns values of a type into JSON; found once per type, for speed."""
    is_record = bool(_fields(kind)) or dataclasses.is_dataclass(cast("object", kind))
    if issubclass(kind, Enum):
        return _value
    if issubclass(kind, _PLAIN):
        return _same
    if is_record:
        return _record_writer(kind)
    if issubclass(kind, Mapping):
        return lambda value: {_key(name): plain(one) for name, one in value.items()}
    if issubclass(kind, tuple | list):
        return lambda value: [plain(one) for one in value]
    if issubclass(kind, frozenset):
        return lambda value: sorted(cast("list[str]", [plain(one) for one in value]))
    raise TypeError(f"{kind.__name__} can't be stored")


def _record_writer(kind: Any) -> Callable[[Any], object]:
    keys, sparse = _keys(kind), issubclass(kind, Sparse)

    def write(value: object) -> object:
        found: JsonObject = {}
        for name, key in keys.items():
            one = getattr(value, name)
            if one is not None or not sparse:
                found[key] = one if one.__class__ in _AS_IT_IS else plain(one)
        return found

    return write


def _value(value: Enum) -> object:
    return value.value


def _same(value: object) -> object:
    return value


def _key(name: object) -> str:
    return str(name.value) if isinstance(name, Enum) else str(name)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """Names of a record's fields, in order; none of anything else."""
    if dataclasses.is_dataclass(kind):
        return tuple(one.name for one in dataclasses.fields(kind) if one.init)
    return tuple(getattr(cast("type", kind), "_fields", ()))


@cache
def _keys(kind: type) -> Mapping[str, str]:
    """The stored name of each of a record's fields, in order."""
    found = {name: name for name in _fields(kind)}
    if dataclasses.is_dataclass(kind):
        for one in dataclasses.fields(kind):
            if one.name in found:
                found[one.name] = one.metadata.get(_STORED_AS, one.name)
    return found


@cache
def _defaults(kind: type) -> JsonObject:
    """Defaults by stored name."""
    found: JsonObject = {}
    if dataclasses.is_dataclass(kind):
        for one in dataclasses.fields(kind):
            key = one.metadata.get(_STORED_AS, one.name)
            if one.default is not dataclasses.MISSING:
                found[key] = plain(one.default)
            elif one.default_factory is not dataclasses.MISSING:
                found[key] = plain(one.default_factory())
        return found
    given: JsonObject = getattr(cast("type", kind), "_field_defaults", {})
    return {name: plain(one) for name, one in given.items()}


Reader = Callable[[object], object]


@cache
def _reader(kind: Any) -> Reader:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _optional(parts)
    if origin is tuple:
        return _tuple(parts)
    if origin is frozenset:
        one = _reader(parts[0])
        return lambda value: frozenset(one(item) for item in _items(value))
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _mapping(*parts)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if isinstance(kind, type) and (_fields(kind) or dataclasses.is_dataclass(kind)):
        return _record(kind)
    return _plain(kind)


def _plain(kind: Any) -> Reader:
    def read(value: object) -> object:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if kind in _PLAIN and not isinstance(value, kind):
            raise ValueError(f"{value!r} is no {kind.__name__}")
        return value

    return read


def _optional(parts: tuple[Any, ...]) -> Reader:
    others = [one for one in parts if one is not type(None)]
    if len(others) != 1:
        return _either(others)
    inner = _reader(others[0])
    return lambda value: None if value is None else inner(value)


def _either(kinds: list[Any]) -> Reader:
    """Read the record type that has most of the names; plain values stay as they are."""
    records = {kind: frozenset(_keys(kind).values()) for kind in kinds if isinstance(kind, type)}

    def read(value: object) -> object:
        if not isinstance(value, dict) or not any(records.values()):
            return cast("object", value)
        names = frozenset(cast("dict[str, object]", value))
        best = max(records, key=lambda kind: len(records[kind] & names))
        return _reader(best)(cast("object", value))

    return read


def _tuple(parts: tuple[Any, ...]) -> Reader:
    if len(parts) == 2 and parts[1] is Ellipsis:
        one = _reader(parts[0])
        return lambda value: tuple(map(one, _items(value)))
    each, are_plain = [_reader(one) for one in parts], all(one in _PLAIN for one in parts)

    def read(value: object) -> object:
        items = _items(value)
        if are_plain and tuple(map(type, items)) == parts:
            return tuple(items)  # nothing to convert: a ledger has many of these
        if len(items) != len(each):
            raise ValueError(f"{len(items)} values where {len(each)} belong")
        return tuple(read_one(item) for read_one, item in zip(each, items, strict=True))

    return read


def _mapping(key: Any, part: Any) -> Reader:
    name, one = _reader(key), _reader(part)

    def read(value: object) -> object:
        if not isinstance(value, dict):
            raise ValueError(f"{value!r} is no object")
        items = cast("dict[str, object]", value).items()
        return {name(left): one(right) for left, right in items}

    return read


def _items(value: object) -> Sequence[object]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{value!r} is no list")
    return cast("Sequence[object]", value)


def _record(kind: type) -> Reader:
    names, keys = _fields(kind), _keys(kind)
    hints = get_type_hints(kind)
    readers = {keys[name]: (name, _reader(hints[name])) for name in names}

    def read(value: object) -> object:
        if isinstance(value, kind):
            return value
        if isinstance(value, list | tuple):
            value = dict(zip(keys.values(), cast("list[object]", value), strict=False))
        if not isinstance(value, dict):
            raise ValueError(f"{value!r} is no {kind.__name__}")
        found = _read(kind, readers, cast("dict[str, object]", value))
        try:
            return kind(**found)
        except TypeError as error:
            raise ValueError(f"{kind.__name__}: {error}") from None

    return read


def _read(
    kind: type, readers: Mapping[str, tuple[str, Reader]], values: Mapping[str, object]
) -> dict[str, object]:
    """Read values into fields; `readers` maps stored names to the field and its reader."""
    found: dict[str, object] = {}
    name = ""
    try:
        for key, one in values.items():
            if key in readers:
                name, read = readers[key]
                found[name] = read(one)
    except ValueError as error:
        raise ValueError(f"{kind.__name__}.{name}: {error}") from None
    return found
