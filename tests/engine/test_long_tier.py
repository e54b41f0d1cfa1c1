"""A small feature from a proposed tier through questions, rules and a rerun, in processes.

Covers: A2, A6, C12, F5, F9
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conftest import UserRepository
from tests.engine.small import SCRIPT
from tests.repositories import git
from tests.terminal import Said, sparing

# A session that goes on is told so in these words; a fresh one would ask again.
ASKS = '''
[[turn]]
role = "builder"
stage = "plan"
prompt = "# This turn: plan, questions answered"
reply = """### HANDOFF
- **Status**: completed
- **Summary**: Planned as answered.
- **Open Questions**: Which name?
"""
[[turn.edit]]
path = "{folder}/plan.md"
text = """# Plan

## Steps
1. Write made.txt.
2. Look at it.

## Done when
It is there, with one line in it, and every check is as green as before.
"""

[[turn]]
role = "builder"
stage = "plan"
reply = """### HANDOFF
- **Status**: completed
- **Summary**: I can't know the name.
- **Open Questions**: Which name?
"""
'''
BRANCH = "feature/001-fix-a-typo-and-log-message"
KEPT = "refs/sparing/salvage/feature-001-fix-a-typo-and-log-message-g0"


def feature(said: Said, code: int) -> dict[str, Any]:
    assert said.code == code, said.err
    return said.json["features"][0]


def test_a_tier_with_questions_rules_and_a_rerun(
    tmp_path: Path, user_repository: UserRepository
) -> None:
    """The proposal is taken headless; a question pauses; its answer reaches the same session; gates
    pass by rule; a finished feature's stage is done once more, and nothing of before is lost."""
    path = user_repository()
    script = tmp_path / "script.toml"
    script.write_text(ASKS + SCRIPT)
    environ = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(script)}

    title = "Fix a typo and log message"
    begun = sparing(path, "start", title, "--tier", "auto", "--json", environ=environ)
    assert begun.json["flow"] == "L1"

    asked = feature(sparing(path, "run", "--auto", "--json", environ=environ), 2)
    assert (asked["stage"], asked["cause"]) == ("plan", "questions")
    assert asked["questions"] == ["Which name?"]

    assert sparing(path, "answer", "1", "made.txt", "--json").json["left"] == []
    done = feature(sparing(path, "run", "--auto", "--json", environ=environ), 0)
    assert done["status"] == "completed"
    notes = {one["stage"]: one for one in sparing(path, "show", "1", "--json").json["notes"]}
    assert notes["plan"]["passed"] == "it has no reviewer; nothing is asked"
    assert notes["plan"]["handoff"]["summary"] == "Planned as answered."

    before, tree = git(path, "rev-parse", BRANCH), git(path, "rev-parse", f"{BRANCH}:made.txt")
    assert sparing(path, "rerun", "1", "implement", "--yes", "--json").json["kept"] == KEPT
    again = feature(sparing(path, "run", "1", "--auto", "--json", environ=environ), 0)
    assert again["status"] == "completed"
    after = git(path, "rev-parse", BRANCH)
    assert git(path, "rev-parse", KEPT) == before != after
    assert git(path, "rev-parse", f"{BRANCH}:made.txt") == tree
    base = git(path, "merge-base", before, after)
    assert git(path, "log", "-1", "--format=%s", base) == "Complete the plan stage (001)"
