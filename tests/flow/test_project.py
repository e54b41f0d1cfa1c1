"""Projects: a proposal is checked, ordered and drawn. Covers: A8."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.project import (
    Planned,
    ProjectStanding,
    circle,
    in_order,
    read_project,
    roadmap,
    standings,
)

PROPOSAL: dict[str, Any] = {
    "modules": [
        {
            "name": "Payments",
            "features": [
                {"name": "Correct a payment", "depends_on": ["record a  payment"]},
                {"name": "Record a payment", "description": "The thinnest\nway through"},
                {"name": "record-a-payment"},
                {"name": 7},
            ],
        },
        {
            "name": "Reports",
            "features": [
                {"name": "Monthly statement", "depends_on": ["Nothing", "Monthly statement"]}
            ],
        },
    ],
    "milestones": [
        {"name": "First money", "features": ["Record a payment", "x"], "shows": "a paid bill"},
        {"name": "Empty", "features": ["x"]},
    ],
    "cross_cutting": ["audit", 3, "```\n# Forged"],
}


def test_a_proposal_is_taken_as_far_as_it_makes_sense() -> None:
    project = read_project(PROPOSAL)
    assert [(one.name, one.depends_on, one.module) for one in project.features] == [
        ("Correct a payment", ("Record a payment",), "Payments"),
        ("Record a payment", (), "Payments"),
        ("Monthly statement", (), "Reports"),
    ]
    assert project.faults == (
        "'record-a-payment' is listed twice: the first one counts",
        "a feature without a name",
        "'Monthly statement' waits for 'Nothing', which is not in the list",
        "'Monthly statement' waits for itself",
    )
    assert read_project({"modules": 3, "features": {}}).features == ()


def test_a_feature_waits_for_what_it_depends_on() -> None:
    features = read_project(PROPOSAL).features
    assert [one.name[:7] for one in in_order(features)] == ["Record ", "Correct", "Monthly"]
    now = standings(features, frozenset(), frozenset({"Monthly statement"}))
    assert list(now.values()) == [
        ProjectStanding.WAITING,
        ProjectStanding.READY,
        ProjectStanding.WORKING,
    ]
    then = standings(features, frozenset({"Record a payment"}), frozenset())
    assert then["Correct a payment"] is ProjectStanding.READY


def test_the_roadmap() -> None:
    project = read_project(PROPOSAL)
    folders = {
        "Record a payment": "012-record-a-payment",
        "Correct a payment": "013-correct-a-payment",
        "Monthly statement": "014-monthly-statement",
    }
    assert (
        roadmap("Payments", project, folders)
        == """# Roadmap: Payments

<!-- Arrow: prerequisite (A before B) -->

## Dependency Graph

```mermaid
graph TD
  F012[012-record-a-payment]
  F012[012-record-a-payment] --> F013[013-correct-a-payment]
  F014[014-monthly-statement]
```

## Execution Order

1. **012-record-a-payment** — The thinnest way through (depends on: none)
2. **013-correct-a-payment** — Correct a payment (depends on: 012-record-a-payment)
3. **014-monthly-statement** — Monthly statement (depends on: none)

## Milestones

### M1: First money
- 012-record-a-payment

*At its end:* a paid bill

### M2: Further features
- 013-correct-a-payment
- 014-monthly-statement

## Cross-Cutting Concerns

- audit
- ''' # Forged
"""
    )


def test_a_circle_is_shown() -> None:
    a, b = Planned("a", depends_on=("b",)), Planned("b", depends_on=("a",))
    behind, free = Planned("c", depends_on=("a",)), Planned("d")
    assert circle((behind, a, b, free)) == ("a", "b", "a")
    assert in_order((behind, a, b, free)) == (free,)
    assert circle((free,)) == ()


@given(st.lists(st.sets(st.integers(0, 6)), max_size=7))
def test_every_graph_has_an_order_or_a_circle(drawn: list[set[int]]) -> None:
    size = len(drawn)
    features = tuple(
        Planned(str(n), depends_on=tuple(str(m) for m in waits if m < size and m != n))
        for n, waits in enumerate(drawn)
    )
    ordered = in_order(features)
    assert (len(ordered) == size) == (circle(features) == ())
    for place, one in enumerate(ordered):
        assert {other.name for other in ordered[:place]} >= set(one.depends_on)
