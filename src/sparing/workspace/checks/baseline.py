"""Checks that were red before the feature began: known from then on, and never blocking.

A check is compared by the names of its failing tests where its output has them, so that one old
failure does not hide a new one. Where no test name can be found, a check that was red is ignored as
a whole, and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from sparing import codec
from sparing.workspace.checks.run import CheckResult

MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class Baseline(codec.Stored):
    red: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Failing tests by check name; an empty tuple means that no test name could be found."""

    tests: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many tests passed, by check name, where that is known."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Which tests passed, by check name, where that is known."""

    rewritten: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Which files of the commit the tests write over, by check name."""

    @classmethod
    def of(cls, results: Iterable[CheckResult]) -> Baseline:
        every = tuple(results)
        red = {one.name: one.failures for one in every if not one.passed}
        tests = {one.name: one.tests for one in every if one.tests is not None}
        names = {one.name: one.names for one in every if one.names}
        return cls(red, tests, names, {one.name: one.rewritten for one in every if one.rewritten})

    def overwritten(self, result: CheckResult) -> str:
        """A sentence if running the tests now writes over files of the commit; empty if not."""
        known = self.rewritten.get(result.name, ())
        found = [path for path in result.rewritten if path not in known]
        return f"{result.name}: running it writes over {in_short(found)}" if found else ""

    def missing(self, result: CheckResult) -> str:
        """A sentence if a test that passed before is missing now, or if fewer pass; empty if
        not, or if it can't be determined."""
        gone = sorted({*self.names.get(result.name, ())} - {*result.names})
        if not gone or not result.names or not result.passed:
            return self._fewer(result)
        return f"{result.name}: passed when the feature began and are missing now: {in_short(gone)}"

    def _fewer(self, result: CheckResult) -> str:
        before, now = self.tests.get(result.name), result.tests
        silent = now is None and result.passed
        if not before or not (silent or (now is not None and now < before)):
            return ""
        if silent:
            was = f"{before} test{'' if before == 1 else 's'} passed when the feature began"
            return f"{result.name}: no longer says how many tests pass; {was}"
        return f"{result.name}: {now} tests pass, {before} passed when the feature began"

    def news(self, result: CheckResult) -> tuple[str, ...]:
        """What is newly red in a check: names of tests, or the check itself."""
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
        """The known failures for a fact sheet; empty if nothing was red."""
        return "; ".join(_known(name, failures) for name, failures in sorted(self.red.items()))

    @classmethod
    def load(cls, value: object) -> Baseline:
        """Load a baseline; one from before tests were counted holds only what was red."""
        known = cast("Mapping[str, object]", value)
        new = isinstance(known.get("tests"), dict)
        return codec.load(cls, value if new else {"red": value})


def in_short(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    return f"{', '.join(names[:MOST_TOLD])}{more}"


def _known(name: str, failures: tuple[str, ...]) -> str:
    if not failures:
        return f"{name} was red before and is ignored as a whole"
    more = f" and {len(failures) - 3} more" if len(failures) > 3 else ""
    return f"{name}: known failures: {', '.join(failures[:3])}{more}"
