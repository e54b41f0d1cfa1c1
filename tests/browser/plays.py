"""What the scripted agents of the browser's tests say beyond the demo's own script."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

from sparing.workspace.project.new_repository import create_repository

ANSWER, REMARK, WISH = "sort ties by the word", "say which way wins", "which alphabet is meant?"

_PASSES = '{"approved": true, "findings": [], "summary": "As it should be. No external claims."}'
MORE = f'''
[[turn]]
role = "builder"
stage = "brainstorm"
prompt = "{REMARK}"
reply = """It says so now.

## Findings
- `C1`: changed — the second way wins, and it says why

### HANDOFF
- **Status**: completed
"""
[[turn.edit]]
path = "{{folder}}/brainstorm.md"
find = "Taken."
replace = "It wins, since one order holds everywhere."

[[turn]]
role = "builder"
stage = "brainstorm"
prompt = "{ANSWER}"
reply = "Ties are settled.\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "{{folder}}/brainstorm.md"
find = "Not said yet."
replace = "Sorted by the word."

[[turn]]
role = "builder"
stage = "brainstorm"
reply = """Two ways are worth comparing.

## Handoff
- **Status**: completed
- **Summary**: two ways, one open point
- **Open questions**: How are ties to be ordered?
"""
[[turn.edit]]
path = "{{folder}}/brainstorm.md"
text = """# Brainstorm: the most frequent words

## Wish
wordtally counts words but does not say which ones dominate.

## Approaches
1. `Counter.most_common`: shortest, but ties follow the order of the text.
2. A sort by count and word: two lines. Taken.

| way | lines |
|---|---|
| most_common | 1 |
| sort | 2 |

## Ties
Not said yet.
"""

[[turn]]
role = "spec-author"
stage = "specify"
prompt = "{WISH}"
reply = """It names the alphabet.

## Findings
- `C1`: changed — by code point, whatever the alphabet
"""
[[turn.edit]]
path = "{{folder}}/spec.md"
find = "come in alphabetical order"
replace = "come in the order of their code points"

[[turn]]
role = "spec-reviewer"
stage = "specify"
prompt = "code points"
reply = '{_PASSES}'
'''


def sample(folder: Path) -> Path:
    """The demo's project, as its own repository."""
    text = (files("sparing.cli") / "sample" / "project.toml").read_text("utf-8")
    project = tomllib.loads(text)["files"]
    return create_repository(folder / "wordtally", project, "a sample", 1_767_225_600.0).checkout


def script(*, held: str = "") -> str:
    """The demo's script with what is said above before it; the first turn of `held` never ends."""
    text = (files("sparing.cli") / "sample" / "script.toml").read_text("utf-8")
    head, first, rest = text.partition("[[turn]]")
    whole = f"{head}{MORE}\n{first}{rest}"
    if not held:
        return whole
    line = f'role = "{held}"\n'
    assert line in whole
    return whole.replace(line, f"{line}delay_seconds = 3600\n", 1)
