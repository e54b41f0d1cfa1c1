"""How the processor time to parse tasks and extract sections grows with the length of the text.

No text is read twice: a short one is kept, and a second reading would only measure that.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from sparing.context.documents.scope import index_document, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.errors import FeatureError

Json = dict[str, Any]
WORKLOADS = {
    "tasks": "### Task {n}: Write the parser\n\n- **Why:** Plan Step {n} / Design C{n}\n"
    "- **Files:** `src/a.py`\n- **Depends on:** {n}\n\n```python\n# no heading\n```\n\n"
    "- **Done when:** the tests pass\n\n",
    "headings": "## Heading {n}\n",
    "prose": "Plain words that say nothing of a task, {n} times over, on two lines\nor more.\n\n",
    "open fences": "```python\n# comment {n}\n",
    "nested lists": "- a\n  - b\n    - c {n}\n      - d\n        - e\n\n",
    "quotes": "> > > quoted {n}\n> lazy\n",
    "check boxes": "- [ ] {n}. Do it\n  - Depends on: {n}\n",
}
_MOST = 150
"""How many times as long a hundred times as much text may take."""


def parsing_time() -> Json:
    """Parsing a hundred times as much text may take a hundred and fifty times as long."""
    table: Json = {}
    for name, block in WORKLOADS.items():
        small = min(_seconds(block, 10_000, run) for run in range(5))
        big = _seconds(block, 1_000_000, 0)
        if big > _MOST * small:  # one run against the best of five: another process may be in it
            big = min(big, _seconds(block, 1_000_000, 1))
        table[name] = {
            "10_kb_seconds": round(small, 4),
            "1_mb_seconds": round(big, 3),
            "ratio": round(big / small, 1),
            "linear": big <= _MOST * small,
        }
    return table


def _seconds(block: str, size: int, run: int) -> float:
    text = f"# Tasks\n\n## Phase 1: Run {run}\n\n" + "".join(
        block.replace("{n}", str(n)) for n in range(1, size // len(block))
    )
    start = time.process_time()
    index = index_document(text)
    with contextlib.suppress(FeatureError):
        for task in parse_tasks(text):
            scope_task(task, index, index)
    return time.process_time() - start
