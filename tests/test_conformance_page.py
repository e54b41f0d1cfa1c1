"""The table of clients and abilities is made from what the conformance suite found.

Covers: G2, K4
"""

from __future__ import annotations

import ast
from pathlib import Path

from scripts.conformance import ABILITIES, Ran, Results, merged, page, ran_of

SUITE = Path(__file__).parent / "agents"


def found(version: str, outcome: str = "passed") -> Results:
    results = Results()
    told = [("can", f'{{"version": "{version}", "marks": 0}}'), ("base-read-only", 165)]
    name = "tests/agents/test_client_proofs.py::test_the_resume_check_passes[codex]"
    results.take(name, outcome, told)
    return results


def test_every_ability_names_tests_that_exist() -> None:
    """K4: a renamed test does not turn an ability into `not run` unseen."""
    texts = [path.read_text("utf-8") for path in SUITE.glob("test_*.py")]
    known = {
        node.name
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }
    assert [name for tests in ABILITIES.values() for name in tests if name not in known] == []


def test_a_test_belongs_to_the_client_it_ran_on() -> None:
    at = "tests/agents/test_"
    assert ran_of(f"{at}conformance.py::test_a[False-codex]") == Ran("codex", "test_a")
    assert ran_of(f"{at}hostile.py::test_b[claude, Sparing's tools]") == Ran("claude", "test_b")
    assert ran_of(f"{at}codex_turn.py::test_c") == Ran("codex", "test_c")
    assert ran_of(f"{at}conformance.py::test_a[scripted]") is None


def test_one_failed_case_is_a_no_and_what_was_not_run_is_said() -> None:
    """K4: yes only where every case of every test passed."""
    results = found("0.166.0")
    suite = "tests/agents/test_client_faults.py"
    results.take(f"{suite}::test_a_used_up_quota[codex-with-reset]", "passed", ())
    results.take(f"{suite}::test_a_used_up_quota[codex-without-reset]", "failed", ())
    lines = page(merged({}, results.found)).splitlines()
    assert "| ability | Codex 0.166.0 |" in lines
    assert "| resume check, V1 to V5 | yes |" in lines
    assert "| used-up quota, with and without a reset time | **no** |" in lines
    assert "| a reviewer can't write | not run |" in lines
    assert "| tokens before any prompt, readers | 165 |" in lines
    assert "| tests passed | 1 of 2 |" in lines


def test_results_of_another_version_are_dropped() -> None:
    """G2: of the same one, what was not run again stays."""
    before = merged({}, found("0.166.0").found)
    more = Results()
    more.take("tests/agents/test_conformance.py::test_a_fresh_call[codex]", "passed", ())
    same = merged(before, more.found)
    assert set(same["codex"]["tests"]) == {"test_a_fresh_call", "test_the_resume_check_passes"}
    newer = merged(same, found("0.170.0", "failed").found)
    assert newer["codex"]["tests"] == {"test_the_resume_check_passes": False}
