"""What the double's authors write: documents in the form our readers expect, code, reports.

The words mean nothing; headings, ids, fields and lengths are as in real features. `scale` is the
length of a document relative to their median.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from sparing.artifact import ArtifactName
from sparing.double.agent.workload import CHARS, OTHER_CHARS, TASKS
from sparing.double.verdicts import draw

_MARKER = re.compile(r"<{7} |={7}$|>{7} ")
_SECTIONS: dict[ArtifactName, tuple[str, ...]] = {
    ArtifactName.PRD: (
        "Problem Statement", "Goals", "Success Criteria", "Edge Cases", "Constraints",
        "Requirements", "Non-Goals", "Open Questions",
    ),
    ArtifactName.SPEC: (
        "Problem Statement", "Success Criteria", "Scope", "Acceptance Criteria", "Feasibility",
        "Dependencies", "Open Questions",
    ),
    ArtifactName.BRAINSTORM: (
        "Problem", "Success", "Constraints", "Options", "Recommendation", "Open Questions",
    ),
    ArtifactName.IMPLEMENTATION: (
        "Implemented", "Tested", "Files changed", "Self-review", "Decisions", "Deviations",
        "Concerns",
    ),
    ArtifactName.SUMMARY: (
        "What Changed", "Why", "How It Was Checked", "What to Know", "Left Undone",
    ),
    ArtifactName.RETRO: ("Observe", "Review", "Tune", "Lessons"),
}  # fmt: skip
_OTHER = ("Goal", "Approach", "Risks", "Done When")
_THINGS = ("reader", "writer", "queue", "record", "limit", "message", "index", "page", "result")
_ACTS = ("keeps", "returns", "checks", "orders", "names", "refuses", "repeats", "counts")
_WHEN = ("at once", "in order", "before it ends", "after a failure", "without waiting", "once")


def document(name: str, about: str, scale: float) -> str:
    """A document by its file name; `about` makes it another one for another feature."""
    kind = _artifact(name)
    chars = int(scale * (CHARS.get(kind, OTHER_CHARS) if kind else OTHER_CHARS))
    return long_document(name, about, chars, max(2, round(TASKS * scale)))


def long_document(name: str, about: str, chars: int, parts: int) -> str:
    """The same with about `chars` characters, for `parts` tasks."""
    kind = _artifact(name)
    match kind:
        case ArtifactName.DESIGN:
            heads = list(_design(parts))
        case ArtifactName.PLAN:
            heads = list(_plan(parts))
        case ArtifactName.TASKS:
            heads = list(_tasks(parts, about))
        case _:
            sections = _SECTIONS.get(kind, _OTHER) if kind else _OTHER
            heads = [f"## {head}" for head in sections]
    title = PurePosixPath(name).stem.replace("_", " ").capitalize()
    return f"# {title}: {about}\n\n" + _filled(heads, chars, about)


def code(path: str) -> str:
    """A small file of the kind its name says, with a test that holds."""
    stem = identifier(PurePosixPath(path).stem)
    if not path.endswith(".py"):
        return f"{stem}: written by the double.\n"
    if stem.startswith("test_"):
        return (
            "import unittest\n\n\n"
            f"class {stem.title().replace('_', '')}(unittest.TestCase):\n"
            "    def test_it_holds(self) -> None:\n"
            f'        self.assertEqual(len("{stem}"), {len(stem)})\n'
        )
    return f'def {stem}() -> str:\n    """What this part is called."""\n    return "{stem}"\n'


def remark(path: str, words: str) -> str:
    """A line that can be added at the end of such a file."""
    suffix = PurePosixPath(path).suffix
    if suffix == ".md":
        return f"\n{words}"
    return f"# {words}" if suffix in (".py", ".sh", ".toml", ".yml", ".yaml", "") else f"// {words}"


def report(files: Sequence[str]) -> str:
    """The report that ends an implementer's turn."""
    listed = "\n".join(files) or "none"
    return (
        "## Implemented\nWhat the task asks for.\n## Tested\nnone\n"
        f"## Files changed\n{listed}\n## Self-review\nnone\n"
        "## Decisions\nnone\n## Deviations\nnone\n## Concerns\nnone\n"
    )


