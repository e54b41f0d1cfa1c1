"""The tolerant task parser. Covers: D2, D1."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.tasks import parse_tasks
from sparing.errors import FeatureError
from sparing.task import Task, ready


def numbers(text: str) -> list[str]:
    return [task.number for task in parse_tasks(text)]


def only(text: str) -> Task:
    (task,) = parse_tasks(text)
    return task


@pytest.mark.parametrize(
    ("heading", "number", "title"),
    [
        ("#### Task 1.1: Add a table", "1.1", "Add a table"),
        ("### Task 1.1 Add a table", "1.1", "Add a table"),
        ("## Task 1: Add a table", "1", "Add a table"),
        ("##### Task 2.3 - Add a table", "2.3", "Add a table"),
        ("### Task 1.1a: Add a table", "1.1a", "Add a table"),
        ("### Task 3b.1: Add a table", "3b.1", "Add a table"),
        ("### Task A.2: Add a table", "A.2", "Add a table"),
        ("### Task V1: Add a table", "V1", "Add a table"),
        ("### Task Final.1", "Final.1", ""),
        ("### Task #4 — Add a table", "4", "Add a table"),
        ("### T1.1: Add a table", "T1.1", "Add a table"),
        ("## T7 — Add a table", "T7", "Add a table"),
        ("### 1.1 Add a table", "1.1", "Add a table"),
        ("### 1.1. Add a table", "1.1", "Add a table"),
        ("## Step 2: Add a table", "2", "Add a table"),
        ("### 3. Add a table", "3", "Add a table"),
        ("### [x] Task 1.1: Add a table", "1.1", "Add a table"),
        ("### **Task 1.1: Add a table**", "1.1", "Add a table"),
        ("### ✅ Task 1.1: Add `__init__`", "1.1", "Add `__init__`"),
        ("Task 1.1: Add a table\n---------------------", "1.1", "Add a table"),
        ("- [ ] **1.1** Add a table", "1.1", "Add a table"),
        ("- [ ] T001 Add a table", "T001", "Add a table"),
        ("* [x] 1. Add a table", "1", "Add a table"),
        ("**Task 1.1: Add a table**", "1.1", "Add a table"),
        ("- [ ] Add a table", "1", "Add a table"),
    ],
)
def test_every_way_to_head_a_task(heading: str, number: str, title: str) -> None:
    """D2: headings of any level and shape, and lists where there are no headings."""
    task = only(f"# Tasks\n\n{heading}\n\nDo it.\n")
    assert (task.number, task.title, task.line) == (number, title, 3)
    assert task.body == f"{heading}\n\nDo it.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "# Tasks: 038 — Speed\n## Task List\n### Task 1.1: A\n## Task Summary\n",
            ["1.1"],
            id="titles with the word task",
        ),
        pytest.param(
            "## T1: Group\n### T1.1: A\n### T1.2: B\n## T2: Other\n### T2.1: C\n",
            ["T1.1", "T1.2", "T2.1"],
            id="groups with numbers of their own",
        ),
        pytest.param(
            "### 1.1 Group\n#### Task 1.1.1: A\n#### Task 1.1.2: B\n",
            ["1.1.1", "1.1.2"],
            id="weaker headings are groups",
        ),
        pytest.param(
            "## Task 1: A\n**Done when:** x\n### Task 1.1: B\n",
            ["1", "1.1"],
            id="a parent with fields is a task too",
        ),
        pytest.param(
            "### Task 1.1: A\n#### Task 1.2: B\n### Task 1.3: C\n",
            ["1.1", "1.2", "1.3"],
            id="a slip in the rank",
        ),
        pytest.param(
            "## Tasks\n### Task 1: A\n### Step 1: no\n#### 2. no\n### Task 2: B\n",
            ["1", "2"],
            id="steps among tasks",
        ),
        pytest.param(
            "## Shared\n### I1: Template\n## Tasks\n### T1: A\n### Q1-Q4: Gates\n",
            ["T1", "Q1-Q4"],
            id="a sibling with other letters",
        ),
        pytest.param(
            "## 1. Setup\n- [ ] 1.1 A\n- [ ] 1.2 B\n## 2. Rest\n- [ ] 2.1 C\n",
            ["1.1", "1.2", "2.1"],
            id="check boxes under numbered groups",
        ),
        pytest.param(
            "- [ ] 1. A\n- [ ] 2. B\n  - [ ] 2.1 C\n  - [ ] 2.2 D\n",
            ["1", "2.1", "2.2"],
            id="nested check boxes",
        ),
        pytest.param(
            "- [ ] Write it\n- [ ] Run it\n\n## Definition of Done\n- [ ] Green\n",
            ["1", "2"],
            id="check boxes without numbers",
        ),
        pytest.param("### Task 1: A\n### Task 1: B\n", ["1", "1 (2)"], id="one number twice"),
        pytest.param(
            "### Task 1: A\n```md\n### Task 9: no\n```sh\n# no\n```\n```\n### Task 2: B\n",
            ["1", "2"],
            id="nested fence",
        ),
    ],
)
def test_which_headings_are_tasks(text: str, expected: list[str]) -> None:
    """D2: groups, titles, steps and examples are none."""
    assert numbers(text) == expected


def test_a_comment_in_a_fence_does_not_cut_a_task() -> None:
    """D2: the whole body, with what stands behind the fence."""
    text = (
        "### Task 1: A\n```sh\n# install\n## twice\n```\n**Done when:** it runs\n\n### Task 2: B\n"
    )
    first, second = parse_tasks(text)
    assert first.body + second.body == text
    assert first.done_when == "it runs"


def test_no_tasks_is_an_error_that_shows_the_headings() -> None:
    """D2."""
    with pytest.raises(FeatureError) as caught:
        parse_tasks("# Work\n\n## Overview\n\nwords\n")
    assert "# Work; ## Overview" in caught.value.what
    assert "sparing edit FEATURE tasks" in caught.value.repair


def test_many_headings_are_not_all_shown() -> None:
    """D2."""
    with pytest.raises(FeatureError, match="and 188 more"):
        parse_tasks("## Heading\n" * 200)


FIELDS = """\
### Task 2: Parse
- **File(s)**: `src/a.py`, docs/b.md
- [ ] **Depends on:** Task 1 (needs 3)
- **Why:** Implements Plan Step 1.1 / Design C9
  and C10 | **Note:** none
