"""Task documents in the styles of many tools, written before the parser had seen them. Covers: D2.

Each batch was labelled and scored once before anything was changed: of the first 120 of 157 tasks
were found, of the second 66 of 86, of the third 37 of 41. The fourth and the fifth are
written in the styles of public task lists: 49 of 83 and 60 of 77 at first; of the fifth, kept
aside while the parser was changed for the fourth, 63 of 77 after that. Their expected tasks were
taken from the parser afterwards and compared with the labels. Where a label and a rule
that was already fixed disagreed, the label was changed: a parent `1.0` is the task and what is
below it are its steps, a path or note behind a title belongs to it, a numbered heading counts
before a box without a number, what is below "later" is not meant now, and bullets below a day are
its tasks. `@@@ NAME` begins a document, and `=== expected` its tasks.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import blocking, validate_artifact

FOLDER = Path(__file__).parent / "task_batches"


def documents() -> dict[str, tuple[str, list[str]]]:
    found: dict[str, tuple[str, list[str]]] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"(?m)^@@@ ", path.read_text("utf-8"))[1:]:
            name, _, rest = part.partition("\n")
            text, _, expected = rest.partition("=== expected\n")
            found[name] = (text, expected.strip().splitlines())
    return found


DOCUMENTS = documents()


def test_the_batches_are_large_enough_to_mean_something() -> None:
    """D2"""
    assert len(DOCUMENTS) >= 90
    assert sum(len(expected) for _, expected in DOCUMENTS.values()) >= 380


@pytest.mark.parametrize("name", DOCUMENTS)
def test_tasks_are_read_as_a_person_reads_them(name: str) -> None:
    """D2: all of them, nothing else, and the author is not asked about a line that is no task."""
    text, expected = DOCUMENTS[name]
    assert [f"{task.number} | {task.title}" for task in parse_tasks(text)] == expected
    assert not blocking(validate_artifact(ArtifactName.TASKS, text), strict=False)
