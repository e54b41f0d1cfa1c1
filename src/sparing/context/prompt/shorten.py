"""Saying the same in fewer words: roles by parts, tiers without repetition, a one-line schema.

A role's text, taken apart: what it is, its stance, what it checks.

The seed order sends these parts in different positions; the nested order sends them as they are
written. Both send only the expectations of the stage that comes next.

The eight savings in the tiers' prompts, each a function that can be examined separately.

Only a stage's output is passed on (1); a brainstorm that a design review digested is not sent again
(2); reviewers and verifiers get summaries instead of outputs (3, 4); instructions appear once (5);
JSON is compact (6); nothing is signed with a time (7); nothing states the obvious (8).

What a schema asks for, as one line that an agent can fill in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from sparing.artifact import ArtifactName
from sparing.context.documents.handoff import Handoff, summary_of
from sparing.context.documents.markdown import outline
from sparing.context.prompt.brief import Document
from sparing.prompts.render import words

CHECKS = ("Check list", "Levels", "Next stage")
CODA = "Stance"
VERIFIES = "External claim"
REPORT = "Report"
"""How a task's turn ends; every other turn of the same role says how it ends itself."""
DESIGN_LEVEL = 2
OF_EVERY_REPORT = frozenset({"Outcome", "Findings"})
"""Headings that the program puts into every judge's report."""
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_AFTER = re.compile(r"^- after (?P<stage>[\w-]+), .*\n?", re.MULTILINE)


class Rubric(NamedTuple):
    role: str
    """Role and rubric, the coda last."""
    checks: str
    """Check list, levels, expectations of the next stage."""


def split_rubric(text: str) -> Rubric:
    sections = _SECTION.split(text)
    checks = [section for section in sections if _heading(section) in CHECKS]
    coda = [section for section in sections if _heading(section) == CODA]
    role = [section for section in sections if section not in checks and section not in coda]
    return Rubric(_closed([*role, *coda]), _closed(checks))


def for_stage(text: str, stage: str) -> str:
    """The text with only this stage's expectations, if it has a line for each stage."""
    stages = [match["stage"] for match in _AFTER.finditer(text)]
    if stage not in stages:
        return text
    return _AFTER.sub(lambda line: line[0] if line["stage"] == stage else "", text)


def without_section(text: str, heading: str) -> str:
    """The text without that section and everything after it."""
    sections = _SECTION.split(text)
    start = next((n for n, one in enumerate(sections) if _heading(one) == heading), len(sections))
    return _closed(sections[:start]) if start < len(sections) else text


def literal_references(text: str) -> str:
    """A role's text with its passage on references replaced by the seed's rules."""
    told = (words("blocks", name).splitlines() for name in ("references", "references_seed"))
    for ours, theirs in zip(*told, strict=True):
        text = text.replace(ours, theirs)
    return text


def has_section(text: str, heading: str) -> bool:
    return any(_heading(section) == heading for section in _SECTION.split(text))


def _heading(section: str) -> str:
    first, _, _ = section.partition("\n")
    return first[3:].strip() if first.startswith("## ") else ""


def _closed(sections: list[str]) -> str:
    return "\n".join(section.strip() + "\n" for section in sections if section.strip())


NOTHING = "N/A"
SUMMARISED: Mapping[str, tuple[ArtifactName, ...]] = {
    "code_review": (ArtifactName.PLAN, ArtifactName.IMPLEMENTATION),
    "verify": (ArtifactName.IMPLEMENTATION,),
}
"""Stages that judge code or proof open the files, so a summary of these documents is enough."""
_SIGNATURE = re.compile(
    r"^.*(?:\{\{\s*timestamp\s*\}\}|\bsign your work\b|\bsigned(?: off)? (?:by|at|on)\b"
    r"|\bcurrent (?:date|time)\b).*\n?",
    re.IGNORECASE | re.MULTILINE,
)
_BOILERPLATE = re.compile(
    r"^## (?:Skill Requirements?|Required Skills?)\b.*?(?=^#{1,2} |\Z)", re.MULTILINE | re.DOTALL
)


