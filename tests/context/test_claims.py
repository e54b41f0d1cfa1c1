"""Claims of a PRD and the marks of what they rest on. Covers: A1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.claims import unmarked_claims

PRD = """# PRD: Payments

## Problem Statement
Clerks type payments twice, about forty times a day. — Evidence: the log of May

Nobody has counted how often it goes wrong.

## Goals
1. Each payment is typed once.

## Constraints
- Standard library only. — Evidence: AGENTS.md
- The ledger stays where it is,
  for a year at least. -- **Assumption:** nobody moves it; if so, the import changes
- Auditors read the old format.

```
- not a claim
```

## Research Summary
None.

| a table | is no claim |

## Open Questions
- Who pays? Nobody knows.
"""


def test_what_has_no_mark_is_named() -> None:
    """A1: evidence or assumption; goals and questions need neither."""
    assert unmarked_claims(PRD) == (
        "Nobody has counted how often it goes wrong.",
        "Auditors read the old format.",
    )


@pytest.mark.parametrize("mark", ["— Evidence: a file", "– assumption: it holds", "- Evidence: x"])
def test_marks_are_read_as_people_type_them(mark: str) -> None:
    assert unmarked_claims(f"## Problem\nIt is slow {mark}\n") == ()
    assert unmarked_claims("## Problem\nIt is slow, evidence aside\n") != ()


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    for claim in unmarked_claims(f"## Problem\n{text}"):
        assert claim.strip()
