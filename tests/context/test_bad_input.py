"""Whatever a file holds, parsing it ends, and soon. Covers: D2, A3, C5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.artifact import ArtifactName
from sparing.context.documents import literal
from sparing.context.documents.scope import index_document, scope_prd, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import validate_artifact
from sparing.context.prompt.delta import change_delta
from sparing.errors import FeatureError


def parse_everything(text: str) -> int:
    """All parsers on one text; the number of tasks."""
    index = index_document(text)
    scope_prd(text)
    validate_artifact(ArtifactName.TASKS, text)
    literal.read_tasks(text)
    change_delta(text, {})
    try:
        tasks = parse_tasks(text)
    except FeatureError:
        return 0
    for task in tasks:
        scope_task(task, index, index)
    return len(tasks)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t\r\n", id="blank"),
        pytest.param("\x00\x01\ufffe\udcff" * 50, id="binary"),
        pytest.param("\ufeff" * 3, id="byte order marks"),
        pytest.param("```\n~~~\n```py\n", id="open fences"),
        pytest.param("<!--\n<!--\n", id="open comments"),
        pytest.param("---\n", id="open front matter"),
        pytest.param("> " * 2_000 + "deep", id="deep quotes"),
        pytest.param("".join("  " * n + "- a\n" for n in range(300)), id="deep lists"),
        pytest.param("(" * 5_000 + "Plan 1", id="brackets"),
        pytest.param("### Task 1: A\n**Why:** " + "(" * 3_000, id="brackets in a field"),
        pytest.param("### Task 1: \u202eA\u05d0 🚀\n**Why:** Plan \u0661.1", id="odd letters"),
        pytest.param("# \n## \n###\n", id="headings without text"),
        pytest.param("diff --git \n@@ -1 +1 @@\n", id="a broken diff"),
        pytest.param('diff --git "a/\\303 "b/\n--- "\n', id="broken names"),
        pytest.param("### Task 1: A\n**Depends on:** 1-999999\n", id="a range out of bounds"),
    ],
)
def test_odd_texts(text: str) -> None:
    """D2, A3, C5: no crash."""
    parse_everything(text)


@given(st.text(max_size=400))
def test_any_text(text: str) -> None:
    """D2, A3, C5: no crash."""
    parse_everything(text)
    parse_everything(f"### Task 1: {text}\n**Why:** {text}\n**Depends on:** {text}")


@pytest.mark.parametrize(
    "block",
    [
        "### Task {n}: Write it\n- **Why:** Plan Step {n}, {n}.1 / Design C{n}\n- **Done:** x\n",
        "## a{n}\n",
        "- [ ] {n}. Do\n  - Requires: {n}\n",
        "```sh\n# {n}\n",
        "**Why:** Plan Step {n}\n",
        "Plan " * 12 + "{n}\n",
        "[a{n}]: b\n",
        "<a b={n}\n",
        "**" * 20 + "\n",
    ],
)
def test_much_of_the_same(block: str) -> None:
    """D2: no crash, no hang; `bench.corpus` measures that time grows with length alone."""
    text = "# T\n" + "".join(block.replace("{n}", str(number)) for number in range(500))
    parse_everything(text)


def test_ten_thousand_headings() -> None:
    """D2."""
    with pytest.raises(FeatureError, match="and 9988 more"):
        parse_tasks("## Heading\n" * 10_000)


def test_ten_megabytes() -> None:
    """D2: long lines, much prose and code, one task at the end."""
    prose = "Words of a task, and a plan.\n\n" * 150_000
    code = "```sh\n# comment\n```\n" * 20_000
    line = "word " * 1_000_000
    (task,) = parse_tasks(f"{prose}{code}{line}\n\n### Task 1: Last\nDo it.\n")
    assert task.body == "### Task 1: Last\nDo it.\n"
