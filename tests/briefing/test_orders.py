"""Two orders, one composer: what comes first, what is shared, where cache entries end.

Covers: B1, B5, C8
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise

import pytest

from sparing.agents.backend import Access
from sparing.briefing.trunk_group import PromptClient, access_of, trunk_key
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Order, Way
from sparing.flow.flows import FEATURE
from sparing.segment import TrunkKey, Volatility
from tests.briefing.cases import CLIENT, Prompt

KEY = TrunkKey("scripted", "1", "m", ("read", "search"), "system", "{}", "5m")
SKELETON = {
    "spec-reviewer-specify": ["role", "rules", "references", "schema", "spec", "turn"],
    "design-reviewer-design": ["role", "rules", "references", "schema", "design", "turn"],
    "plan-reviewer-create-plan": ["role", "rules", "references", "schema", "plan"],
    "task-reviewer-create-tasks": ["role", "rules", "references", "checks", "schema", "tasks"],
    "implementation-reviewer-implement": [
        "role", "rules", "references", "checks", "schema", "files",
    ],
    "code-quality-reviewer-implement": [
        "role", "rules", "references", "checks", "schema", "files",
    ],
    "security-reviewer-implement": ["role", "rules", "references", "checks", "schema", "files"],
    "phase-reviewer-design": [
        "role", "rules", "references", "checks", "schema", "outcome", "turn",
    ],
}  # fmt: skip


@pytest.mark.parametrize("who", SKELETON)
def test_the_seed_s_skeleton_of_each_reviewer(rendered: dict[str, Prompt], who: str) -> None:
    """B1: role, rubric, coda; artifacts; lists; schema | what is judged, outcome, iteration."""
    prompt = rendered[f"{who}-1-reference-seed"]
    assert [one.name for one in prompt.segments] == SKELETON[who]


def test_the_seed_s_stable_part_is_the_same_in_every_iteration(
    rendered: dict[str, Prompt],
) -> None:
    """B1: byte for byte, so that a later iteration can read it from the cache."""
    for name in SKELETON:
        first = rendered[f"{name}-1-reference-seed"]
        later = rendered[f"{name}-2-reference-seed"]
        assert first.trunk == later.trunk
        assert [one.name for one in first.trunk][-1] == "schema"


def test_the_coda_belongs_to_spec_and_design_reviewer_alone(rendered: dict[str, Prompt]) -> None:
    """B1: at the end of the rubric, before the schema."""
    with_coda = {
        prompt.case.role
        for prompt in rendered.values()
        if prompt.order is Order.SEED and "## Stance" in prompt.text
    }
    assert with_coda == {"spec-reviewer", "design-reviewer"}
    role = rendered["spec-reviewer-specify-1-reference-seed"].named("role")
    assert role.index("## Severity") < role.index("## External claim") < role.index("## Stance")


def test_five_roles_have_no_iteration_section(rendered: dict[str, Prompt]) -> None:
    """B1: plan, task, implementation, quality and security; after a lost session they have."""
    fresh = [p for n, p in rendered.items() if n.endswith("-1-reference-seed")]
    reviewers = [p for p in fresh if "reviewer" in p.case.role]
    without = {p.case.role for p in reviewers if "## Iteration Context" not in p.text}
    assert without == {
        "plan-reviewer", "task-reviewer", "implementation-reviewer", "code-quality-reviewer",
        "security-reviewer",
    }  # fmt: skip
    lost = rendered["plan-reviewer-create-plan-2-reference-seed"].named("turn")
    assert "## Iteration Context" in lost


def test_only_the_implementation_reviewer_returns_levels_and_evidence(
    rendered: dict[str, Prompt],
) -> None:
    """B1, B5: the schema is one for all; who fills what is said in words."""
    asked = {p.case.role for p in rendered.values() if "`evidence` (" in p.named("schema")}
    assert asked == {"implementation-reviewer"}


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("spec-reviewer-specify", "rules prd spec | role schema turn"),
        ("phase-reviewer-specify", "rules prd spec | role schema outcome turn"),
        ("task-reviewer-create-tasks", "rules prd spec design plan tasks | role schema turn"),
        (
            "implementation-reviewer-implement",
            "rules design spec code | prd tasks plan role schema turn",
        ),
        ("security-reviewer-implement", "rules design spec code | role schema turn"),
        ("tasks-author-create-tasks", "rules prd spec design plan | role turn"),
    ],
)
def test_the_nested_order_begins_with_what_many_share(
    rendered: dict[str, Prompt], name: str, order: str
) -> None:
    """B1: trunk first, role text last, each piece a block of its own."""
    prompt = rendered[f"{name}-1-compose-nested"]
    names = [one.name for one in prompt.segments]
    trunk = len(prompt.trunk)
    assert " ".join((*names[:trunk], "|", *names[trunk:])) == order
    assert [one.mark for one in prompt.segments].index(True) == trunk - 1


@pytest.mark.parametrize("stage", ["specify", "design", "create-plan", "create-tasks"])
def test_only_the_next_stage_s_expectations_are_told(
    rendered: dict[str, Prompt], stage: str
) -> None:
    """B1: one line, steady over all iterations; in the seed's order before the schema."""
    for way, order, piece in (("compose", "nested", "role"), ("reference", "seed", "checks")):
        text = rendered[f"phase-reviewer-{stage}-1-{way}-{order}"].named(piece)
        assert [line.split(",")[0] for line in text.splitlines() if "- after " in line] == [
            f"- after {stage}"
        ]


