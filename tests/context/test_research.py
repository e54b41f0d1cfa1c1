"""What those who look around bring back. Covers: A1, B3."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.research import LONGEST, MOST_FINDINGS, SCHEMA, read_findings


def one(finding: object = "a fact", source: object = "src/a.py:3", relevance: object = "") -> Any:
    return {"finding": finding, "source": source, "relevance": relevance}


def test_findings_become_lines_for_an_author() -> None:
    found = read_findings({"findings": [one(relevance="use it"), one("b\nc", "AGENTS.md")]})
    assert found.text == (
        "- a fact (source: src/a.py:3) For this feature: use it\n- b c (source: AGENTS.md)\n"
    )
    assert (found.findings, found.words) == (2, "2 findings")


def test_a_statement_without_a_source_is_left_out() -> None:
    found = read_findings({"findings": [one(), one(source=""), one(finding=3), "x"]})
    assert (found.findings, found.words) == (1, "1 finding, 2 left out (no source, or too many)")
    assert found.text.count("\n") == 1


def test_nothing_found_is_a_result_with_a_reason() -> None:
    found = read_findings({"findings": [], "no_findings_reason": "no web tool"})
    assert (found.text, found.words) == ("", "nothing found: no web tool")
    assert read_findings({"findings": 3}).words == "nothing found"


def test_long_and_many_end_early() -> None:
    found = read_findings({"findings": [one("x" * 5_000)] * 40})
    assert found.findings == MOST_FINDINGS
    assert len(found.text) < MOST_FINDINGS * (LONGEST + 100)


def test_the_form_asks_for_what_is_read() -> None:
    assert set(SCHEMA["properties"]) == {"findings", "no_findings_reason"}
    assert set(SCHEMA["properties"]["findings"]["items"]["properties"]) == {*one(), "answers"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON)
def test_no_answer_is_too_odd(value: Any) -> None:
    found = read_findings({"findings": value})
    assert bool(found.text) == (found.findings > 0)
