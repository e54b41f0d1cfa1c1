"""Which features a person means by a number, a slug or a full name."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.feature import Feature
from sparing.records.features import FeatureRow


def rows_named(rows: Sequence[FeatureRow], name: str) -> list[FeatureRow]:
    """By number (`1`, `001`), full name or slug; a number is never taken for a slug."""
    wanted = name.strip().lower()
    number = wanted.lstrip("0")
    return [row for row in rows if number == str(row.feature.number)] or [
        row for row in rows if wanted in _names(row.feature)
    ]


def _names(feature: Feature) -> tuple[str, ...]:
    """Names it may be called by besides its number; a project's number is prefixed with P."""
    short = f"p{-feature.number}" if feature.is_project else feature.name
    return (feature.name.lower(), feature.slug, feature.id.lower(), short)
