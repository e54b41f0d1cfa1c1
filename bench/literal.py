"""Whether the literal task parser gives exactly what EXPECTED.json says, field by field."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from sparing.context.documents import literal
from sparing.context.documents.literal import LiteralTask, RawReference, Resolved
from sparing.task import ReferenceKind

Json = dict[str, Any]


def read(path: Path) -> str | None:
    """Without newline translation; what is no UTF-8 becomes replacement characters."""
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None


def compare(corpus: Path) -> tuple[int, Counter[str]] | None:
    """How many fields were compared, and how often each differed; nothing if none are expected."""
    source = corpus / "EXPECTED.json"
    if not source.is_file():
        return None
    expected = cast("Mapping[str, Json]", json.loads(source.read_text("utf-8"))["features"])
    differing: Counter[str] = Counter()
    compared = 0
    for name, wanted in expected.items():
        folder = corpus / "features" / name
        got = _feature(read(folder / "tasks.md") or "", folder)
        compared += _differences(got, wanted, differing)
    return compared, differing


def _differences(got: Json, wanted: Json, differing: Counter[str]) -> int:
    pairs: list[tuple[Json, Json]] = [(_without_tasks(got), _without_tasks(wanted))]
    pairs += zip(got["tasks"], wanted["tasks"], strict=False)
    compared = 0
    for ours, theirs in pairs:
        for key in ours.keys() | theirs.keys():
            compared += 1
            differing[key] += ours.get(key) != theirs.get(key)
    return compared


def _without_tasks(feature: Json) -> Json:
    return {key: value for key, value in feature.items() if key != "tasks"}


def _feature(text: str, folder: Path) -> Json:
    plan, design = read(folder / "plan.md"), read(folder / "design.md")
    tasks = literal.read_tasks(text)
    return {
        "no_tasks_found": not tasks,
        "task_count": len(tasks),
        "tasks_md_chars": len(text),
        "tasks_md_sha256": _digest(text),
        "tasks": [_task(task, plan, design) for task in tasks],
    }


def _task(task: LiteralTask, plan: str | None, design: str | None) -> Json:
    resolved = literal.resolve(task.references, plan, design)
    row: Json = {
        "body_chars": len(task.task.body),
        "body_sha256": _digest(task.task.body),
        "context": _context(resolved),
        "done_criteria": task.has_done_criteria,
        "field": task.field,
        "heading_level": task.level,
        "line": task.task.line,
        "number": task.task.number,
        "raw_value": task.raw_value,
        "references": _references(task.references),
        "references_all_regexes": _references(task.all_references),
        "resolved": [_resolved(item) for item in resolved],
        "title": task.task.title,
        "unmatched_references": list(task.unmatched),
    }
    if task.all_references != task.references:
        other = literal.resolve(task.all_references, plan, design)
        row["all_regexes"] = {
            "context": _context(other),
            "resolved": [_resolved(item) for item in other],
        }
    return row


def _context(resolved: Sequence[Resolved]) -> Json:
    kinds = (ReferenceKind.DESIGN, ReferenceKind.PLAN)
    return {kind.value: literal.extent(kind, resolved).value for kind in kinds}


def _references(references: Sequence[RawReference]) -> list[Json]:
    return [{"identifier": id, "raw": raw, "type": kind.value} for kind, id, raw in references]


def _resolved(item: Resolved) -> Json:
    row: Json = {"identifier": item.reference.id, "type": item.reference.kind.value}
    section = item.section
    if section is None:
        return {**row, "outcome": "full"}
    row |= {
        "outcome": "section",
        "chars": len(section.text),
        "end_line": section.end_line,
        "heading": section.heading,
        "level": section.level,
        "line": section.line,
        "sha256": _digest(section.text),
        "via": section.via,
    }
    if section.same_level_text != section.text:
        row["same_level_only"] = {
            "chars": len(section.same_level_text),
            "sha256": _digest(section.same_level_text),
        }
    return row


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
