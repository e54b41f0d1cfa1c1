"""The task parser and section extractor on a folder of real features.

    python -m bench.corpus FOLDER [--quick] [--out FOLDER] [--draw COUNT --seed NUMBER]

Prints one JSON row a task, then the totals, and writes both to `bench/out`. The folder is laid
out as `features/<id-slug>/{tasks,plan,design,spec,prd}.md`, with an optional EXPECTED.json for
the literal mode. `--draw` prints a sample of extracted sections to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench.corpus_time import parsing_time
from bench.literal import compare, read
from sparing.artifact import ArtifactName
from sparing.context.documents import literal
from sparing.context.documents.scope import (
    DocumentScope,
    Extent,
    Hit,
    TaskScope,
    index_document,
    scope_task,
)
from sparing.context.documents.sections import SectionIndex, Via
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import SEED_SECTIONS, validate_artifact
from sparing.errors import FeatureError
from sparing.task import ReferenceKind, Task

Json = dict[str, Any]
OUT = Path(__file__).parent / "out"
EVIDENCE = Path(__file__).parent.parent / "tests" / "context"
DOCUMENTS = (
    ArtifactName.PRD,
    ArtifactName.SPEC,
    ArtifactName.DESIGN,
    ArtifactName.PLAN,
    ArtifactName.TASKS,
)
_READ_ROW = re.compile(r"\| (\S+) \| (.+?) \| (plan|design) (.+?) \| (\d+)-(\d+) \| right \|")


class Section(NamedTuple):
    """One extracted section, by where it stands."""

    feature: str
    task: str
    document: str
    hit: Hit


@dataclass(frozen=True, slots=True)
class Feature:
    name: str
    tasks: tuple[Task, ...]
    literal_count: int
    plan: SectionIndex | None
    design: SectionIndex | None
    scopes: tuple[TaskScope, ...]


def load(folder: Path) -> Feature | None:
    text = read(folder / "tasks.md")
    if text is None:
        return None
    plan = index_document(read(folder / "plan.md"))
    design = index_document(read(folder / "design.md"))
    try:
        tasks = parse_tasks(text)
    except FeatureError:
        tasks = ()
    scopes = tuple(scope_task(task, plan, design) for task in tasks)
    return Feature(folder.name, tasks, len(literal.read_tasks(text)), plan, design, scopes)


def rows(feature: Feature) -> Iterator[Json]:
    for task, scope in zip(feature.tasks, feature.scopes, strict=True):
        yield {
            "feature": feature.name,
            "number": task.number,
            "title": task.title,
            "references": [f"{item.kind.value} {item.id}" for item in task.references],
            "plan": _row(scope.plan),
            "design": _row(scope.design),
        }


def _row(scope: DocumentScope) -> Json:
    found = [
        {"id": hit.id, "lines": [hit.heading.line, hit.heading.end], "via": hit.via.value}
        for hit in scope.hits
    ]
    return {"context": scope.extent.value, "characters": len(scope.text), "sections": found}


def totals(features: Sequence[Feature], folder: Path) -> Json:
    scopes = [scope for feature in features for scope in feature.scopes]
    tasks = len(scopes)
    scoped = sum(Extent.SECTIONS in (scope.plan.extent, scope.design.extent) for scope in scopes)
    full, given = _characters(features)
    return {
        "features": len(features),
        "features_without_tasks": [item.name for item in features if not item.tasks],
        "tasks_tolerant": tasks,
        "tasks_literal": sum(feature.literal_count for feature in features),
        "counted_by_hand": _hand(features),
        "scoped_tasks": scoped,
        "scoped_share": round(scoped / tasks, 3) if tasks else 0,
        "scoped_by_stated_reference": sum(_stated(scope) for scope in scopes),
        "extents": _extents(scopes),
        "found_via": _vias(features),
        "empty_contexts_where_referenced": _empty(features),
        "characters_full": full,
        "characters_given": given,
        "saved_share": round(1 - given / full, 3) if full else 0,
        "done_criteria": sum(bool(task.done_when) for item in features for task in item.tasks),
        "literal_equal": _literal(folder),
        "artifacts": _artifacts(folder),
        "read_sections": _read_sections(features),
    }


def _stated(scope: TaskScope) -> bool:
    """Whether the task or its group names a section, not only a number that leads to one."""
    return any(hit.via is not Via.NUMBER for hit in scope.plan.hits + scope.design.hits)


def _characters(features: Sequence[Feature]) -> tuple[int, int]:
    full = given = 0
    for feature in features:
        documents = [item.document for item in (feature.plan, feature.design) if item]
        full += len(feature.tasks) * sum(len(document.text) for document in documents)
        given += sum(len(item.plan.text) + len(item.design.text) for item in feature.scopes)
    return full, given


def _extents(scopes: Sequence[TaskScope]) -> Json:
    counts = Counter(f"plan {item.plan.extent}, design {item.design.extent}" for item in scopes)
    return dict(counts.most_common())


def sections(features: Sequence[Feature]) -> list[Section]:
    return [
        Section(feature.name, task.number, kind.value, hit)
        for feature in features
        for task, scope in zip(feature.tasks, feature.scopes, strict=True)
        for kind, part in ((ReferenceKind.PLAN, scope.plan), (ReferenceKind.DESIGN, scope.design))
        for hit in part.hits
    ]


def _vias(features: Sequence[Feature]) -> Json:
    return dict(Counter(item.hit.via.value for item in sections(features)).most_common())


def _empty(features: Sequence[Feature]) -> int:
    """Tasks that refer to a document that exists, and are given nothing of it."""
    count = 0
    for feature in features:
        for task, scope in zip(feature.tasks, feature.scopes, strict=True):
            kinds = {reference.kind for reference in task.references}
            for kind, part, index in (
                (ReferenceKind.PLAN, scope.plan, feature.plan),
                (ReferenceKind.DESIGN, scope.design, feature.design),
            ):
                count += kind in kinds and index is not None and not part.text.strip()
    return count


def _hand(features: Sequence[Feature]) -> Json:
    counts = json.loads((EVIDENCE / "hand_counts.json").read_text("utf-8"))["counts"]
    found = {item.name: len(item.tasks) for item in features if item.name in counts}
    wanted = sum(counts[name] for name in found)
    hit = sum(min(found[name], counts[name]) for name in found)
    wrong = {name: [found[name], counts[name]] for name in found if found[name] != counts[name]}
    return {
        "files": len(found),
        "tasks": wanted,
        "found_share": round(hit / wanted, 3) if wanted else None,
        "differing": wrong,
    }


def _literal(folder: Path) -> Json | None:
    result = compare(folder)
    if result is None:
        return None
    compared, differing = result
    return {"fields_compared": compared, "mismatches": differing.total()}


def _artifacts(folder: Path) -> Json:
    table: Json = {}
    for name in DOCUMENTS:
        texts = [read(path / name.filename) for path in sorted((folder / "features").iterdir())]
        present = [text for text in texts if text is not None]
        refused = [validate_artifact(name, text) for text in present]
        table[name.value] = {
            "files": len(present),
            "refused": [problem.what for problems in refused for problem in problems],
            "refused_by_seed": sum(
                bool(validate_artifact(name, text, SEED_SECTIONS)) for text in present
            ),
        }
    return table


def _read_sections(features: Sequence[Feature]) -> Json:
    """The sections that were read and judged: are the same lines still extracted?"""
    table = EVIDENCE / "sections_read.md"
    read_rows = _READ_ROW.findall(table.read_text("utf-8")) if table.is_file() else []
    now = {
        (item.feature, item.task, item.document, item.hit.id, str(heading.line), str(heading.end))
        for item in sections(features)
        for heading in (item.hit.heading,)
    }
    names = {feature.name for feature in features}
    here = [row for row in read_rows if row[0] in names]
    same = sum(row in now for row in here)
    return {"read_and_right": len(here), "unchanged": same}


def draw(features: Sequence[Feature], count: int, seed: int) -> list[Section]:
    every = sections(features)
    return random.Random(seed).sample(every, min(count, len(every)))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="without measuring the time")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    folders = sorted((options.folder / "features").iterdir())
    features = [item for item in (load(folder) for folder in folders) if item]
    if options.draw:
        for feature, task, document, hit in draw(features, options.draw, options.seed):
            lines = f"{hit.heading.line}-{hit.heading.end}"
            print(f"| {feature} | {task} | {document} {hit.id} | {lines} | ? |")
        return 0
    table = [row for feature in features for row in rows(feature)]
    summary = totals(features, options.folder)
    if not options.quick:
        summary["time"] = parsing_time()
    options.out.mkdir(exist_ok=True)
    encoded = [json.dumps(row, ensure_ascii=False) for row in table]
    (options.out / "corpus.jsonl").write_text("".join(f"{row}\n" for row in encoded), "utf-8")
    shown = json.dumps(summary, indent=1, ensure_ascii=False)
    (options.out / "corpus.json").write_text(shown, "utf-8")
    print("\n".join(encoded), shown, sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
