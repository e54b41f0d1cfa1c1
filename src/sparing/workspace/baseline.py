"""What was red before anybody began: known from then on, and never in the way.

A check is compared by the names of its failing tests where its output has them, so that one old
failure does not hide a new one. Where no name can be told, a check that was red stays known as a
whole; that is said in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparing.workspace.checks import CheckResult


@dataclass(frozen=True, slots=True)
class Baseline:
    red: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """A check's name and what failed in it; nothing listed means that no name could be told."""

    @classmethod
    def of(cls, results: Iterable[CheckResult]) -> Baseline:
        return cls({one.name: one.failures for one in results if not one.passed})

    def news(self, result: CheckResult) -> tuple[str, ...]:
        """What of a check is red now and was not: names, or the check itself."""
        if result.passed:
            return ()
        known = self.red.get(result.name)
        if known is None:
            return result.failures or (result.name,)
        if not known:
            return ()
        new = tuple(name for name in result.failures if name not in known)
        return new if result.failures else (result.name,)

    @property
    def words(self) -> str:
        """For a fact sheet; empty if nothing was red."""
        return "; ".join(_known(name, failures) for name, failures in sorted(self.red.items()))

    def dump(self) -> dict[str, Any]:
        return {name: list(failures) for name, failures in self.red.items()}

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> Baseline:
        return cls({name: tuple(map(str, failures)) for name, failures in value.items()})


def _known(name: str, failures: tuple[str, ...]) -> str:
    if not failures:
        return f"{name} was red before, and stays out of account as a whole"
    more = f" and {len(failures) - 3} more" if len(failures) > 3 else ""
    return f"{name}: known to fail from before: {', '.join(failures[:3])}{more}"
