"""What stands in the repository while a feature goes on: documents and code, as text.

The words mean nothing; they are there so that prompts, sections and diffs are made by the
program's own code. Every line is unlike all others, so that it can be told who was given it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from bench.economy import texts
from bench.economy.draw import Drawing
from bench.economy.parameters import SIZES
from bench.economy.steps import File, Step
from sparing.artifact import ArtifactName
from sparing.context.prompt.brief import Document
from sparing.context.prompt.delta import change_delta, document_delta
from sparing.turn import Turn

FOLDER = "docs/features/001-rate-limiting"
COMPONENTS = (3, 4, 5)
"""Sections of the design that a task refers to."""


class World:
    def __init__(self, drawing: Drawing, steps: Sequence[Step]) -> None:
        self._name = f"{drawing.flow} {drawing.kind} {drawing.seed}"
        self._draw = random.Random(f"texts {self._name}")
        self._tasks = [step.task for step in steps if step.turn is Turn.IMPLEMENT]
        self._pool = {file.path: file for file in drawing.pool}
        self._code: dict[str, list[str]] = {}
        self.documents: dict[str, str] = {}
        self.made: tuple[File, ...] = ()
        """As they stand, in the order in which they were made."""
        self.fixes: list[str] = []
        """Each round's changes of the code."""

    @property
    def files(self) -> dict[str, File]:
        return {**self._pool, **{file.path: file for file in self.made}}

    def text(self, file: File) -> str:
        versions = self._code.get(file.path)
        return versions[file.version - 1] if versions else texts.code(file.path, file.tokens)

    def document(self, name: str) -> Document:
        text = self.documents.get(name)
        return Document(ArtifactName(name), text, f"/repo/feature/{FOLDER}/{name}.md")

    def diff(self, old: Iterable[File], new: Iterable[File]) -> str:
        before = {one.path: self.text(one) for one in old}
        found = (texts.diff(one.path, before.get(one.path, ""), self.text(one)) for one in new)
        return change_delta("".join(found), {}).text

    def document_delta(self, name: str, seen: str) -> str:
        path, now = f"{FOLDER}/{name}.md", self.documents[name]
        return document_delta(texts.diff(path, seen, now), path, now).text

    def happen(self, step: Step) -> str:
        """What the turn leaves behind; returns all that it typed."""
        typed = ""
        if step.size or step.changed:
            self.documents[step.document] = typed = self._written(step)
        for file in step.makes:
            self._code[file.path] = [texts.code(f"{self._name} {file.path}", file.tokens)]
            self.made = (*self.made, file)
        self._change(step)
        return typed + "".join(self.text(one) for one in (*step.makes, *step.changes))

    def _change(self, step: Step) -> None:
        for file in step.changes:
            old = self._code[file.path][-1]
            edits = step.needs.changes * SIZES.passage / len(step.changes)
            name = f"{self._name} {file.path} {file.version}"
            part = min(0.5, edits / file.tokens)
            self._code[file.path].append(texts.revised(old, name, part, 1.0, self._draw))
        if step.changes:
            old_files, new = self.made, {one.path: one for one in step.changes}
            self.made = tuple(new.get(one.path, one) for one in self.made)
            self.fixes.append(self.diff(old_files, self.made))

    def _written(self, step: Step) -> str:
        name = f"{self._name} {step.document} {step.stage}"
        old = self.documents.get(step.document, "")
        if step.changed:
            again = f"{name} {step.round}"
            return texts.revised(old, again, step.changed, 1.0, self._draw)
        if step.document == "tasks":
            references = [self._reference(number) for number in self._tasks]
            return texts.tasks(name, step.size, references)
        write = {"prd": texts.prd, "spec": texts.spec, "design": texts.design}
        return write.get(step.document, texts.plan)(name, step.size)

    def _reference(self, task: int) -> str:
        """Which parts of plan and design a task comes from."""
        count = COMPONENTS[task % len(COMPONENTS)]
        parts = ", ".join(f"C{(3 * task + n) % 20 + 1}" for n in range(count))
        return f"Plan Step {task % 8 + 1} / Design {parts}"
