"""How well tasks are read in documents whose tasks a person has written down.

    python -m bench.task_truth FOLDER [--misses]

The folder holds pairs `NAME.md` and `NAME.json`: {"tasks": [{"id", "title", "depends", "files",
"done", "optional", "parallel", "sections"}]}; what is left out is not compared. Prints one line a
document and the totals as JSON. A task is found if one of that id was read; where it has no id,
if one of that title was, or one whose first line holds the title.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sparing.artifact import ArtifactName
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import blocking, validate_artifact
from sparing.errors import FeatureError
from sparing.task import Task, TaskMark

Json = dict[str, Any]
_PLAIN = re.compile(r"[\s`*_\"']+")


class Score(NamedTuple):
    name: str
    tasks: int
    read: int
    counts: Counter[str]
    """How many of the found tasks agree, by what was compared."""
    misses: tuple[str, ...]
    complaint: str
    """What the author of the document would be told; empty if it is taken as it is."""

    @property
    def silent(self) -> bool:
        """Whether tasks were lost without a word."""
        return self.counts["found"] < self.tasks and not self.complaint


def score(path: Path) -> Score:
    text = path.read_bytes().decode("utf-8")
    truth: list[Json] = json.loads(path.with_suffix(".json").read_text("utf-8"))["tasks"]
    try:
        tasks = parse_tasks(text)
    except FeatureError:
        tasks = ()
    problems = blocking(validate_artifact(ArtifactName.TASKS, text), strict=False)
    by_id = {_plain_id(task.number): task for task in reversed(tasks)}
    by_title = {_plain(task.title): task for task in reversed(tasks)}
    by_line = {_plain(task.body.partition("\n")[0]): task for task in reversed(tasks)}

    def found(one: Json) -> Task | None:
        if one["id"]:
            return by_id.get(_plain_id(one["id"]))
        title = _plain(one["title"])
        inside = (task for line, task in by_line.items() if title in line)
        return by_title.get(title) or next(inside, None)

    names = {task.number: _name(one) for one in truth if (task := found(one))}
    counts: Counter[str] = Counter()
    misses: list[str] = []
    for one in truth:
        task = found(one)
        if task is None:
            misses.append(f"{_name(one)}: not found")
            continue
        counts["found"] += 1
        for what, wanted, got in _compared(one, task, names):
            counts[what] += wanted == got
            counts[f"{what} compared"] += 1
            if wanted != got:
                misses.append(f"{_name(one)}: {what} {got!r} instead of {wanted!r}")
    extra = sorted({task.number for task in tasks} - names.keys())
    misses.extend(f"{number}: is not a task" for number in extra)
    said = "; ".join(one.what for one in problems)
    return Score(path.stem, len(truth), len(tasks), counts, tuple(misses), said)


def _compared(one: Json, task: Task, names: dict[str, str]) -> Iterator[tuple[str, object, object]]:
    if one["title"]:
        yield "title", _plain(one["title"]), _plain(task.title)
    if "depends" in one:
        waits = sorted(names.get(number, number) for number in task.depends_on)
        yield "depends", sorted(_plain_id(name) for name in one["depends"]), waits
    if "files" in one:
        yield "files", sorted(one["files"]), sorted(task.files)
    for mark in TaskMark:
        if mark.value in one:
            yield mark.value, bool(one[mark.value]), mark in task.marks


def _name(one: Json) -> str:
    return _plain_id(one["id"]) if one["id"] else _plain(one["title"])


def _plain_id(text: str) -> str:
    return text.strip().lstrip("#").rstrip(".").casefold()


def _plain(text: str) -> str:
    return _PLAIN.sub(" ", text).strip(" .").casefold()


def totals(scores: Sequence[Score]) -> Json:
    tasks, read = sum(one.tasks for one in scores), sum(one.read for one in scores)
    counts = sum((one.counts for one in scores), Counter[str]())
    found = counts.pop("found", 0)
    whole = sum(one.counts["found"] == one.tasks == one.read for one in scores)
    return {
        "documents": len(scores),
        "documents_read_exactly": whole,
        "tasks": tasks,
        "found": found,
        "recall": round(found / tasks, 3) if tasks else None,
        "precision": round(found / read, 3) if read else None,
        "agreeing_share_of_compared": {
            what: round(counts[what] / counts[f"{what} compared"], 3)
            for what in sorted(counts)
            if f"{what} compared" in counts
        },
        "lost_in_silence": [one.name for one in scores if one.silent],
        "complained_about": {one.name: one.complaint for one in scores if one.complaint},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.task_truth")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", action="store_true", help="what differs in each document")
    options = parser.parse_args(arguments)
    scores = [score(path) for path in sorted(options.folder.glob("*.md"))]
    for one in scores:
        print(f"{one.name}: {one.counts['found']} of {one.tasks}, {one.read} read")
        for miss in one.misses if options.misses else ():
            print(f"  {miss}")
    print(json.dumps(totals(scores), indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
