"""From drawn numbers to everything that may be said in each dispatch of a feature.

Documents, code and changes are made as text; the program's own code cuts sections and fills briefs.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bench.economy import texts
from bench.economy.draw import PHASES, Drawing, File, Step
from bench.economy.parameters import Parameters
from sparing.artifact import ArtifactName
from sparing.change import FileChange
from sparing.context.documents.scope import index_document, scope_prd, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.prompt.brief import (
    REVIEWS,
    Brief,
    Code,
    Document,
    Material,
    PromptRole,
    QuotedFinding,
    TurnSubject,
)
from sparing.context.prompt.delta import change_delta, document_delta
from sparing.context.prompt.outcome import DomainOutcome, outcome_block
from sparing.economy.ledger_notes import NotedLook, notes_text
from sparing.economy.recall import Need
from sparing.finding import Verdict
from sparing.review.verdict import SCHEMA
from sparing.roles.load import Role, shipped
from sparing.turn import TURNS
from sparing.turn_kind import TurnKind

KEY = "0123456789ab"
TITLE = "Rate limiting for the public interface"
FOLDER = "docs/features/001-rate-limiting"
FINDING_TOKENS = {TurnKind.REVISE: 900, TurnKind.FIX: 1_300}
READS = {
    phase.author: tuple(ArtifactName(one.document) for one in PHASES[:place])
    for place, phase in enumerate(PHASES)
} | {"implementer": tuple(ArtifactName(one.document) for one in PHASES)}


@dataclass(frozen=True)
class Dispatch:
    number: int
    step: Step
    role: Role
    brief: Brief
    """As the program's `compose` takes it; the code under review as of its first look."""
    whole: Brief
    """The same with the code under review as it stands now."""
    shown: frozenset[File]
    """Files that the brief's code holds."""
    wanted: tuple[Need, ...]
    """What the role must know after being told or having read (C18)."""
    wrote: str
    """What the turn leaves behind in documents and code."""

    @property
    def resumable(self) -> bool:
        return self.step.round > 1 and not self.role.always_fresh


