"""Reading a document takes effort in proportion to its length. Covers: D2.

Operations are counted, not seconds: calls of functions, Python's and C's, while a text and one
sixteen times as long are read.
"""

from __future__ import annotations

import contextlib
import sys
from types import FrameType

import pytest

from bench.corpus_time import WORKLOADS
from sparing.artifact import ArtifactName
from sparing.context.documents.scope import index_document, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import validate_artifact
from sparing.errors import FeatureError

TIMES = 16
FORMS = {
    **WORKLOADS,
    "table": "| T{n} | Write it | `src/a.py` | T{n} |\n",
    "numbered": "{n}. Write it\n   - Files: `a.py`\n",
    "elements": "<task>\n<name>Task {n}: x</name>\n<a>\n</task>\n",
    "open elements": "<task>\n<name>\n<a>\n",
    "definitions": "A{n}\n: Title\n: Files: `a.py`\n\n",
    "bold": "**AB-{n} — Title** (depends on AB-{n}, AB-{n})\n\nWords.\n\n",
    "worded": "## Aufgabe {n}: Titel\n\n**Dateien:** `a.py`\n\n",
    "counted": "**{n}. Title**\nWords.\n({n}) More\n",
    "arrows": "```mermaid\nA{n} --> A{n}\n```\n",
}


def calls(block: str, count: int) -> int:
    """How many calls it takes to check, read and scope so many blocks."""
    made = 0

    def count_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    head = "# Tasks\n\n" + (
        "| ID | Task | Files | Depends |\n|---|---|---|---|\n" if "|" in block else ""
    )
    text = head + "".join(block.replace("{n}", str(n)) for n in range(100, 100 + count))
    sys.setprofile(count_call)
    try:
        index = index_document(text)
        validate_artifact(ArtifactName.TASKS, text)
        with contextlib.suppress(FeatureError):
            for task in parse_tasks(text):
                scope_task(task, index, index)
    finally:
        sys.setprofile(None)
    return made


@pytest.mark.parametrize("form", FORMS)
def test_sixteen_times_the_text_takes_sixteen_times_the_calls(form: str) -> None:
    """D2: `quotes` and `headings` too."""
    few, many = (calls(FORMS[form], count) for count in (25, 25 * TIMES))
    assert few > 500
    assert many <= 1.1 * TIMES * few
