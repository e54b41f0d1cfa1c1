"""Identifiers of tasks that hold a letter behind a dash or a number below a letter. Covers: D2"""

from __future__ import annotations

from sparing.context.documents.ids import ident, lead
from sparing.context.documents.tasks import parse_tasks

WAVES = """# Execution plan

## Wave 1

- **W1-A** Latch table
- **W1-B** Page format

## Wave 2

- **W2-A** Descent
  - Depends on: W1-A, W1-B
"""
PACKAGES = """# Work packages

## WP1 — Ingest

### WP1.1 Reader for the protocol

Files: `ingest/reader.c`

- [ ] header
- [ ] body

### WP1.2 Ring buffer

Files: `ingest/ring.c`
Predecessors: WP1.1

## WP2 — Storage

### WP2.1 Block format

Files: `store/block.c`
Predecessors: WP1.2
"""
GROUPS = """# Task Breakdown

#### Task Group 1: Model
**Dependencies:** None

- [ ] 1.0 Complete the model
  - [ ] 1.1 Write tests
  - [ ] 1.2 Create the table

#### Task Group 2: Endpoints
**Dependencies:** Task Group 1

- [ ] 2.0 Complete the endpoints
  - [ ] 2.1 Write tests
"""


def read(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.number, one.title, one.depends_on) for one in parse_tasks(text)]


def test_a_wave_and_a_letter() -> None:
    """D2"""
    assert read(WAVES) == [
        ("W1-A", "Latch table", ()),
        ("W1-B", "Page format", ()),
        ("W2-A", "Descent", ("W1-A", "W1-B")),
    ]


def test_work_packages_are_their_parts() -> None:
    """D2: what only holds packages is a group, and boxes are steps."""
    assert read(PACKAGES) == [
        ("WP1.1", "Reader for the protocol", ()),
        ("WP1.2", "Ring buffer", ("WP1.1",)),
        ("WP2.1", "Block format", ("WP1.2",)),
    ]


def test_a_task_group_is_one_task_with_its_steps() -> None:
    """D2: `1.0` sums it up, and the boxes below are what its implementer does."""
    assert [(number, title) for number, title, _ in read(GROUPS)] == [
        ("1", "Model"), ("2", "Endpoints"),
    ]  # fmt: skip
    assert "1.2 Create the table" in parse_tasks(GROUPS)[0].body


def test_a_letter_behind_a_dash_is_no_word() -> None:
    """D2: `H2-Air mix` is about air."""
    found = lead("W1-A — Latch table")
    assert found is not None
    assert (found.text, found.title) == ("W1-A", "Latch table")
    assert ident("", "W1-A").parent == ident("", "W1")
    assert lead("H2-Air mix: measure") is None