def fix_report(findings: Sequence[str], place: str) -> str:
    rows = "".join(f"- `{one}`: changed — {place or 'where it stood'}\n" for one in findings)
    summary = f"Each of the {len(findings)} findings has its line now; look at the end of the file."
    return f"## Findings\n{rows}\n## Fix summary\n{summary}\n"


def both_sides(lines: Sequence[str]) -> tuple[str, str]:
    """A file's lines from its first conflict to its last, as they are and without markers."""
    ends = [n for n, line in enumerate(lines) if line.startswith(("<<<<<<< ", ">>>>>>> "))]
    part = lines[ends[0] : ends[-1] + 1] if ends else ()
    return "\n".join(part), "\n".join(line for line in part if not _MARKER.match(line))


def handoff(files: Sequence[str], stage: str) -> str:
    return (
        f"### HANDOFF\n- **Status**: completed\n- **Summary**: The {stage} stage is done.\n"
        "- **Key Decisions**: none\n- **Open Questions**: none\n"
        f"- **Files Modified**: {'; '.join(files) or 'none'}\n"
        "- **Next Stage Needs**: the stage's document\n- **Warnings**: none\n"
    )


def hand_over() -> str:
    """What a session that ends writes down: a map and a state, some 1,200 tokens."""
    described = {
        "## Codebase Map": (
            "Explored Tree", "Key Files", "Patterns", "Imports of Changed Files",
        ),
        "## Working State": ("Next Stage", "Open Questions", "Changed Files", "Warnings"),
    }  # fmt: skip
    return "\n".join(
        f"{layer}\n" + _filled([f"### {part}" for part in parts], 2_400, layer)
        for layer, parts in described.items()
    )


def _artifact(name: str) -> ArtifactName | None:
    return next((one for one in ArtifactName if one.filename == name), None)


def identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_").lower() or "part"


def _design(parts: int) -> Iterator[str]:
    yield from ("## Prior Art", "## Architecture", "## Components")
    yield from (f"### C{n}: {_THINGS[n % len(_THINGS)]}" for n in range(1, parts + 1))
    yield "## Interfaces"
    yield from (f"### I{n}: {_THINGS[n % len(_THINGS)]}()" for n in range(1, parts + 1))
    yield from (
        "## Technical Decisions",
        "### TD1: one place for it",
        "## Risks",
        "## Dependencies",
    )


def _plan(parts: int) -> Iterator[str]:
    yield from ("## Implementation Order", "### Phase 1: Build")
    for n in range(1, parts + 1):
        yield f"#### 1.{n}: part {n}\n- **Why:** Design C{n}, I{n}\n- **Verification:** its test"
    yield from ("## Risks", "## Testing", "## Definition of Done")


def _tasks(parts: int, about: str) -> Iterator[str]:
    folder = identifier(about)
    yield "## Phase 1: Build"
    for n in range(1, parts + 1):
        yield (
            f"### Task 1.{n}: Build part {n}\n"
            f"**Why:** Plan 1.{n}; Design C{n}, I{n}\n"
            f"**Depends on:** {f'1.{n - 1}' if n > 1 else 'none'}\n"
            f"**Files:** {folder}/part_{n}.py (new), tests/test_{folder}_{n}.py (new)\n"
            f"**Do:** Write part {n} as its interface says.\n"
            "**Test:** It holds what it promises.\n"
            "**Done when:** the test passes."
        )


def _filled(heads: Sequence[str], chars: int, about: str) -> str:
    """Headings with as much text below each as the length asks for."""
    room = max(120, (chars - sum(map(len, heads))) // len(heads))
    return "\n".join(f"{head}\n{prose(room, about, n)}" for n, head in enumerate(heads))


def prose(chars: int, *about: object) -> str:
    said, number = "", 0
    while len(said) < chars:
        words = (_pick(_THINGS, *about, number, 1), _pick(_ACTS, *about, number))
        said += f"The {words[0]} {words[1]} the {_pick(_THINGS, *about, number, 2)} "
        said += f"{_pick(_WHEN, *about, number, 3)}.\n"
        number += 1
    return said


def _pick(words: Sequence[str], *about: object) -> str:
    return words[int(draw(*about) * len(words))]
