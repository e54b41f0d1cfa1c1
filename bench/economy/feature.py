"""From drawn numbers to everything that may be said in each dispatch of a feature.

Documents, code and changes are made as text; the program's own code cuts sections and fills briefs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from zlib import crc32

from bench.economy import texts
from bench.economy.dispatches import Dispatch
from bench.economy.draw import CAP, FIXED_FILES, Drawing
from bench.economy.seats import asked_role, needed_names
from bench.economy.sheet import Sheet
from bench.economy.steps import File, Step, is_test
from bench.economy.world import FOLDER, World
from sparing.artifact import ArtifactName
from sparing.briefing.trunk_group import form_of
from sparing.change import FileChange
from sparing.context.documents.scope import index_document, scope_prd, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.prompt.brief import (
    REVIEWS,
    Brief,
    Code,
    Document,
    PromptRole,
    QuotedFinding,
    TurnSubject,
    part_of,
)
from sparing.context.prompt.review_words import DomainOutcome, outcome_block
from sparing.double.agent_draws import share
from sparing.double.agent_kinds import AgentKind
from sparing.economy.cache_contents import Need
from sparing.economy.ledger_notes import NotedLook, notes_text
from sparing.finding import Verdict
from sparing.flow.flows import FLOWS
from sparing.roles.load import Role
from sparing.turn import TURNS, Turn
from sparing.turn_kind import KINDS, TurnKind

KEY = "0123456789ab"
TITLE = "Rate limiting for the public interface"
CANONICAL = ("prd", "spec", "design", "plan", "tasks")
NAMED_SHARE = 0.7
"""Of the files that whoever wrote a text has looked at: so many does the text name."""


class Feature:
    """A feature of the flow `feature`; tiers differ in what their stages are told."""

    def __init__(self, flow: str, kind: AgentKind, seed: int, *, merged: bool = False) -> None:
        self.flow, self.kind, self.seed = flow, kind, seed
        drawing = Drawing(flow, kind, seed, merged=merged)
        self.steps = drawing.steps()
        self.pool = drawing.pool
        self.world = World(drawing, self.steps)
        self._seen: dict[str, str] = {}
        self._looked: dict[str, tuple[File, ...]] = {}
        self._reviewed: tuple[File, ...] = ()
        self._last: dict[str, tuple[Step, tuple[File, ...]]] = {}
        self._open: tuple[QuotedFinding, ...] = ()
        self._named: dict[str, tuple[File, ...]] = {}
        self._sheet = Sheet(flow, self.text, {one.path: one for one in self.pool})

    @cached_property
    def dispatches(self) -> list[Dispatch]:
        return [self._dispatch(number, step) for number, step in enumerate(self.steps)]

    def text(self, file: File) -> str:
        return self.world.text(file)

    def _dispatch(self, number: int, step: Step) -> Dispatch:
        role = asked_role(step)
        on_code = self._judges_code(step)
        if on_code and step.kind in REVIEWS and not self._reviewed:
            self._reviewed = self.world.made
        files = self._files(step, role)
        brief = self.brief(step, role)
        frozen = replace(brief, code=self._frozen(brief.code)) if on_code else brief
        named = tuple(dict.fromkeys(self._about(step, files)))
        wanted = tuple(self._wanted(step, brief))
        targets = tuple(self._targets(step))
        told = frozenset(one.name.value for one in (*brief.documents, brief.subject) if one)
        sheet = self._sheet.shown(told, all_parts=not step.on_documents)
        wrote, names = self._happen(step, files), self._sheet.happen(step, files)
        return Dispatch(
            number=number, step=step, role=role, brief=frozen, whole=brief, files=files,
            shown=frozenset(self._looked[step.loop]) if on_code else frozenset(),
            targets=targets, leaves=tuple(self._paper(step)) if step.document else (), named=named,
            wanted=wanted, wrote=wrote, sheet=sheet, names=names,
        )  # fmt: skip

    def _files(self, step: Step, role: Role) -> tuple[File, ...]:
        """The code under review has to be seen whole; what else, the agent's kind says."""
        known = self.world.files
        must = [one.path for one in self.world.made] if self._judges_code(step) else []
        if "read" not in role.tools:
            return ()
        code = [name for name, file in known.items() if not is_test(file)]
        names = needed_names(self.kind, self.seed, step, code)
        return tuple(known[name] for name in dict.fromkeys((*must, *names)))

    def _targets(self, step: Step) -> Iterable[File]:
        """Of findings: the document at hand, or the first files of the change."""
        if step.kind is TurnKind.FIX:
            return [one for one in self.world.made if not is_test(one)][:FIXED_FILES]
        return self._paper(step) if step.changed else ()

    def _paper(self, step: Step) -> Iterable[File]:
        """The document as a file."""
        text = self.world.documents.get(step.document, "")
        if text:
            path = self.world.document(step.document).path
            yield File(path, crc32(text.encode()), -(-len(text) // 4))

    def _judges_code(self, step: Step) -> bool:
        return step.kind in REVIEWS and not step.document

    def brief(self, step: Step, role: Role) -> Brief:
        subject = self._subject(step)
        known = self._known(step, role)
        brief = Brief(
            key=KEY,
            role=PromptRole(role.name, role.text, frozenset(role.artifacts), role.tools),
            asked=self._asked(step),
            documents=known,
            subject=subject,
            code=self._code(step),
            outcome=self._outcome(step),
            findings=self._findings(step),
            delta=self._delta(step),
            fix_summary=self._fix_words(step),
            changed=self._changed(step),
            schema=form_of(step.turn, panel=bool(step.panel)),
            resumable=True,
            full=known,
            notes=self._notes(step),
        )
        return self._scoped(brief, step) if step.kind is TurnKind.TASK else brief

    def _known(self, step: Step, role: Role) -> tuple[Document, ...]:
        """Whom the flow gives documents, and whom their own file does."""
        stage = FLOWS[self.flow].stage(step.stage)
        listed = role.artifacts if KINDS[step.kind].own_documents else stage.reads
        judged = CANONICAL.index(step.document) if step.document in CANONICAL else len(CANONICAL)
        names = [name.value for name in listed if name.value in self.world.documents]
        before = [name for name in CANONICAL[:judged] if name in names]
        return tuple(self.world.document(name) for name in before)

    def _asked(self, step: Step) -> TurnSubject:
        target = f"{FOLDER}/{step.document}.md" if step.document else ""
        subject = f"{step.document}.md" if step.document else "the code changes"
        return TurnSubject(
            step.kind, step.stage, TITLE, target, subject, step.round, CAP,
            seen=max(0, step.round - 1), task=str(step.task) if step.task else "",
            phase=TURNS[step.turn].phase or step.part, words=TURNS[step.turn].words,
            panel=step.panel,
        )  # fmt: skip

    def _subject(self, step: Step) -> Document | None:
        at_hand = step.document and KINDS[step.kind].has_subject
        return self.world.document(step.document) if at_hand else None

    def _scoped(self, brief: Brief, step: Step) -> Brief:
        documents = self.world.documents
        plan, design = (index_document(documents[name]) for name in ("plan", "design"))
        task = parse_tasks(documents["tasks"])[step.task - 1]
        found = scope_task(task, plan, design)
        sections = (
            part_of("plan.md", found.plan.text, documents["plan"]),
            part_of("design.md", found.design.text, documents["design"]),
        )
        spec = tuple(one for one in brief.documents if one.name is ArtifactName.SPEC)
        goals = scope_prd(documents["prd"]).text
        return replace(brief, documents=spec, goals=goals, sections=sections, task=task.body)

    def _code(self, step: Step) -> Code | None:
        """The code as it stands; whoever mends or helps gets a list."""
        if step.document or step.kind is TurnKind.TASK or not self.world.made:
            return None
        listed = tuple(FileChange(one.path, one.tokens // 10, 0) for one in self.world.made)
        if self._judges_code(step):
            return Code(self.world.diff((), self.world.made), listed)
        return Code("", listed) if TURNS[step.turn].sees_code else None

    def _frozen(self, code: Code | None) -> Code | None:
        if code is None or not self._reviewed:
            return code
        diff = self.world.diff((), self._reviewed)
        return replace(code, diff=diff, since=tuple(self.world.fixes))

    def _delta(self, step: Step) -> str:
        """What changed since this role last looked."""
        if step.round == 1 or step.kind not in REVIEWS:
            return ""
        if not step.document:
            return self.world.diff(self._looked[step.loop], self.world.made)
        return self.world.document_delta(step.document, self._seen[step.loop])

    def _changed(self, step: Step) -> tuple[FileChange, ...]:
        if step.kind is not TurnKind.FIX or step.round == 1:
            return ()
        return tuple(FileChange(one.path, 12, 12) for one in step.changes)

    def _findings(self, step: Step) -> tuple[QuotedFinding, ...]:
        """An author's to settle, or a reviewer's own of the last round."""
        if KINDS[step.kind].settles and step.turn is not Turn.WRITE:
            return self._open
        if step.kind is TurnKind.REVIEW and step.round > 1:
            return tuple(one for one in self._open if one.role == step.role)
        return ()

    def _fix_words(self, step: Step) -> str:
        if step.round == 1 or step.kind not in REVIEWS:
            return ""
        told = texts.lines(f"{self.seed} fixes {step.loop} {step.round}", 4 * step.answer)
        return "## Fix summary\n" + "\n".join(told)

    def _outcome(self, step: Step) -> str:
        """The second group is told what became of the first."""
        groups = FLOWS[self.flow].stage(step.stage).reviewers
        if step.kind is not TurnKind.REVIEW or len(groups) < 2 or step.role in groups[0]:
            return ""
        first = Verdict(groups[0][0], approved=True)
        return outcome_block([DomainOutcome(first, True, 2, CAP)])

    def _notes(self, step: Step) -> str:
        """What the ledger knows of this role's last turn: what it opened, what it said."""
        if step.round == 1 or not KINDS[step.kind].remembers or step.loop not in self._last:
            return ""
        last, files = self._last[step.loop]
        said = "\n".join(texts.lines(f"{self.seed} said {step.loop} {step.round}", 1_200))
        opened = tuple((one.path, one.tokens // 10) for one in files)
        return notes_text(NotedLook(last.round, said, opened))

    def _about(self, step: Step, files: Sequence[File]) -> Iterable[File]:
        """Files that the task or the findings name: `briefing.preload` looks nowhere else."""
        if not KINDS[step.kind].preloads or self._judges_code(step):
            return ()
        if step.kind is TurnKind.TASK:
            return [one for one in files if self._says(step, one)]
        now, told = self.world.files, self._findings(step)
        return [now[one.path] for one in self._named.get(step.stage, ()) if told]

    def _says(self, step: Step, file: File) -> bool:
        return share(self.seed, *step.identity, file.path, "named") < NAMED_SHARE

    def _wanted(self, step: Step, brief: Brief) -> Iterable[Need]:
        for one in (*brief.documents, *([brief.subject] if brief.subject else [])):
            yield Need(one.path, tuple((one.text or "").splitlines()))
        if self._judges_code(step):
            for file in self.world.made:
                yield Need(file.path, tuple(self.text(file).splitlines()))
        if step.kind is TurnKind.TASK:
            parts = (brief.task, brief.goals, *(one.text for one in brief.sections))
            for name, text in zip(("tasks", "prd", "plan", "design"), parts, strict=True):
                yield Need(self.world.document(name).path, tuple(text.splitlines()))

    def _happen(self, step: Step, files: tuple[File, ...]) -> str:
        """What the world looks like after the turn."""
        self._last[step.loop] = (step, files)
        self._looked[step.loop] = self.world.made
        if step.kind in REVIEWS:
            self._seen[step.loop] = self.world.documents.get(step.document, "")
        if step.findings or step.turn is Turn.JUDGE:
            self._open = (*self._kept(step), *self._quoted(step))
            said = [one for one in files if self._says(step, one)]
            self._named[step.stage] = tuple(said[: len(step.findings)])
        return self.world.happen(step)

    def _kept(self, step: Step) -> tuple[QuotedFinding, ...]:
        """Those of the others who look at the same time."""
        others = (one for one in self._open if one.role != step.role)
        return tuple(others) if step.wave and step.round > 1 else ()

    def _quoted(self, step: Step) -> tuple[QuotedFinding, ...]:
        name = f"{self.seed} {step.loop} {step.round}"
        return tuple(
            QuotedFinding(
                f"F{number}", "warning", step.role, "clarity", f"line {number}",
                " ".join(texts.lines(f"{name} {number}", 2 * chars // 3)),
                " ".join(texts.lines(f"{name} {number} advice", chars // 3)),
            )
            for number, chars in enumerate(step.findings, 1)
        )  # fmt: skip