def test_the_trunk_is_equal_for_all_who_review_one_thing(rendered: dict[str, Prompt]) -> None:
    """B1, B5: byte for byte, and with an equal key."""
    for stage in FEATURE.stages:
        roles = [role for group in stage.reviewers for role in group]
        found = [rendered[f"{role}-{stage.name}-1-compose-nested"] for role in roles]
        assert len({prompt.trunk for prompt in found}) <= 1, stage.name
        keys = {trunk_key(prompt.source, prompt.brief, CLIENT) for prompt in found}
        assert len(keys) <= 1, stage.name


def test_the_trunk_changes_only_with_what_it_holds(rendered: dict[str, Prompt]) -> None:
    """B1: the same commit gives the same trunk at any iteration."""
    prompt = rendered["security-reviewer-implement-1-compose-nested"]
    for iteration in (2, 3):
        later = replace(prompt.brief, asked=replace(prompt.brief.asked, iteration=iteration))
        composed = compose(later, Way.COMPOSE)
        assert composed.segments[: composed.trunk] == prompt.trunk
        assert composed.segments != prompt.segments


def test_of_two_iterations_the_steady_documents_stay(rendered: dict[str, Prompt]) -> None:
    """B1: only the documents that were changed differ."""
    first = rendered["spec-reviewer-specify-1-compose-nested"]
    second = rendered["spec-reviewer-specify-2-compose-nested"]
    assert first.trunk[0] == second.trunk[0]
    assert [one.name for one in first.trunk] == [one.name for one in second.trunk]


def test_nested_prompts_grow_more_volatile_to_their_end(rendered: dict[str, Prompt]) -> None:
    """B1"""
    for prompt in rendered.values():
        if prompt.order is Order.NESTED and prompt.way in (Way.COMPOSE, Way.FORK):
            soon = [one.volatility for one in prompt.segments]
            assert all(a <= b for a, b in pairwise(soon)), prompt.name


def test_no_turn_of_its_own_stands_in_a_trunk(rendered: dict[str, Prompt]) -> None:
    for prompt in rendered.values():
        assert all(one.volatility < Volatility.ITERATION for one in prompt.trunk), prompt.name


@pytest.mark.parametrize(
    ("marks", "ends"),
    [
        (0, []),
        (1, ["code"]),
        (2, ["code", "schema"]),
        (3, ["spec", "code", "schema"]),
        (4, ["design", "spec", "code", "schema"]),
        (9, ["rules", "design", "spec", "code", "schema"]),
    ],
)
def test_marks_are_set_as_far_as_the_backend_takes_them(
    rendered: dict[str, Prompt], marks: int, ends: list[str]
) -> None:
    """B1: first at the end of the trunk, then of the role's steady part, then inside the trunk."""
    brief = rendered["security-reviewer-implement-1-compose-nested"].brief
    segments = compose(brief, Way.COMPOSE, marks=marks).segments
    assert [one.name for one in segments if one.mark] == ends


