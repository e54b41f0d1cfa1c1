"""What was red before is known, by its names, and never blocks; what is new does.

Covers: K2, D6
"""

from __future__ import annotations

import pytest

from sparing.workspace.baseline import Baseline
from sparing.workspace.checks import CheckResult
from sparing.workspace.failures import failing

OUTPUTS = {
    "pytest": (
        "FAILED tests/test_a.py::test_one - assert 1 == 2\nERROR tests/test_b.py\n1 failed\n",
        ("tests/test_a.py::test_one", "tests/test_b.py"),
    ),
    "unittest": (
        "FAIL: test_one (tests.test_a.T)\n---\nERROR: test_two (tests.test_a.T)\n",
        ("test_one (tests.test_a.T)", "test_two (tests.test_a.T)"),
    ),
    "tap": ("ok 1 - fine\nnot ok 2 - adds up\nnot ok 3 - later # TODO\n", ("adds up",)),
    "node": ("✔ fine (1.2ms)\n✖ adds up (0.8ms)\n✖ failing tests:\n", ("adds up",)),
    "go": ("--- PASS: TestA\n    --- FAIL: TestB/case (0.00s)\n", ("TestB/case",)),
    "cargo": ("test a::fine ... ok\ntest a::adds ... FAILED\n", ("a::adds",)),
    "make": ("make: *** [Makefile:2: test] Error 1\n", ()),
}


@pytest.mark.parametrize("tool", OUTPUTS)
def test_names_of_failing_tests(tool: str) -> None:
    output, names = OUTPUTS[tool]
    assert failing(output) == names


def red(*failures: str, name: str = "test") -> CheckResult:
    return CheckResult(name, "make test", False, "red", "", failures)


def green(name: str = "test") -> CheckResult:
    return CheckResult(name, "make test", True, "ok", "")


@pytest.mark.parametrize(
    ("before", "now", "news"),
    [
        (green(), green(), ()),
        (green(), red("a"), ("a",)),
        (green(), red(), ("test",)),
        (red("a"), red("a"), ()),
        (red("a"), green(), ()),
        (red("a"), red("a", "b"), ("b",)),
        (red("a"), red(), ("test",)),
        (red(), red("a"), ()),
        (red("a"), red("a", name="lint"), ("a",)),
    ],
)
def test_only_what_is_new_blocks(
    before: CheckResult, now: CheckResult, news: tuple[str, ...]
) -> None:
    """K2: an old failure never blocks, and hides no other where tests have names."""
    known = Baseline.of([before])
    assert Baseline.load(known.dump()).news(now) == news


def test_words_for_a_fact_sheet() -> None:
    assert Baseline.of([green()]).words == ""
    assert Baseline.of([red("a", "b", "c", "d")]).words == (
        "test: known to fail from before: a, b, c and 1 more"
    )
    assert "as a whole" in Baseline.of([red()]).words
