"""A feature of a tier: its stages share one agent, which is told by a handoff what came before."""

from __future__ import annotations

from dataclasses import replace

from bench.economy import texts
from bench.economy.feature import TITLE, Feature
from bench.economy.steps import File, Step
from sparing.artifact import ArtifactName
from sparing.change import FileChange
from sparing.context.documents.exploration import explored_tree, imports, key_files
from sparing.context.documents.handoff import Handoff
from sparing.context.documents.rich_handoff import (
    Pipeline,
    StageOutput,
    handoff_notes,
    rich_handoff,
)
from sparing.context.prompt.brief import Brief, Code, Document, Material
from sparing.context.prompt.shorten import summarised, without_digested
from sparing.economy.cache_contents import Need
from sparing.economy.repo_map import names_of
from sparing.flow.flows import FLOWS, builder_of
from sparing.prompts.render import words
from sparing.roles.load import Role
from sparing.turn import Turn
from sparing.turn_kind import TurnKind

MOST_READ = 40
SUMMARY_CHARS = 400


class TierFeature(Feature):
    def brief(self, step: Step, role: Role) -> Brief:
        told = super().brief(step, role)
        known = summarised(without_digested(told.full), step.stage, self._handoffs())
        stage_texts = tuple(
            Material(kind, words(f"{kind}s", step.stage)) for kind in ("stage", "skill")
        )
        told = replace(told, documents=known, stage_texts=stage_texts, subject=None)
        return told if step.turn is Turn.JUDGE else self._going_on(told, step)

    def _going_on(self, brief: Brief, step: Step) -> Brief:
        """Fresh: through the handoff. In its session: what others wrote since."""
        before = self._last.get(step.loop)
        pipeline = self._pipeline(step) if before else None
        handoff = rich_handoff(pipeline).text if pipeline else ""
        whole = {one.name for one in brief.full}
        given = [one.name for one in FLOWS[self.flow].stages if one.writes in whole]
        notes = handoff_notes(pipeline, given) if pipeline else None
        needed = tuple(one for one in brief.documents if not _stands_in(one, handoff))
        news = tuple(one for one in brief.documents if one.name.value in self._judged)
        return replace(
            brief, handoff=handoff, handoff_notes=notes, documents=needed,
            news=news if before else (),
        )  # fmt: skip

    def _known(self, step: Step, role: Role) -> tuple[Document, ...]:
        stage = FLOWS[self.flow].stage(step.stage)
        made = {one.writes for one in FLOWS[self.flow].stages}
        listed = [one for one in stage.reads if one in made]
        papers = [self.world.document(one.value) for one in listed]
        return tuple(one for one in papers if one.text is not None)

    def _code(self, step: Step) -> Code | None:
        if step.stage != "code_review":
            return None
        listed = tuple(FileChange(one.path, one.tokens // 10, 0) for one in self.world.made)
        return Code(self.world.diff((), self.world.made), listed)

    def _judges_code(self, step: Step) -> bool:
        return step.stage == "code_review"

    def _wanted(self, step: Step, brief: Brief) -> tuple[Need, ...]:
        """A tier's prompts are summaries by design."""
        return ()

    @property
    def _judged(self) -> frozenset[str]:
        """Documents that the program wrote from a verdict."""
        return frozenset({"design_review", "code_review"})

    def _happen(self, step: Step, files: tuple[File, ...]) -> str:
        wrote = super()._happen(step, files)
        stage = FLOWS[self.flow].stage(step.stage)
        if step.kind is TurnKind.JUDGE and stage.writes is not None:
            chars = 600 + sum(step.findings)
            name = f"{self.seed} {step.stage} {step.round}"
            self.world.documents[stage.writes.value] = "\n".join(texts.lines(name, chars)) + "\n"
        return wrote

    def _handoffs(self) -> dict[ArtifactName, Handoff]:
        return {
            stage.writes: self._block(stage.name)
            for stage in FLOWS[self.flow].stages
            if stage.writes is not None
            and stage.writes.value in self.world.documents
            and stage.author == builder_of(self.flow)
        }

    def _block(self, stage: str) -> Handoff:
        """With which the stage's turn ended."""
        return Handoff(summary=" ".join(texts.lines(f"{self.seed} {stage} summary", SUMMARY_CHARS)))

    def _pipeline(self, step: Step) -> Pipeline:
        made = [stage for stage in FLOWS[self.flow].stages if stage.writes is not None]
        documents = self.world.documents
        outputs = tuple(
            StageOutput(stage.name, documents[stage.writes.value], self._block(stage.name))
            for stage in made
            if stage.writes is not None and stage.writes.value in documents
        )
        if any(one.stage == "design_review" for one in outputs):
            outputs = tuple(
                one._replace(text="Taken over by the design review.")
                if one.stage == "brainstorm"
                else one
                for one in outputs
            )
        _, files = self._last[step.loop]
        return Pipeline(
            TITLE, self.flow, stages=outputs, next_stage=step.stage,
            changed_files=tuple(f"{one.path} (+{one.tokens // 10} -0)" for one in self.world.made),
            seen=self._explored(files),
        )  # fmt: skip

    def _explored(self, files: tuple[File, ...]) -> dict[str, str]:
        """What the program saw the builder open in its last turn, and what was changed."""
        seen = {one.path: self.text(one) for one in (*self.world.made, *files[:MOST_READ])}
        names = {path: names_of(text) for path, text in seen.items()}
        own = {one.path: seen[one.path] for one in self.world.made}
        found = {
            "tree": explored_tree(seen),
            "key_files": key_files(seen, names),
            "imports": imports(own),
        }
        return {name: text for name, text in found.items() if text}


def _stands_in(document: Document, handoff: str) -> bool:
    text = (document.text or "").strip()
    return bool(text) and text in handoff
