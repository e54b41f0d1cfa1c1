"""Whether an artifact is good enough to build the next stage on.

Four levels: it exists, it is not a stub, it has sections (a task list: tasks), and it has the
sections that its kind needs. The last is a list of headings that settings may replace: the seed's
own two per kind (`SEED_SECTIONS`) would refuse a fifth of the specs and plans that people accepted.
Besides, no line of a task list that looks like a task may be left unread. Problems are values;
`blocking` says which of them send a document back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Heading, Outline, outline

LEAST_CHARACTERS = 100
REQUIRED_SECTIONS: Mapping[ArtifactName, Sequence[str]] = {
    ArtifactName.SPEC: (
        "Success Criteria",
        "Acceptance Criteria",
        "Requirements",
        "Specifications",
        "User Stories",
        "Scenarios",
    ),
    ArtifactName.DESIGN: (
        "Components",
        "Architecture",
        "Interfaces",
        "Technical Decisions",
        "Design",
        "Changes",
    ),
    ArtifactName.PLAN: (
        "Implementation Order",
        "Phase",
        "Build Order",
        "Execution Order",
        "Implementation",
        "Steps",
        "Stage",
        "Tasks",
        "Milestones",
        "Bundle",
    ),
}
SEED_SECTIONS: Mapping[ArtifactName, Sequence[str]] = {
    ArtifactName.SPEC: ("Success Criteria", "Acceptance Criteria"),
    ArtifactName.DESIGN: ("Components", "Architecture"),
    ArtifactName.PLAN: ("Implementation Order", "Phase"),
    ArtifactName.TASKS: ("Phase", "Task"),
}
_WORD = re.compile(r"[^\W_]+")


class ValidationLevel(IntEnum):
    EXISTS = 1
    LENGTH = 2
    SECTIONS = 3
    REQUIRED = 4
    UNREAD = 5
    """Lines of a task list that look like tasks and belong to none."""


class ValidationProblem(NamedTuple):
    level: ValidationLevel
    what: str


def validate_artifact(
    name: ArtifactName,
    text: str | None,
    required: Mapping[ArtifactName, Sequence[str]] = REQUIRED_SECTIONS,
) -> tuple[ValidationProblem, ...]:
    """All that is wrong with it, the gravest first; empty if it is fit to build on."""
    if text is None:
        return (ValidationProblem(ValidationLevel.EXISTS, f"{name.filename} does not exist"),)
    found = (_too_short(name, text), *_sections(name, text, required.get(name, ())))
    return tuple(problem for problem in found if problem is not None)


def blocking(problems: Iterable[ValidationProblem], *, strict: bool) -> list[ValidationProblem]:
    """The problems for which a document is sent back. A missing expected section is only a
    warning, except under the original's rules (`strict`), which ignore unread lines instead."""
    passed = ValidationLevel.UNREAD if strict else ValidationLevel.REQUIRED
    return [one for one in problems if one.level is not passed]


def _too_short(name: ArtifactName, text: str) -> ValidationProblem | None:
    length = len(text.strip())
    if length >= LEAST_CHARACTERS:
        return None
    what = f"{name.filename} has {length} characters, fewer than {LEAST_CHARACTERS}"
    return ValidationProblem(ValidationLevel.LENGTH, what)


def _sections(
    name: ArtifactName, text: str, wanted: Sequence[str]
) -> tuple[ValidationProblem | None, ...]:
    document = outline(text)
    headings = [heading for heading in document.headings if heading.level > 1]
    if name is ArtifactName.TASKS:
        if problem := _tasks(document):
            return (problem,)
    elif not headings:
        what = f"{name.filename} has no sections (`## ` headings)"
        return (ValidationProblem(ValidationLevel.SECTIONS, what),)
    if wanted and not any(_has(heading, phrase) for heading in headings for phrase in wanted):
        names = " or ".join(f"`## {phrase}`" for phrase in wanted)
        what = f"{name.filename} has none of the sections {names}"
        return (ValidationProblem(ValidationLevel.REQUIRED, what),)
    return ()


def _tasks(document: Outline) -> ValidationProblem | None:
    """No task can be read, or a line that looks like one is left unread."""
    from sparing.context.task_forms.choice import read_blocks
    from sparing.context.task_forms.data import unreadable_data
    from sparing.context.task_forms.unread_lines import complaint, unread_lines

    found, filename = read_blocks(document), ArtifactName.TASKS.filename
    if not found.blocks:
        why = unreadable_data(document) or "no task can be read, as in `### Task 1.1: Title`"
        return ValidationProblem(ValidationLevel.SECTIONS, f"{filename}: {why}")
    if unread := unread_lines(document, found):
        what = f"{filename}: {complaint(document, unread)}"
        return ValidationProblem(ValidationLevel.UNREAD, what)
    return None


def _has(heading: Heading, phrase: str) -> bool:
    """`1. Architecture Overview` has `Architecture`, `Phase 2: …` has `Phase`."""
    found, words = lead(heading.text), _words(phrase)
    label = found.ident.label if found else ""
    own = _words(f"{label} {found.title}" if found else heading.text)
    return any(own[start : start + len(words)] == words for start in range(len(own)))


def _words(text: str) -> list[str]:
    return [word.removesuffix("s") for word in _WORD.findall(text.casefold())]
