"""A small bank in the forms that people and programs have written."""

from __future__ import annotations

from sparing.knowledge.page import FILES, EntryKind, Page, read_page

ANTI_PATTERNS = """# Anti-Patterns

Things to avoid.

---

## Known

### Anti-Pattern: Line numbers in tasks
Lines move as soon as the first task is done.
- Observed in: Feature #018
- Cost: two rounds
  - and a third in the next feature
- Last observed: Feature #025
- Observation count: 3

### Retrying a broken cache
- **Observed in**: Feature 004-cache, implement
- **Last observed:** Feature 004-cache

```markdown
### not an entry
```

<!-- ### nor this -->

---

Written by hand, without an entry.
"""
HEURISTICS = """## Decision Heuristics

### Small files first
Read the small files before the large ones.
- Source: Feature #002
- Confidence: high
- Last observed: 2026-02-22
- Observation count: 1
"""
TEXTS = {
    EntryKind.PATTERN: "",
    EntryKind.ANTI_PATTERN: ANTI_PATTERNS,
    EntryKind.HEURISTIC: HEURISTICS,
    EntryKind.PRINCIPLE: "",
}


def bank() -> dict[EntryKind, Page]:
    return {kind: read_page(kind, TEXTS[kind]) for kind in FILES.values()}
