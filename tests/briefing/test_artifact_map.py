"""Who sees what, read out of the prompts themselves.

Covers: B3, B4, C10, D1
"""

from __future__ import annotations

import re

import pytest

from sparing.dispatch_policy import Order, Way
from sparing.turn import TURNS, StageStep, Turn
from tests.briefing.cases import Prompt

ALL = ["prd", "spec", "design", "plan", "tasks"]
MAP = {
    ("implementation-reviewer", "implement"): ALL,
    ("code-quality-reviewer", "implement"): ["design", "spec"],
    ("security-reviewer", "implement"): ["design", "spec"],
    ("code-simplifier", "implement"): ["design"],
    ("test-deepener", "implement"): ["spec", "design", "tasks", "prd"],
    ("spec-reviewer", "specify"): ["prd"],
    ("phase-reviewer", "specify"): ["prd", "spec"],
    ("design-reviewer", "design"): ["prd", "spec"],
    ("phase-reviewer", "design"): ["prd", "spec", "design"],
    ("plan-reviewer", "create-plan"): ["prd", "spec", "design"],
    ("phase-reviewer", "create-plan"): ["prd", "spec", "design", "plan"],
    ("task-reviewer", "create-tasks"): ["prd", "spec", "design", "plan"],
    ("phase-reviewer", "create-tasks"): ALL,
    ("codebase-explorer", "design"): [],
    ("researcher", "design"): [],
}
JUDGED = {"specify": "spec", "design": "design", "create-plan": "plan", "create-tasks": "tasks"}


def inline(prompt: Prompt) -> list[str]:
    """Names of the documents that stand in a prompt, whole or in part."""
    return re.findall(r'name="(\w+)\.md[",]', prompt.text)


def referenced(prompt: Prompt) -> list[str]:
    return re.findall(r"^- \w+: /.*/(\w+)\.md$", prompt.named("references"), re.MULTILINE)


def of(rendered: dict[str, Prompt], role: str, stage: str, way: Way, order: Order) -> list[Prompt]:
    return [
        p
        for p in rendered.values()
        if (p.case.role, p.case.stage, p.way, p.order) == (role, stage, way, order)
        and p.case.flow == "feature"
    ]


@pytest.mark.parametrize("who", MAP, ids="-".join)
def test_inline_a_role_is_given_exactly_its_documents(
    rendered: dict[str, Prompt], who: tuple[str, str]
) -> None:
    """B3: and the document that is judged, once."""
    role, stage = who
    found = of(rendered, role, stage, Way.COMPOSE, Order.NESTED)
    assert found
    judged = [JUDGED[stage]] if stage in JUDGED and "reviewer" in role else []
    for prompt in found:
        given = [name for name in inline(prompt) if name in ALL]
        assert sorted(given) == sorted({*MAP[who], *judged}), prompt.name


@pytest.mark.parametrize("who", [who for who in MAP if MAP[who]], ids="-".join)
def test_by_reference_a_role_is_told_exactly_its_documents(
    rendered: dict[str, Prompt], who: tuple[str, str]
) -> None:
    """B3: a specialist's own document comes inline, the phase-reviewer reads it."""
    role, stage = who
    found = of(rendered, role, stage, Way.REFERENCE, Order.SEED)
    assert found
    for prompt in found:
        assert sorted(referenced(prompt)) == sorted(MAP[who]), prompt.name
        own = [JUDGED[stage]] if stage in JUDGED and JUDGED[stage] not in MAP[who] else []
        assert [name for name in inline(prompt) if name in ALL] == own