def only_output(stored: str | None) -> str:
    """1: a stage's output, without cost, session or anything else stored with it."""
    try:
        parsed: object = json.loads(stored or "")
    except (ValueError, RecursionError):
        parsed = None
    fields = cast("dict[str, object]", parsed) if isinstance(parsed, dict) else {}
    output = fields.get("output", stored)
    return output if isinstance(output, str) and output.strip() else NOTHING


def took_over(report: str) -> bool:
    """Whether a judge's report has a design in it, and not only what the program always writes."""
    return any(
        one.level == DESIGN_LEVEL and one.text not in OF_EVERY_REPORT
        for one in outline(report).headings
    )


def without_digested(documents: Sequence[Document]) -> tuple[Document, ...]:
    """2: drop the brainstorm if a design review took it over; a tier without one keeps it."""
    digested = any(
        one.name is ArtifactName.DESIGN_REVIEW and took_over(one.text or "") for one in documents
    )
    return tuple(one for one in documents if not (digested and one.name is ArtifactName.BRAINSTORM))


def summarised(
    documents: Sequence[Document], stage: str, handoffs: Mapping[ArtifactName, Handoff]
) -> tuple[Document, ...]:
    """3, 4: the handoff's summary for the output, the full output where there is no handoff or
    where the output is the shorter of the two."""
    return tuple(
        _summary(one, handoffs.get(one.name, Handoff()))
        if one.name in SUMMARISED.get(stage, ())
        else one
        for one in documents
    )


def once(text: str, instructions: str) -> str:
    """5: the text with the instructions, which are not repeated if it holds them."""
    heading = next((line for line in instructions.splitlines() if line.startswith("#")), "")
    if instructions.strip() in text or (heading and heading in text.splitlines()):
        return text
    return f"{text.rstrip()}\n\n{instructions}"


def compact(value: Any) -> str:
    """6: JSON without white space."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def unsigned(text: str) -> str:
    """7: a role's text without lines that ask for, or hold, a time."""
    return _SIGNATURE.sub("", text)


def without_boilerplate(text: str) -> str:
    """8: a role's text without the section that only announces a skill."""
    return _BOILERPLATE.sub("", text)


def _summary(document: Document, handoff: Handoff) -> Document:
    summary = summary_of(handoff)
    if not summary or document.text is None:
        return document
    label = f"{document.name.filename}, handoff summary"
    longer = len(summary) + len(label) > len(document.text) + len(document.name.filename)
    return document if longer else replace(document, text=summary, label=label)


EITHER = "true|false"
LEVELLED = frozenset({"level", "levels", "evidence"})
"""What only a reviewer with levels is asked for."""


def skeleton(schema: Mapping[str, Any], unasked: Collection[str] = ()) -> str:
    """What a schema asks for, as one compact line, without the fields in `unasked`."""
    shape = _asked(_shape(schema, schema.get("$defs", {})), unasked)
    return compact(shape).replace(f'"{EITHER}"', EITHER)


def _asked(shape: Any, unasked: Collection[str]) -> Any:
    if isinstance(shape, list):
        return [_asked(one, unasked) for one in cast("list[Any]", shape)]
    if not isinstance(shape, dict):
        return shape
    fields = cast("dict[str, Any]", shape)
    return {name: _asked(one, unasked) for name, one in fields.items() if name not in unasked}


def _shape(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _shape(known[str(schema["$ref"]).rpartition("/")[2]], known)
    if "enum" in schema:
        return "|".join(str(word) for word in schema["enum"])
    if "properties" in schema:
        return {name: _shape(inner, known) for name, inner in schema["properties"].items()}
    match schema.get("type"):
        case "array":
            return [_shape(schema.get("items", {}), known)]
        case "object":
            inner = cast("Mapping[str, Any] | None", schema.get("additionalProperties") or None)
            return {"…": _shape(inner, known)} if inner else {}
        case "boolean":
            return EITHER
        case "integer":
            return 0
        case _:
            return "…"
