"""What a schema asks for, as one line that an agent can fill in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from sparing.context.prompt.compact import compact


def skeleton(schema: Mapping[str, Any]) -> str:
    """What a schema asks for, as one compact line."""
    return compact(_shape(schema, schema.get("$defs", {})))


def _shape(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _shape(known[str(schema["$ref"]).rpartition("/")[2]], known)
    if "enum" in schema:
        return "|".join(str(word) for word in schema["enum"])
    if "properties" in schema:
        return {name: _shape(inner, known) for name, inner in schema["properties"].items()}
    match schema.get("type"):
        case "array":
            return [_shape(schema.get("items", {}), known)]
        case "object":
            inner = cast("Mapping[str, Any] | None", schema.get("additionalProperties") or None)
            return {"…": _shape(inner, known)} if inner else {}
        case "boolean":
            return "true|false"
        case "integer":
            return 0
        case _:
            return "…"