class Feature:
    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.parameters = parameters
        drawing = Drawing(seed, parameters)
        self.steps = drawing.steps()
        self.pool = tuple(drawing.pool)
        self._draw = random.Random(f"texts {seed}")
        self._seed = seed
        self._documents: dict[str, str] = {}
        self._code: dict[str, list[str]] = {}
        self._seen: dict[str, str] = {}
        self._versions: dict[str, tuple[File, ...]] = {}
        self._files: tuple[File, ...] = ()
        self._reviewed: tuple[File, ...] = ()
        self._fixes: list[str] = []
        self._last_looks: dict[str, Step] = {}

    @cached_property
    def dispatches(self) -> list[Dispatch]:
        return [self._dispatch(number, step) for number, step in enumerate(self.steps)]

    def text(self, file: File) -> str:
        versions = self._code.get(file.path)
        return versions[file.version - 1] if versions else texts.code(file.path, file.tokens)

    def _dispatch(self, number: int, step: Step) -> Dispatch:
        role = shipped(step.role)
        if step.kind in REVIEWS and not step.document and not self._reviewed:
            self._reviewed = self._files
        brief = self._brief(step, role)
        code = self._shown(step)
        frozen = replace(brief, code=self._frozen(brief.code)) if code else brief
        wanted = tuple(self._wanted(step, brief))
        self._happen(step)
        wrote = (
            self._documents[step.document] if step.kind in (TurnKind.WRITE, TurnKind.REVISE) else ""
        )
        wrote += "".join(self.text(one) for one in (*step.makes, *step.changes))
        return Dispatch(number, step, role, frozen, brief, frozenset(code), wanted, wrote)

    def _brief(self, step: Step, role: Role) -> Brief:
        subject = self._subject(step)
        listed = role.artifacts if step.kind in (*REVIEWS, TurnKind.ASSIST) else READS[role.name]
        known = tuple(
            self._document(phase.document)
            for phase in PHASES
            if ArtifactName(phase.document) in listed
            and phase.document in self._documents
            and phase.document != step.document
        )
        brief = Brief(
            key=KEY,
            role=PromptRole(role.name, role.text, frozenset(role.artifacts), role.tools),
            asked=self._asked(step),
            documents=known,
            subject=subject,
            code=self._change(step),
            outcome=self._outcome(step),
            findings=self._findings(step),
            delta=self._delta(step),
            fix_summary=self._fix_words(step),
            changed=self._changed(step),
            schema=SCHEMA,
            resumable=step.round > 1 and not role.always_fresh,
            full=tuple(self._document(name) for name in self._documents if name != step.document),
            notes=self._notes(step),
        )
        return self._scoped(brief, step) if step.kind is TurnKind.TASK else brief

    def _asked(self, step: Step) -> TurnSubject:
        target = f"{FOLDER}/{step.document}.md" if step.document else ""
        subject = f"{step.document}.md" if step.document else "the code changes"
        phase = step.loop[-1] if step.role == "test-deepener" else ""
        row = next(one for one in TURNS.values() if one.phase == phase)
        return TurnSubject(
            step.kind, step.stage, TITLE, target, subject, step.round, len(self.parameters.rounds),
            seen=max(0, step.round - 1), task=str(step.task) if step.task else "", phase=phase,
            words=row.words,
        )  # fmt: skip

    def _document(self, name: str) -> Document:
        path = f"/repo/feature/{FOLDER}/{name}.md"
        return Document(ArtifactName(name), self._documents[name], path)

    def _subject(self, step: Step) -> Document | None:
        known = step.kind in (*REVIEWS, TurnKind.REVISE) and step.document
        return self._document(step.document) if known else None

    def _scoped(self, brief: Brief, step: Step) -> Brief:
        plan, design = (index_document(self._documents[name]) for name in ("plan", "design"))
        task = parse_tasks(self._documents["tasks"])[step.task - 1]
        found = scope_task(task, plan, design)
        sections = (
            Material("plan.md, for this task", found.plan.text),
            Material("design.md, for this task", found.design.text),
        )
        spec = tuple(one for one in brief.documents if one.name is ArtifactName.SPEC)
        goals = scope_prd(self._documents["prd"]).text
        return replace(brief, documents=spec, goals=goals, sections=sections, task=task.body)

    def _change(self, step: Step) -> Code | None:
        """The code as it stands; whoever mends gets a list."""
        if step.document or step.kind is TurnKind.TASK or step.loop.endswith("deepener-A"):
            return None
        listed = tuple(FileChange(one.path, self.text(one).count("\n"), 0) for one in self._files)
        if step.kind is TurnKind.FIX:
            return Code("", listed)
        return Code(self._diff((), self._files), listed)

    def _shown(self, step: Step) -> Sequence[File]:
        code = not step.document and step.kind in (*REVIEWS, TurnKind.ASSIST)
        return self._files if code and not step.loop.endswith("deepener-A") else ()

    def _frozen(self, code: Code | None) -> Code | None:
        if code is None or not self._reviewed:
            return code
        return replace(code, diff=self._diff((), self._reviewed), since=tuple(self._fixes))

    def _diff(self, old: Iterable[File], new: Iterable[File]) -> str:
        before = {one.path: self.text(one) for one in old}
        found = (texts.diff(one.path, before.get(one.path, ""), self.text(one)) for one in new)
        return change_delta("".join(found), {}).text

    def _delta(self, step: Step) -> str:
        """What changed since this role last looked."""
        if step.round == 1 or step.kind not in REVIEWS:
            return ""
        if not step.document:
            return self._diff(self._versions[step.loop], self._files)
        path, now = f"{FOLDER}/{step.document}.md", self._documents[step.document]
        return document_delta(texts.diff(path, self._seen[step.loop], now), path, now).text

    def _changed(self, step: Step) -> tuple[FileChange, ...]:
        if step.kind is not TurnKind.FIX or step.round == 1:
            return ()
        return tuple(FileChange(one.path, 12, 12) for one in step.again.files)

    def _findings(self, step: Step) -> tuple[QuotedFinding, ...]:
        """An author's to settle, or a reviewer's own of the last round: the same ones."""
        tokens = FINDING_TOKENS.get(step.kind, FINDING_TOKENS[TurnKind.REVISE])
        if step.kind not in FINDING_TOKENS and (
            step.kind is not TurnKind.REVIEW or step.round == 1
        ):
            return ()
        name, count = f"{self._seed} {step.loop} {step.round}", 4
        return tuple(
            QuotedFinding(
                f"F{number}", "warning", step.role, "clarity", f"line {number}",
                " ".join(texts.lines(f"{name} {number}", 3 * tokens // count)),
                " ".join(texts.lines(f"{name} {number} advice", tokens // count - 80)),
            )
            for number in range(1, count + 1)
        )  # fmt: skip

    def _fix_words(self, step: Step) -> str:
        if step.round == 1 or step.kind not in REVIEWS:
            return ""
        told = texts.lines(f"{self._seed} fixes {step.loop} {step.round}", 900)
        return "## Fix summary\n" + "\n".join(told)

    def _outcome(self, step: Step) -> str:
        phase = next((one for one in PHASES if one.stage == step.stage), None)
        if phase is None or step.role != phase.reviewers[1]:
            return ""
        first = Verdict(phase.reviewers[0], approved=True)
        return outcome_block([DomainOutcome(first, True, 2, len(self.parameters.rounds))])

    def _notes(self, step: Step) -> str:
        """What the ledger knows of this role's last turn: what it opened, what it said."""
        last = self._last_looks.get(step.loop)
        if step.round == 1 or last is None:
            return ""
        said = "\n".join(texts.lines(f"{self._seed} said {step.loop} {step.round}", 1_200))
        opened = tuple((one.path, self.text(one).count("\n")) for one in last.fresh.files)
        return notes_text(NotedLook(last.round, said, opened))

    def _wanted(self, step: Step, brief: Brief) -> Iterable[Need]:
        for one in (*brief.documents, *([brief.subject] if brief.subject else [])):
            yield Need(one.path, tuple((one.text or "").splitlines()))
        for file in self._shown(step):
            yield Need(file.path, tuple(self.text(file).splitlines()))
        if step.kind is TurnKind.TASK:
            parts = (brief.task, brief.goals, *(one.text for one in brief.sections))
            for name, text in zip(("tasks", "prd", "plan", "design"), parts, strict=True):
                yield Need(self._document(name).path, tuple(text.splitlines()))

    def _happen(self, step: Step) -> None:
        """What the world looks like after the turn."""
        self._last_looks[step.loop] = step
        self._versions[step.loop] = self._files
        if step.kind is TurnKind.WRITE:
            self._documents[step.document] = self._written(step)
        elif step.kind is TurnKind.REVISE:
            old = self._documents[step.document]
            name = f"{self._seed} {step.loop} {step.round}"
            # Half of a diff's lines are the old ones, so 0.65 of the share makes 1.3 of it.
            self._documents[step.document] = texts.revised(
                old, name, 0.65 * step.changed, step.growth, self._draw
            )
        elif step.kind in REVIEWS and step.document:
            self._seen[step.loop] = self._documents[step.document]
        self._build(step)

    def _build(self, step: Step) -> None:
        for file in step.makes:
            self._code[file.path] = [texts.code(f"{self._seed} {file.path}", file.tokens)]
            self._files = (*self._files, file)
        for file in step.changes:
            old = self._code[file.path][-1]
            share = step.diff_tokens / len(step.changes) / 2 / file.tokens
            name = f"{self._seed} {file.path} {file.version}"
            self._code[file.path].append(texts.revised(old, name, share, 1.0, self._draw))
        if step.changes:
            old_files, new = self._files, {one.path: one for one in step.changes}
            self._files = tuple(new.get(one.path, one) for one in self._files)
            self._fixes.append(self._diff(old_files, self._files))

    def _written(self, step: Step) -> str:
        name = f"{self._seed} {step.document}"
        if step.document != "tasks":
            write = {"prd": texts.prd, "spec": texts.spec, "design": texts.design}
            return write.get(step.document, texts.plan)(name, step.size)
        parts = [_references(one) for one in self.steps if one.task]
        return texts.tasks(name, step.size, parts)


def _references(step: Step) -> str:
    """Which parts of plan and design a task comes from."""
    parts = ", ".join(f"C{(3 * step.task + n) % 20 + 1}" for n in range(step.components))
    return f"Plan Step {step.task % 8 + 1} / Design {parts}"
