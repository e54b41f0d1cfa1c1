"""The last look at code, in whole runs: only who has not seen what stands there is asked.

Covers: C7, C9
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sparing.flow.flows import FEATURE
from tests.engine.built import SATISFIED, build, task, turn

FIRST, *OTHERS = FEATURE.stage("implement").reviewers[0]
REJECTS = f'''
[[turn]]
role = "{FIRST}"
iteration = 1
reply = """{{"approved": false, "findings": [{{"severity": "blocker", "location": "one.txt",
 "text": "One line is not enough.", "quote": "1"}}]}}"""
'''
REASON = """
[[turn]]
role = "implementer"
prompt = "One line is not enough."
reply = "## Findings\\n- `F1`: answered — the plan wants one line.\\n"
"""
CHANGE = """
[[turn]]
role = "implementer"
prompt = "One line is not enough."
reply = "## Findings\\n- `F1`: changed — two lines now.\\n"
[[turn.edit]]
path = "one.txt"
text = "1\\n2\\n"
"""


@pytest.mark.parametrize(("answer", "looks"), [(REASON, 1), (CHANGE, 2)])
def test_who_passed_looks_again_only_at_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, looks: int
) -> None:
    """C7: a blocker that is answered by reasons changes nothing for the others."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    script = REJECTS + answer + turn("1", {"one.txt": "1"}) + SATISFIED
    built = build(tmp_path, task("1", "One", "one.txt"), script, {})
    said = built.sparing("run")
    asked = Counter(
        one.role for one in built.told() if one.kind == "asks" and one.stage == "implement"
    )
    assert asked == {"implementer": 2, FIRST: 2, **dict.fromkeys(OTHERS, looks)}, said.err
