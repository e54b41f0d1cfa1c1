"""Front matter: who a role is, what it sees and what it may use.

Covers: B3, B5, B8, C11
"""

from __future__ import annotations

import re

from sparing.artifact import ArtifactName
from sparing.prompts.render import names
from tests.prompts.word_files import (
    AUTHORS,
    DOCUMENT_AUTHORS,
    RESEARCHERS,
    REVIEWERS,
    ROLES,
    STAGES,
    each,
    items,
    role,
)

B3_ARTIFACTS = {
    "implementation-reviewer": ["prd", "spec", "design", "plan", "tasks"],
    "implementer": ["prd", "spec", "design", "plan", "tasks"],
    "code-quality-reviewer": ["design", "spec"],
    "security-reviewer": ["design", "spec"],
    "code-simplifier": ["design"],
    "test-deepener": ["spec", "design", "tasks", "prd"],
    "spec-reviewer": ["prd"],
    "design-reviewer": ["prd", "spec"],
    "plan-reviewer": ["prd", "spec", "design"],
    "task-reviewer": ["prd", "spec", "design", "plan"],
    "codebase-explorer": [],
    "researcher": [],
}
B3_PHASE_REVIEWER = {
    "spec": ["prd", "spec"],
    "design": ["prd", "spec", "design"],
    "plan": ["prd", "spec", "design", "plan"],
    "tasks": ["prd", "spec", "design", "plan", "tasks"],
}
CATEGORIES = {
    "spec-reviewer": ["testability", "assumptions", "scope", "traceability", "clarity"],
    "design-reviewer": [
        "completeness",
        "consistency",
        "feasibility",
        "assumptions",
        "complexity",
    ],
    "plan-reviewer": ["failure-mode", "assumption", "dependency", "tdd-order", "feasibility"],
    "implementation-reviewer": ["missing", "extra", "misunderstood", "incomplete"],
    "code-quality-reviewer": ["readability", "kiss", "yagni", "formatting", "flow"],
    "security-reviewer": ["injection", "auth", "crypto", "exposure", "config"],
}
C11_ALWAYS_FRESH = {
    "test-deepener",
    "code-simplifier",
    "codebase-explorer",
    "researcher",
    "prd-reviewer",
    "readiness-reviewer",
    "retro-facilitator",
}


def test_every_role_stage_and_skill_is_a_file() -> None:
    """B5: each role and each tier stage is one readable file."""
    assert set(names("roles")) >= ROLES
    assert set(names("stages")) == STAGES
    assert set(names("skills")) == STAGES


@each(ROLES)
def test_a_role_s_front_matter_says_what_it_is(name: str) -> None:
    """B5: front matter in closed sets; the file's name is the role's."""
    front = role(name).front
    classes = {"author": AUTHORS, "reviewer": REVIEWERS, "researcher": RESEARCHERS}
    assert front.name == name
    assert name in classes[front.role_class]
    assert re.fullmatch(r"[A-Z][^.]+\.", front.purpose), "one sentence"
    assert len(set(front.tools)) == len(front.tools)


@each(set(B3_ARTIFACTS))
def test_a_role_sees_exactly_its_artifacts(name: str) -> None:
    """B3: who sees what."""
    assert role(name).front.artifacts == B3_ARTIFACTS[name]


def test_the_phase_reviewer_sees_the_documents_up_to_its_stage() -> None:
    """B3: the set of each stage is the head of its list that ends with the stage's document."""
    listed = role("phase-reviewer").front.artifacts
    sets = {written: listed[: listed.index(written) + 1] for written in B3_PHASE_REVIEWER}
    assert sets == B3_PHASE_REVIEWER


def test_document_authors_see_what_was_settled_before_them() -> None:
    """B3, A1: an author is given the documents of all earlier stages."""
    order = ["prd", "spec", "design", "plan", "tasks"]
    for position, artifact in enumerate(order):
        assert role(f"{artifact}-author").front.artifacts == order[:position]


@each(ROLES)
def test_a_role_that_is_given_references_can_read_them(name: str) -> None:
    """B5: and they are documents we know."""
    front = role(name).front
    assert set(front.artifacts) <= {artifact.value for artifact in ArtifactName}
    assert not front.artifacts or "read" in front.tools


@each(REVIEWERS | RESEARCHERS)
def test_whoever_judges_or_searches_cannot_write(name: str) -> None:
    """B5, H6: reviewers and researchers change nothing."""
    assert not {"write", "run"} & set(role(name).front.tools)


def test_whoever_reads_the_repository_has_no_web_by_default() -> None:
    """B8: a reader of a repository with web access is a leak; the user may switch it on."""
    with_web = {name: role(name).front.tools for name in ROLES if "web" in role(name).front.tools}
    assert with_web == {"researcher": ["web"]}


@each(REVIEWERS)
def test_reviewers_can_share_one_trunk(name: str) -> None:
    """B5: roles that review one change have one model and one tool list."""
    front = role(name).front
    assert (front.model, front.tools) == ("strong", ["read", "search"])


@each(DOCUMENT_AUTHORS)
def test_document_authors_can_share_one_trunk(name: str) -> None:
    """B5: the same for those who write documents."""
    front = role(name).front
    assert (front.model, front.tools) == ("strong", ["read", "search", "write"])


@each(ROLES)
def test_categories_are_the_agreed_ones_and_named_in_the_text(name: str) -> None:
    """B5: the schema is shared, so the role's text must name its categories."""
    front, body = role(name)
    assert front.categories == CATEGORIES.get(name, [])
    defects = "\n".join(items(body, "Must catch"))
    assert set(re.findall(r"^- \*\*([a-z-]+)\*\*:", defects, re.MULTILINE)) == set(front.categories)


def test_the_implementation_reviewer_judges_by_level() -> None:
    """B5: four levels, each explained in the text."""
    assert {name: role(name).front.levels for name in ROLES if role(name).front.levels} == {
        "implementation-reviewer": ["tasks", "spec", "design", "prd"]
    }
    levels = role("implementation-reviewer").body.partition("## Levels\n")[2]
    assert re.findall(r"`(\w+)` \(", levels) == ["tasks", "spec", "design", "prd"]


def test_the_task_reviewer_locates_by_task() -> None:
    """B5: `task` for `location`."""
    assert "located by task (`Task 2.1`)" in role("task-reviewer").body


@each(ROLES)
def test_only_the_named_roles_are_always_fresh(name: str) -> None:
    """C11: never resumed."""
    assert role(name).front.always_fresh == (name in C11_ALWAYS_FRESH)