- **Done when**: all tests
  pass
- Time: 5 min
"""


def test_fields_with_the_colon_in_or_out_of_the_bold() -> None:
    """D2: bullets, check boxes, continuation lines."""
    _, task = parse_tasks(f"### Task 1: First\n\n{FIELDS}")
    assert task.files == ("src/a.py", "docs/b.md")
    assert task.depends_on == ("1",)
    assert [f"{item.kind} {item.id}" for item in task.references] == [
        "plan Step 1.1",
        "design C9",
        "design C10",
    ]
    assert task.done_when == "all tests\n  pass"


@pytest.mark.parametrize(
    "field",
    [
        "**Done when:** it works",
        "- **DoD:** it works",
        "**Done:** it works",
        "**Acceptance Criteria:**\n\nit works",
        "### Done when\nit works\n\n---",
        "Done when: it works",
        "- [ ] **AC**: it works",
        "_Done when:_ it works",
    ],
)
def test_done_criteria_under_every_name(field: str) -> None:
    """D1, D2."""
    assert only(f"## Task 1: A\n\n{field}\n").done_when == "it works"


def test_done_criteria_as_a_list_or_a_fence() -> None:
    """D1: the block below the label, to its end."""
    text = "## Task 1: A\n**Done when:**\n\n- one\n\n- two\n  more\n\nOther words.\n"
    assert only(text).done_when == "- one\n- two\n  more"
    text = "## Task 1: A\n**DoD (all pass):**\n```sh\n\n# x\n```\n\n**Commit:** y\n"
    assert only(text).done_when == "```sh\n\n# x\n```"


def test_an_example_of_a_field_is_no_field() -> None:
    """D2: in fences and in code spans."""
    text = (
        "### Task 1: A\n- **Check:** finds `**Why:** Plan Step 9`\n```\n**Why:** Plan Step 8\n```\n"
    )
    assert only(text).references == ()


DEPENDENCIES = """\
## Phase 1: One
### Task 1.1: A
### Task 1.2a: B
### Task 1.2b: C
## Phase 2: Two
### Task 2.1: D
**Depends on:** {depends}
### Task 2.2: E
"""


@pytest.mark.parametrize(
    ("depends", "expected"),
    [
        ("Task 1.1, Task 1.2a", ("1.1", "1.2a")),
        ("Tasks 1.1 and T1.2b", ("1.1", "1.2b")),
        ("1.1-1.2b", ("1.1", "1.2a", "1.2b")),
        ("1.1 through 1.2a", ("1.1", "1.2a")),
        ("Phase 1 complete", ("1.1", "1.2a", "1.2b")),
        ("Task 2.2", ("2.2",)),
        ("Task 2.1 and AC-9 and 7.7", ()),
        ("none (but see 1.1)", ()),
        ("Nothing", ()),
        ("—", ()),
    ],
)
def test_dependencies_are_tasks_that_exist(depends: str, expected: tuple[str, ...]) -> None:
    """D1, D2."""
    tasks = {task.number: task for task in parse_tasks(DEPENDENCIES.format(depends=depends))}
    assert tasks["2.1"].depends_on == expected


def test_tasks_that_wait_for_each_other_keep_the_earlier_one() -> None:
    """D1: every task gets its turn."""
    tasks = parse_tasks(
        dedent("""\
        ### Task 1: A
        **Depends on:** 2
        ### Task 2: B
        **Depends on:** 1, 3
        ### Task 3: C
        """)
    )
    assert [task.depends_on for task in tasks] == [(), ("1", "3"), ()]
    assert [task.number for task in ready(tasks, frozenset())] == ["1", "3"]


def test_a_group_speaks_where_its_task_is_silent() -> None:
    """D2."""
    silent, own = parse_tasks(
        "## Phase 1: Store (Plan Steps 1-2 / Design C1)\n"
        "### Task 1: A\n### Task 2: B\n**Plan ref:** Step 4\n"
    )
    assert [f"{r.kind} {r.id}" for r in silent.references] == ["plan Step 1–2", "design C1"]
    assert [f"{r.kind} {r.id}" for r in own.references] == ["plan Step 4", "design C1"]
    assert silent.group == "Phase 1: Store (Plan Steps 1-2 / Design C1)"


LINES = st.sampled_from(
    ["## Phase 1", "### Task 1.1: A", "#### Task 1.2: B", "### T3", "text", "", "```", "```md"]
    + ["- [ ] 1.4 box", "**Depends on:** 1.1-1.2", "**Why:** Plan 1.1, Design C1", "# c", "---"]
)


@given(st.lists(LINES, max_size=40))
def test_bodies_are_exact_and_do_not_overlap(lines: list[str]) -> None:
    """D2: whatever the order of lines, and every task can be reached."""
    text = "\n".join(lines)
    try:
        tasks = parse_tasks(text)
    except FeatureError:
        return
    ends = [0]
    for task in tasks:
        start = sum(len(line) + 1 for line in text.split("\n")[: task.line - 1])
        assert start >= ends[-1]
        assert text[start : start + len(task.body)] == task.body
        ends.append(start + len(task.body))
    assert len({task.number for task in tasks}) == len(tasks)
    done: set[str] = set()
    while now := ready(tasks, frozenset(done)):
        done.update(task.number for task in now)
    assert len(done) == len(tasks)
