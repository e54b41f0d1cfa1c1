"""One schema for all reviewers, and what only some of them say.

Covers: B1, B5, C14
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.finding import LevelResult, Verdict
from sparing.review.verdict import SCHEMA, passes, read_verdict

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def read(categories: tuple[str, ...] | None = None, **fields: object) -> Verdict:
    reply = json.dumps({"approved": True, "findings": [], **fields})
    found = read_verdict("r", reply, categories)
    assert isinstance(found, Verdict), found
    return found


def finding(**fields: object) -> dict[str, object]:
    return {"severity": "warning", "text": "x", **fields}


def test_the_schema_is_generated_and_lean() -> None:
    """B5: it is sent with every reviewer's call."""
    said = json.dumps(SCHEMA)
    assert sorted(SCHEMA["properties"]) == [
        "approved", "evidence", "files_read", "findings", "levels", "summary",
    ]  # fmt: skip
    one: dict[str, Any] = SCHEMA["properties"]["findings"]["items"]["properties"]
    assert list(one) == [
        "severity", "text", "category", "location", "quote", "suggestion", "continues", "level",
    ]  # fmt: skip
    assert SCHEMA["required"] == ["approved", "findings"]
    assert not {"title", "default", "$ref", "$defs"} & set(json.loads(said, object_hook=_keys))
    assert len(json.dumps(SCHEMA, separators=(",", ":"))) < 1_000


def _keys(value: dict[str, Any]) -> dict[str, Any]:
    """Every key of every level."""
    found: dict[str, Any] = {}
    for key, inner in value.items():
        found[key] = None
        if isinstance(inner, dict):
            found.update(inner)  # pyright: ignore[reportUnknownArgumentType]
    return found


def test_a_task_is_a_location() -> None:
    """B5: the task-reviewer locates by task."""
    assert read(findings=[finding(task="Task 2.1")]).findings[0].location == "Task 2.1"
    assert read(findings=[finding(location="a", task="b")]).findings[0].location == "a"


def test_the_implementation_reviewer_s_own_fields() -> None:
    """B1, B5: levels and evidence."""
    verdict = read(
        findings=[finding(level="spec")],
        levels={"tasks": {"passed": True, "issues_count": 0}, "spec": {"passed": False}},
        evidence={"verified": ["a.py:3"], "missing": ["no test"]},
        verification="Verified: x via docs",
        strengths=["short"],
    )
    assert verdict.findings[0].level == "spec"
    assert verdict.levels == (LevelResult("tasks", passed=True), LevelResult("spec", passed=False))
    assert (verdict.verified, verdict.missing) == (("a.py:3",), ("no test",))
    assert (verdict.verification, verdict.strengths) == ("Verified: x via docs", ("short",))


@settings(deadline=None)
@given(st.dictionaries(
    st.sampled_from(["levels", "evidence", "verification", "strengths", "summary"]), JSON
))  # fmt: skip
def test_what_only_informs_never_spoils_a_verdict(extra: dict[str, object]) -> None:
    """C14: a repair turn is for what decides."""
    reply = json.dumps({"approved": True, "findings": [], **extra})
    found = read_verdict("r", reply)
    assert isinstance(found, Verdict), found
    assert passes(found)


@settings(deadline=None)
@given(JSON)
def test_odd_places_and_quotes_are_taken_as_text(odd: object) -> None:
    verdict = read(findings=[finding(location=odd, quote=odd, suggestion=odd, category=odd)])
    assert isinstance(verdict.findings[0].location, str)


@pytest.mark.parametrize(
    ("said", "kept"),
    [("tdd-order", "tdd-order"), ("TDD Order", "tdd-order"), ("tdd_order", "tdd-order"), ("x", "")],
)
def test_categories_are_checked_against_the_role_s_words(said: str, kept: str) -> None:
    """B5: the schema does not know them."""
    verdict = read(("tdd-order",), findings=[finding(category=said)])
    assert verdict.findings[0].category == kept


def test_without_a_list_any_category_stays() -> None:
    assert read(findings=[finding(category="Own Word")]).findings[0].category == "Own Word"
