"""What prompts say under `policy = "seed"`: nothing that contradicts itself. Covers: B1, B5, D2."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sparing.briefing.gather import gather
from sparing.context.documents.literal import literal_scope, literal_tasks
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Order, Way
from sparing.prompts.render import words
from sparing.turn import Turn
from tests.briefing.cases import Prompt, seeded
from tests.briefing.sample import Sample

PLAN = "# Plan\n### 1.1 Read\na\n### 1.2 Refuse\nb\n"
DESIGN = "# Design\n### C1: Store\nc\n### C2: Gate\nd\n### I1: check\ne\n"


def why(prompt: Prompt) -> str:
    """The references in the example that an author of tasks is shown."""
    found = re.search(r"^\*\*Why:\*\* (.+)$", prompt.named("role"), re.M)
    assert found is not None
    return found[1]


def scoped(references: str) -> tuple[str, str, tuple[str, ...]]:
    (task,) = literal_tasks(f"### Task 1.2: Refuse\n**Why:** {references}\n")
    found = literal_scope(task, PLAN, DESIGN)
    assert found is not None
    return found


def test_the_example_for_authors_of_tasks_is_one_that_the_literal_rules_read(
    rendered: dict[str, Prompt],
) -> None:
    """D2: an author who obeys gets implementers the sections that were meant."""
    told = rendered["tasks-author-create-tasks-1-reference-seed"]
    assert scoped(why(told)) == ("### 1.2 Refuse\nb\n", "### C2: Gate\nd\n### I1: check\ne\n", ())
    assert "makes it send whole documents" not in told.text
    ours = rendered["tasks-author-create-tasks-1-compose-nested"]
    assert all(line in ours.text for line in words("blocks", "references").splitlines())


READ = "by the original's rules, task 1.2"


@pytest.mark.parametrize(
    ("references", "warnings"),
    [
        (
            "Plan 1.2; Design C2",
            (f"{READ} names no part of design.md and is sent none of it",),
        ),
        (
            "Plan 1.2, Design C9, the limit",
            ("task 1.2: 'the limit' is not a reference", "task 1.2: design.md has no section C9"),
        ),
        (
            "because",
            (
                "task 1.2: 'because' is not a reference",
                f"{READ} names no part of plan.md",
                f"{READ} names no part of design.md",
            ),
        ),
    ],
)
def test_what_the_literal_rules_do_not_find_is_told(
    references: str, warnings: tuple[str, ...]
) -> None:
    """D2: a reference that leads nowhere, a document sent whole, and one that is not sent."""
    assert scoped(references)[2] == warnings


def test_the_warnings_of_a_task_reach_its_dispatch(sample: Sample) -> None:
    """D2: as they do under the other policies."""
    job = ("implementer", "implement", Turn.IMPLEMENT)
    brief = gather(seeded(sample).source(*job, task="2"))
    assert "by the original's rules, task 2 names no part of design.md" in brief.warnings


def test_a_document_is_called_by_what_is_sent_of_it(rendered: dict[str, Prompt]) -> None:
    """D1: the whole plan is `plan.md`; the turn says when it is whole."""
    for order, name in (("seed", "plan.md"), ("nested", "plan.md, for this task")):
        prompt = rendered[f"implementer-implement-task-compose-{order}"]
        assert f'name="{name}"' in prompt.named("plan")
        assert "or the whole document where no such section was found" in prompt.named("turn")


def test_every_field_of_a_reviewer_s_form_is_explained(rendered: dict[str, Prompt]) -> None:
    """B5: the form holds what the words ask this role for, and a choice is not shown as text."""
    found = [p for n, p in rendered.items() if "-reviewer-" in n and n.endswith("reference-seed")]
    assert len(found) > 15
    for prompt in found:
        form = re.search(r"The object's form: (.+)", prompt.text)
        assert form is not None
        assert '"approved":true|false,' in form[1]
        named = set(re.findall(r'"(\w+)":', form[1]))
        said = prompt.text.replace(form[0], "")
        assert {name for name in named if f"`{name}`" not in said} == set(), prompt.name
        levels = prompt.case.role == "implementation-reviewer"
        assert ("levels" in named) == ("level" in named) == ("evidence" in named) == levels


def test_reviewers_of_code_get_the_list_of_files_once(sample: Sample) -> None:
    """B1: the original has no sheet of what the program saw."""
    for chosen, told in ((sample, 1), (seeded(sample), 0)):
        source = chosen.source("implementation-reviewer", "implement", Turn.REVIEW)
        facts = chosen.around.folder.keep("## Changed files\n- src/gate.py (+1 -1)\n")
        brief = gather(replace(source, job=replace(source.job, facts=facts)))
        for way in (Way.REFERENCE, Way.RESUME):
            text = "".join(one.text for one in compose(brief, way, Order.SEED).segments)
            assert text.count("## Changed files") == told


def test_an_author_s_second_turn_has_its_heading(sample: Sample) -> None:
    """B1: whether its session goes on or begins."""
    job = ("spec-author", "specify", Turn.REVISE)
    brief = gather(seeded(sample).source(*job, iteration=2, seen=1, settles=True))
    for way in (Way.REFERENCE, Way.RESUME):
        segments = compose(brief, way, Order.SEED).segments
        (told,) = [one.text for one in segments if one.name == "findings"]
        assert told.startswith("## Issues to Fix\n<document ")


def test_who_judges_its_own_work_is_not_told_that_it_did_not_build_it(sample: Sample) -> None:
    """F6: in the builder's session, where the original has it; with the form and the files."""
    job = ("judge", "code_review", Turn.JUDGE)
    brief = gather(seeded(sample).source(*job, flow="L3", seen=1))
    text = "".join(one.text for one in compose(brief, Way.RESUME, Order.SEED).segments)
    assert "did not build this" not in text
    assert "You built what is judged in this stage." in text
    assert text.count("# Your role: judge\n") == 1
    assert 'The object\'s form: {"approved":true|false,' in text
    assert "files_read" not in text, "it is told of no file that it must confirm"
    assert "## Implementation Files\n" in text
    assert "src/gate.py (+" in text


@pytest.mark.parametrize(
    ("role", "turn", "heading"),
    [
        ("builder", Turn.REDO, "## plan.md as it stands\n"),
        ("judge", Turn.REVIEW, "## plan.md under review\n"),
    ],
)
def test_only_who_judges_a_document_has_it_under_review(
    sample: Sample, role: str, turn: Turn, heading: str
) -> None:
    """B1: who changes it has it as it stands."""
    brief = gather(sample.source(role, "plan", turn, flow="L1", feedback="fixes"))
    (plan,) = [one.text for one in compose(brief, Way.COMPOSE, Order.SEED).segments
               if one.name == "plan"]  # fmt: skip
    assert plan.startswith(heading)