def test_a_session_that_goes_on_never_gets_a_mark(rendered: dict[str, Prompt]) -> None:
    """B1: a client that counts marks over the whole transcript would break."""
    going_on = [p for p in rendered.values() if p.way in (Way.RESUME, Way.FORK)]
    assert len(going_on) > 30
    assert [p.name for p in going_on if any(one.mark for one in p.segments)] == []


def test_a_fork_is_sent_what_the_trunk_does_not_hold(rendered: dict[str, Prompt]) -> None:
    for name in ("spec-reviewer-specify", "implementation-reviewer-implement"):
        whole = rendered[f"{name}-1-compose-nested"]
        forked = rendered[f"{name}-1-fork-nested"]
        assert (*whole.trunk, *forked.segments) == tuple(
            replace(one, mark=one.mark) for one in whole.segments
        )


@pytest.mark.parametrize(
    "change",
    [
        {"backend": "claude"},
        {"version": "2"},
        {"model": "other"},
        {"tools": ("read",)},
        {"system": "another"},
        {"schema": ""},
        {"life": "1h"},
    ],
    ids=str,
)
def test_a_trunk_is_shared_only_if_all_of_its_key_is_equal(change: dict[str, str]) -> None:
    """B5: backend, version, model, tool list, system prompt, output schema, cache life."""
    assert replace(KEY, **change).digest != KEY.digest  # pyright: ignore[reportArgumentType]
    assert replace(KEY).digest == KEY.digest


def test_authors_have_another_key_than_reviewers(rendered: dict[str, Prompt]) -> None:
    """B5: two groups a stage, each with one system prompt."""
    names = ("spec-author-specify-1-compose-nested", "spec-reviewer-specify-1-compose-nested")
    author, reviewer = (rendered[name] for name in names)
    keys = [trunk_key(p.source, p.brief, CLIENT) for p in (author, reviewer)]
    assert keys[0].system != keys[1].system
    assert keys[0].schema == ""
    other = trunk_key(reviewer.source, reviewer.brief, PromptClient("claude", "2.1", 1))
    assert other.digest != keys[1].digest


def test_who_writes_a_document_is_offered_no_shell(rendered: dict[str, Prompt]) -> None:
    """E6: its description is longer than that of all other tools, and most of it says how to
    commit, which the program does. The stages of a tier have one set of tools: each reads from the
    cache what the one before wrote. Where a client has one for all who write, nothing changes."""
    author = rendered["spec-author-specify-1-compose-nested"].source
    reviewer = rendered["spec-reviewer-specify-1-compose-nested"].source
    lean = CLIENT._replace(chooses_tools=True)
    plan = [one.source for name, one in rendered.items() if ".plan-1" in name]
    build = [
        one.source for name, one in rendered.items() if "builder" in name and ".implement-1" in name
    ]
    assert plan
    assert build
    assert access_of(author, lean) is Access.NO_SHELL
    assert {access_of(one, lean) for one in (*plan, *build)} == {Access.LEAN_SHELL}
    tools = {trunk_key(one.source, one.brief, lean).tools for one in rendered.values()
        if one.source in (*plan, *build)}  # fmt: skip
    assert len(tools) == 1
    assert tools != {trunk_key(one.source, one.brief, CLIENT).tools for one in rendered.values()
        if one.source in (*plan, *build)}  # fmt: skip
    assert access_of(reviewer, lean) is Access.READ_ONLY
    assert access_of(author, CLIENT) is Access.WORKTREE
    assert access_of(author, lean._replace(own="own")) is Access.WORKTREE


def test_a_prompt_s_pieces_are_blocks_with_names_of_their_own(
    rendered: dict[str, Prompt],
) -> None:
    for prompt in rendered.values():
        names = sorted(one.name for one in prompt.segments)
        assert [name for name, group in groupby(names) if len(list(group)) > 1] == [], prompt.name
        assert all(one.text.endswith("\n") for one in prompt.segments), prompt.name
