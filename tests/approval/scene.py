"""A feature whose documents name each other's sections, at a gate of its code, with its agents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sparing.desk.gates import answers
from sparing.desk.office import open_office
from tests.engine.built import BEGAN, SATISFIED, Built, task, turn
from tests.repositories import make_repository
from tests.terminal import Said

PRD = """# PRD

## Problem Statement
Nobody counts words here, so nobody knows which are used most.

## Goals
Count all words of a text and sort them.
"""
SPEC = """# Spec

## Requirements
- **FR-1**: Words are counted.
- **FR-2**: Words are sorted by name.

## Acceptance Criteria
- Both files are there, with what the requirements ask for.
"""
DESIGN = """# Design

## C1: Counter
Does FR-1 in one pass over the text, and keeps a number for each word that it has met.

## C2: Sorter
Does FR-2 after the counter is done, with what the counter has found and nothing else.
"""
PLAN = """# Plan

## Step 1: Count
Build C1 in count.txt before anything else, since the sorter needs what it finds.

## Step 2: Sort
Build C2 in sort.txt on top of the first step.
"""
TASKS = "# Tasks\n\n" + (
    task("1", "Write the counter", "count.txt").rstrip()
    + "\n- **Source**: Plan Step 1 / Design C1\n\n"
    + task("2", "Write the sorter", "sort.txt").rstrip()
    + "\n- **Source**: Plan Step 2 / Design C2\n\n"
)
WANTED = "FR-2 sorts by count"
NEW_REQUIREMENT = "Words are sorted by count."
GATES = "specify,implement"


def author(role: str, file: str, text: str = "", change: tuple[str, str] | None = None) -> str:
    """What an author writes at first, and what it changes when a change is followed."""
    path = f"{{folder}}/{file}"
    second = ""
    if change is not None:
        find, new = change
        second = f"[[turn.edit]]\npath = \"{path}\"\nfind = '''{find}'''\nreplace = '''{new}'''\n"
    return f"""
[[turn]]
role = "{role}"
prompt = ", a change"
reply = "Up to date."
{second}
[[turn]]
role = "{role}"
reply = "Written."
[[turn.edit]]
path = "{path}"
text = '''{text}'''
"""


SORTER = ("with what the counter has found", "by count, with what the counter has found")
STEP = ("on top of the first step", "on top of the first step, by count")
TASK = ("Write the sorter\n", "Write the sorter\n\nBy count.\n\n")
REFINED_TASK = """
[[turn]]
role = "implementer"
task = "2"
prompt = "# What changed in the documents that this rests on"
reply = '''## Implemented
task 2 again
## Decisions
none
'''
[[turn.edit]]
path = "sort.txt"
text = "by count\\n"
"""
SCRIPT = "".join(
    (
        author("prd-author", "prd.md", PRD),
        author("spec-author", "spec.md", SPEC, ("Words are sorted by name.", NEW_REQUIREMENT)),
        author("design-author", "design.md", DESIGN, SORTER),
        author("plan-author", "plan.md", PLAN, STEP),
        author("tasks-author", "tasks.md", TASKS, TASK),
        REFINED_TASK,
        turn("1", {"count.txt": "counts\n"}),
        turn("2", {"sort.txt": "by name\n"}),
        '\n[[turn]]\nrole = "retro-facilitator"\nreply = "{}"\n',
        SATISFIED,
    )
)


def waiting(
    folder: Path, script: str = SCRIPT, gates: str = GATES, files: Mapping[str, str] | None = None
) -> Built:
    """At the gate of its implement stage, both tasks done."""
    built = begun(folder, script, files, gates)
    for stage in gates.split(","):
        said = built.sparing("run", "--no-input", SPARING_FLOW__GATES=gates)
        assert said.code == 2, said.err
        if stage == "implement":
            break
        taken = built.sparing("approve", "1")
        assert taken.code == 0, said.err + taken.err
    return built


def begun(
    folder: Path, script: str, files: Mapping[str, str] | None = None, gates: str = GATES
) -> Built:
    repository = make_repository(
        folder / "repository", {"README.md": "# Sample\n", **(files or {})}
    )
    (folder / "script.toml").write_text(script)
    office = open_office(repository, {"state.folder": str(folder / "state")})
    settings: dict[str, object] = {
        "agent.backend": "scripted",
        "agent.script": str(folder / "script.toml"),
        "engine.clock": "counted",
        "flow.gates": gates.split(","),
        "flow.assistants": [],
    }
    return Built(folder, answers.start(office, "Write files", "feature", settings, BEGAN))


def asked(built: Built) -> list[str]:
    """Who was asked since the feature waited first, in order: role, or role and task."""
    with built.database().read() as connection:
        rows = connection.execute(
            "select role, task from ledger where feature = ? order by rowid",
            (built.row.feature.key,),
        ).fetchall()
    return [f"{role} {number}".strip() for role, number in rows]


def run(built: Built) -> Said:
    """To the next gate, where nobody sits."""
    said = built.sparing("run", "--no-input", SPARING_FLOW__GATES=GATES)
    assert said.code == 2, said.err
    return said


def edited(built: Built, text: str, name: str = "spec") -> Said:
    """A person writes another version of a document."""
    (built.folder / "mine.md").write_text(text)
    said = built.sparing("edit", "1", name, EDITOR=f"cp {built.folder / 'mine.md'}")
    assert said.code == 0, said.err
    return said


def document(built: Built, name: str) -> str:
    path = f"docs/features/{built.row.feature.name}/{name}"
    return built.git("show", f"{built.row.feature.branch}:{path}")


def without_change(script: str, role: str) -> str:
    """The author's turn after a change without its edit."""
    head, mark, rest = script.partition(f'role = "{role}"\nprompt = ", a change"')
    start, end = rest.index("[[turn.edit]]"), rest.index("[[turn]]")
    return head + mark + rest[:start] + rest[end:]
