"""What was red before is known, by its names, and never blocks; what is new does.

Covers: K2, D6
"""

from __future__ import annotations

import json

import pytest

from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.failures import failing, passing
from sparing.workspace.checks.passed_tests import passed_tests
from sparing.workspace.checks.run import CheckResult

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
        "test: known failures: a, b, c and 1 more"
    )
    assert "as a whole" in Baseline.of([red()]).words


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("===== 3 passed, 1 skipped in 0.02s =====\n", 3),
        ("3 passed in 0.02s\n", 3),
        ("1 failed, 2 passed in 0.02s\n", 2),
        ("no tests ran in 0.00s\n", 0),
        ("Ran 5 tests in 0.001s\n\nOK (skipped=2)\n", 3),
        ("Ran 9 tests in 1s\n\nOK\nRan 0 tests in 0.000s\n\nOK\n", 0),
        ("Tests:       1 skipped, 4 passed, 5 total\n", 4),
        ("# tests 3\n# pass 2\n# fail 1\n", 2),
        ("  7 passing (5ms)\n", 7),
        ("test result: ok. 2 passed; 0 failed\ntest result: ok. 3 passed; 0 failed\n", 5),
        ("ok  \tpkg/a\t0.01s\nok  \tpkg/b\t0.01s [no tests to run]\n", 1),
        ("fine\n", None),
    ],
)
def test_how_many_tests_passed(output: str, count: int | None) -> None:
    assert passing(output) == count


def test_fewer_tests_than_before_are_told() -> None:
    """H7: deleted, renamed, skipped or deselected, it makes no difference."""
    before = Baseline.of([green()._replace(tests=3), green("lint")])
    before = Baseline.load(json.loads(json.dumps(before.dump())))
    words = "test: 2 tests pass, 3 passed when the feature began"
    assert before.missing(green()._replace(tests=2)) == words
    for now in (3, 4):
        assert before.missing(green()._replace(tests=now)) == ""
    silent = green()._replace(tests=None)
    assert before.missing(silent).startswith("test: no longer says how many tests pass; 3 ")
    assert before.missing(silent._replace(passed=False)) == ""
    assert Baseline().missing(green()._replace(tests=0)) == ""


def test_a_baseline_from_before_tests_were_counted() -> None:
    """I4"""
    assert Baseline.load({"test": ["a"]}) == Baseline({"test": ("a",)})


PASSED = {
    "cargo": ("test a::adds ... ok\ntest a::b ... FAILED\n", ("a::adds",)),
    "unittest": ("test_one (tests.a.T.test_one) ... ok\n", ("test_one (tests.a.T.test_one)",)),
    "tap": ("ok 1 - adds up\nok 2 - later # SKIP\nnot ok 3 - no\n", ("adds up",)),
    "node": ("✔ adds up (0.8ms)\n✖ no (1ms)\n", ("adds up",)),
    "vitest": (" ✓ src/a.check.ts (3 tests) 5ms\n", ("src/a.check.ts",)),
    "go": ("    --- PASS: TestB/case (0.00s)\n", ("TestB/case",)),
    "pytest": ("checks/a.py::test_one[x y] PASSED  [ 50%]\n", ("checks/a.py::test_one[x y]",)),
    "ctest": ("1/2 Test  #1: adds ...........   Passed    0.01 sec\n", ("adds",)),
    "drawn": ("✓ at 0x7f00aa, 1700000000\n", ("at #, #",)),
}


@pytest.mark.parametrize("tool", PASSED)
def test_names_of_passing_tests(tool: str) -> None:
    """H8: what a runner says by itself, without what differs from run to run."""
    output, names = PASSED[tool]
    assert passed_tests(output, None) == names


def test_names_out_of_a_report() -> None:
    """H8: skipped tests and those that are known to fail have not passed."""
    report = (
        b'<testsuite><testcase classname="checks.check_a.T" name="one[&lt;x&gt;]" time="0.1"/>'
        b'<testcase classname="checks.check_a" name="two"><skipped type="pytest.xfail"/></testcase>'
        b'<testcase classname="checks.check_a" name="three"><system-out>x</system-out></testcase>'
    )
    assert passed_tests("", report) == ("checks.check_a.T::one[<x>]", "checks.check_a::three")


def test_a_test_that_is_gone_is_missed_though_their_number_is_the_same() -> None:
    """H8: by name."""
    before = Baseline.of([green()._replace(tests=2, names=("a", "b"))])
    known = Baseline.load(before.dump())
    now = green()._replace(tests=2, names=("a", "c"))
    assert known.missing(now) == ("test: passed when the feature began and are missing now: b")
    assert known.missing(now._replace(names=("a", "b", "c"))) == ""
    assert known.missing(now._replace(passed=False)) == ""