def test_nobody_is_given_a_document_twice(rendered: dict[str, Prompt]) -> None:
    for prompt in rendered.values():
        names = inline(prompt)
        assert len(names) == len(set(names)), prompt.name


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_a_fix_is_given_all_documents_and_files(rendered: dict[str, Prompt], order: Order) -> None:
    """B3, C10: fresh, with the findings of all who failed; the files by name."""
    given = rendered[f"implementer-implement-fix-compose-{order}"]
    assert sorted(name for name in inline(given) if name in ALL) == sorted(ALL)
    told = rendered[f"implementer-implement-fix-reference-{order}"]
    assert referenced(told) == ALL
    for prompt in (given, told):
        assert "src/gate.py (+5 -1)" in prompt.named("files")
        assert prompt.named("findings").count(" blocker, ") == 3
        assert "## Fix summary" in prompt.named("turn")


def test_a_task_is_given_its_own_part_of_the_documents(rendered: dict[str, Prompt]) -> None:
    """D1: spec whole, problem and goals, sections of plan and design, the task; nothing else."""
    prompt = rendered["implementer-implement-task-compose-nested"]
    assert inline(prompt) == ["AGENTS", "spec", "prd", "plan", "design"]
    assert "## Problem Statement" in prompt.named("goals")
    assert "## Goals" in prompt.named("goals")
    assert "## Open Questions" not in prompt.text
    assert re.findall(r"^### (.+)$", prompt.named("plan"), re.M) == ["Step 2: Gate"]
    assert re.findall(r"^### (.+)$", prompt.named("design"), re.M) == [
        "C2: Gate",
        "I1: allowed(user, now) -> bool",
    ]
    assert re.findall(r"^### (.+)$", prompt.named("task"), re.M) == [
        "Task 2: Refuse above the limit"
    ]
    assert "the sixth request within a second is refused" in prompt.named("task")
    assert "src/gate.py, tests/test_gate.py" in prompt.named("task")


def test_under_the_seed_s_order_spec_and_prd_of_a_task_come_by_reference(
    rendered: dict[str, Prompt],
) -> None:
    """D1, B2: sections stay inline."""
    prompt = rendered["implementer-implement-task-reference-seed"]
    assert referenced(prompt) == ["prd", "spec"]
    assert [name for name in inline(prompt) if name in ALL] == ["plan", "design"]


def test_what_tasks_share_comes_first(rendered: dict[str, Prompt]) -> None:
    """D1"""
    prompt = rendered["implementer-implement-task-compose-nested"]
    assert [one.name for one in prompt.segments] == [
        "rules", "spec", "goals", "role", "plan", "design", "task", "turn",
    ]  # fmt: skip
    assert [one.name for one in prompt.trunk] == ["rules", "spec", "goals", "role"]


def test_phase_a_sees_no_code_and_phase_b_the_outlines(rendered: dict[str, Prompt]) -> None:
    """B3"""
    first = rendered["test-deepener-implement-A-compose-nested"]
    second = rendered["test-deepener-implement-B-compose-nested"]
    assert "gate.py (" not in first.text
    assert "src/gate.py (+5 -1)" in second.named("files")
    assert "the fifth and the sixth request" in second.named("outlines")


def test_phase_b_begins_as_phase_a_did(rendered: dict[str, Prompt]) -> None:
    """E6, B1: all documents and the role's text are read from the entry that phase A left, and the
    fix that follows shares the documents."""
    first = rendered["test-deepener-implement-A-compose-nested"]
    second = rendered["test-deepener-implement-B-compose-nested"]
    assert second.trunk == first.trunk
    assert [one.name for one in first.trunk] == ["rules", "design", "spec", "prd", "tasks"]
    alike = [one.text for one in first.segments[:-1]]
    assert [one.text for one in second.segments[: len(alike)]] == alike
    fix = rendered["implementer-implement-fix-compose-nested"]
    names = [one.name for one in fix.trunk]
    assert names[: len(first.trunk)] == [one.name for one in first.trunk]


def test_who_is_sent_to_look_gets_no_map() -> None:
    """B3: explorer and researcher are to find what a map would tell them; who builds has it."""
    sent = {turn for turn, row in TURNS.items() if row.step is StageStep.RESEARCH}
    assert sent
    assert {turn for turn in sent if TURNS[turn].sees_code} == set()
    assert TURNS[Turn.IMPLEMENT].sees_code
