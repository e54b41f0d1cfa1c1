"""What a role's text tells its agent.

Covers: A3, B5, B8, B9, C2, D2, D4
"""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from sparing.prompts.render import names, words
from sparing.segment import estimate_tokens
from tests.prompts.word_files import REVIEWERS, ROLES, each, items, role

B8_REVIEWERS = {
    "security-reviewer",
    "implementation-reviewer",
    "spec-reviewer",
    "design-reviewer",
    "plan-reviewer",
}
REPORT = [
    "Implemented",
    "Tested",
    "Files changed",
    "Self-review",
    "Decisions",
    "Deviations",
    "Concerns",
]


def lines(body: str) -> set[str]:
    return {line.strip() for line in body.splitlines() if line.strip()}


def shared_share(one: str, other: str) -> float:
    """Lines in common, as a share of the shorter text."""
    first, second = lines(one), lines(other)
    return len(first & second) / min(len(first), len(second))


@each(ROLES)
def test_a_role_s_text_begins_with_its_own_heading(name: str) -> None:
    """B9: instructions are recognised by the heading the system prompt names."""
    assert role(name).body.startswith(f"# Your role: {name}\n")
    assert '"# Your role"' in words("blocks", "documents_are_data")


@each(REVIEWERS | {"code-simplifier", "test-deepener"})
def test_a_rubric_shows_defects_and_what_is_none(name: str) -> None:
    """B5: at least five defects and three non-defects, each with an example of its own."""
    body = role(name).body
    defects, harmless = items(body, "Must catch"), items(body, "Not a defect")
    assert len(defects) >= 5
    assert len(harmless) >= 3
    examples = [item.partition("Example: ")[2] for item in (*defects, *harmless)]
    assert [example for example in examples if len(example) < 20] == []


def test_no_example_serves_twice() -> None:
    """B5: an example comes from the role's own domain."""
    bodies = [role(name).body for name in sorted(ROLES)]
    examples = [found for body in bodies for found in re.findall(r"Example: (.+)", body)]
    assert len(examples) > 100
    assert len(set(examples)) == len(examples)


@each(REVIEWERS)
def test_a_rubric_weighs_as_the_pass_rule_does(name: str) -> None:
    """C2: what blocks, what warns and what only suggests, in these words and this order."""
    found = [item.split(":")[0] for item in items(role(name).body, "Severity")]
    assert found == ["- blocker", "- warning", "- suggestion"]


@each(ROLES)
def test_five_reviewers_verify_an_external_claim(name: str) -> None:
    """B8: three possible lines, asked of five roles and of no other."""
    body = role(name).body
    phrases = ("`Verified: … via …`", "`Unable to verify independently`", '"no external claims"')
    assert [phrase in body for phrase in phrases] == [name in B8_REVIEWERS] * 3


@each(B8_REVIEWERS)
def test_no_tool_is_named_and_what_cannot_be_checked_never_blocks(name: str) -> None:
    """B8: which tools there are is told by the turn, which knows; the role names none."""
    section = role(name).body.partition("## External claim\n")[2].partition("\n## ")[0]
    assert not re.search(r"\b(web|documentation|your tools)\b", section, re.IGNORECASE)
    assert re.search(r"\b(never|not|no)\b", section.strip().rpartition(". ")[2])


def test_documentation_comes_before_other_pages_and_lockfiles_before_the_web() -> None:
    """B8: the lockfile says which version counts, its documentation goes before the rest."""
    told = words("turns", "tools_on")
    assert 0 <= told.find("lockfile") < told.find("web") < told.find("documentation")
    assert "lockfile" in words("turns", "tools_off")


@each(ROLES)
def test_a_role_s_text_keeps_its_size(name: str) -> None:
    """B5: tight enough to be read, long enough to guide."""
    low, high = (350, 900) if name in REVIEWERS else (250, 700)
    assert low <= estimate_tokens(role(name).body) <= high


@pytest.mark.parametrize("kind", ["roles", "stages", "skills"])
def test_no_two_texts_are_alike(kind: str) -> None:
    """B5: two texts that share more than 30 % of their lines are one text too many."""
    texts = {name: words(kind, name).rpartition("+++\n")[2] for name in names(kind)}
    shares = {pair: shared_share(texts[pair[0]], texts[pair[1]]) for pair in combinations(texts, 2)}
    assert len(shares) >= 21
    assert {pair: share for pair, share in shares.items() if share > 0.3} == {}


def test_the_measure_of_likeness_notices_a_copy() -> None:
    """B5: the rule above can fail."""
    body = role("spec-reviewer").body
    some = body.splitlines()
    half = "\n".join([*some[: len(some) // 2], *(f"a line of its own, {n}" for n in range(5))])
    assert shared_share(body, body) == 1
    assert shared_share(body, half) > 0.3


@pytest.mark.parametrize(
    ("author", "wanted"),
    [
        ("prd-author", ["## Problem Statement", "## Goals", "## Success Criteria"]),
        ("spec-author", ["## Success Criteria", "## Acceptance Criteria", "## Scope"]),
        ("design-author", ["## Components", "## Interfaces", "### C1: ", "### I1: "]),
        ("plan-author", ["## Implementation Order", "#### 1.1: ", "**Verification:**"]),
        ("tasks-author", ["### Task 1.2: ", "**Why:**", "**Depends on:**", "**Files:**"]),
        ("tasks-author", ["**Do:**", "**Test:**", "**Done when:**"]),
    ],
)
def test_authors_are_asked_for_what_is_checked_later(author: str, wanted: list[str]) -> None:
    """A3, D2: what validation and the task parser look for."""
    body = role(author).body
    assert [words for words in wanted if words not in body] == []


def test_the_implementer_reports_under_the_headings_that_are_parsed() -> None:
    """D4: seven headings, in the implementer's report and in the tier's notes."""
    report = role("implementer").body.partition("## Report\n")[2]
    assert re.findall(r"^## (.+)$", report, re.MULTILINE) == REPORT
    for text in (words("stages", "implement"), words("skills", "implement")):
        assert [heading for heading in REPORT if f"`## {heading}`" not in text] == []


@pytest.mark.parametrize("name", ["implementer", "code-simplifier", "test-deepener"])
def test_agents_never_commit(name: str) -> None:
    """D1: the program commits."""
    assert re.search(r"[Tt]he program (commits|does)\b", role(name).body)


def test_the_implementer_works_test_first_and_asks_for_several_things_at_once() -> None:
    """D1: interface, failing test, pass, refactor."""
    body = role("implementer").body
    steps = re.findall(r"^\d\. (\w+(?: \w+)?):", body, re.MULTILINE)
    assert steps == ["Read first", "Interface", "Failing test", "Pass", "Refactor"]
    assert "several tool calls" in body
