"""The turns of one feature, drawn once: who is asked for what, in which order, how often.

Stages, reviewers and caps are those of the program's own flows; how often a reviewer rejects, how
many tasks there are and how long documents become is drawn from the kind of agent. Only numbers
are drawn here, from a seed and the turn's identity, never from how the turn is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.economy.parameters import SIZES
from bench.economy.steps import File, Step, Wait, is_test
from sparing.double.agent_draws import (
    TurnIdentity,
    errand_of,
    loop_rounds,
    share,
    turn_needs,
    whole,
)
from sparing.double.agent_kinds import AGENTS, FILE_TOKENS, REPOSITORY_FILES, AgentKind
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.stage import Stage, StageWork
from sparing.panel import SECOND, joint_name
from sparing.runtime import turn_history
from sparing.segment import CHARS_PER_TOKEN
from sparing.turn import TURNS, Turn
from sparing.turn_kind import Errand

CAP = 5
"""Rounds of a review loop at most: as many as any kind of agent draws."""
FIXED_FILES = 3
PART_SHARE = 0.02
CHANGED_SHARE = 0.4
"""A revision changes no more of a document."""


PANEL = ("specialist", SECOND)


class Drawing:
    def __init__(self, flow: str, kind: AgentKind, seed: int, *, merged: bool = False) -> None:
        """`merged`: a specialist and the phase-reviewer after it look in one turn."""
        self.flow, self.kind, self.seed, self._merged = flow, kind, seed, merged
        self._habits = AGENTS[kind]
        self._stages = FLOWS[flow].stages
        self._turns: Counter[str] = Counter()
        names = [f"src/store/module_{number:02d}.py" for number in range(REPOSITORY_FILES)]
        least, most = FILE_TOKENS
        self.pool = tuple(
            File(name, 1, round(least + (most - least) * share(seed, name, "tokens")))
            for name in names
        )
        self.made: list[File] = []

    def steps(self) -> list[Step]:
        walked = self._tier() if self.flow in TIERS else self._feature()
        steps: list[Step] = []
        before: Stage | None = None
        for stage, found in walked:
            for step in found:
                if before is not None and before is not stage and before.gate:
                    step = replace(step, wait=Wait.GATE, waits_for=before.name)
                steps.append(step)
                before = stage
        return steps

    def _feature(self) -> Iterator[tuple[Stage, Iterator[Step]]]:
        for stage in self._stages:
            match stage.work:
                case StageWork.DOCUMENT:
                    yield stage, self._document(stage)
                case StageWork.IMPLEMENT:
                    yield stage, self._implement(stage)
                case _:
                    yield stage, iter([self._step(Turn.RETRO, stage, "retro-facilitator")])

    def _tier(self) -> Iterator[tuple[Stage, Iterator[Step]]]:
        """Judges of a tier are content: how often one is not, nobody has counted."""
        for stage in self._stages:
            if stage.work is StageWork.JUDGE:
                yield stage, iter([self._look(stage, stage.author, 1, rejects=False)])
            elif stage.work is not StageWork.CHECK:  # green: no agent is asked
                yield stage, iter([self._built(stage)])

    def _built(self, stage: Stage) -> Step:
        turn = Turn.BUILD if stage.work is StageWork.BUILD else Turn.WRITE
        assert stage.writes is not None
        made = self._modules(1) if turn is Turn.BUILD else ()
        step = self._step(turn, stage, stage.author, makes=made)
        name = stage.writes.value
        answer = step.answer + SIZES.handoff
        return replace(step, document=name, size=self._size(name), loop=self.flow, answer=answer)

    def _document(self, stage: Stage) -> Iterator[Step]:
        assert stage.writes is not None
        name = stage.writes.value
        for role in stage.research:
            step = self._step(Turn.RESEARCH, stage, role)
            yield replace(step, wave=f"research {stage.name}")
        size, parts = self._size(name), stage.parts or ("",)
        step = self._step(Turn.WRITE, stage, stage.author, part=parts[0])
        yield replace(step, document=name, size=size)
        for part in parts[1:]:
            yield self._part(stage, part)
        roles = [role for group in stage.reviewers for role in group]
        if self._merged and len(roles) == len(PANEL) and roles[-1] == SECOND:
            yield from self._panel(stage, roles, size)
            return
        for role in roles:
            yield from self._loop(stage, role, size)

    def _panel(self, stage: Stage, roles: Sequence[str], size: int) -> Iterator[Step]:
        """Until the first passes the second's word does not count, and is not given."""
        panel = tuple(roles)
        loop = f"{stage.name}/{joint_name(panel)}"
        first, second = (list(self._loop(stage, role, size)) for role in panel)
        for step in first:
            looks = step.turn is Turn.REVIEW
            yield (
                replace(step, panel=panel, loop=loop)
                if looks and step.rejects
                else (_with_second(step, second[0], loop, panel) if looks else step)
            )
        for step in second[1:]:
            looks = step.turn is Turn.REVIEW
            yield replace(step, panel=panel, loop=loop) if looks else step

    def _part(self, stage: Stage, part: str) -> Step:
        """The document is there: nothing is looked for, a passage is added."""
        assert stage.writes is not None
        step = self._step(Turn.PART, stage, stage.author, part=part)
        needs = replace(step.needs, files=0, steady_files=0, searches=(), changes=1, commands=0)
        return replace(step, document=stage.writes.value, needs=needs, changed=PART_SHARE)

    def _loop(self, stage: Stage, role: str, size: int) -> Iterator[Step]:
        last = min(CAP, stage.cap, loop_rounds(self.kind, self.seed, role, stage.name))
        for number in range(1, last + 1):
            rejects = number < last
            yield self._look(stage, role, number, rejects)
            if rejects:
                yield self._revision(stage, size)

    def _look(self, stage: Stage, role: str, number: int, rejects: bool) -> Step:
        """A reviewer of a document, or whoever judges a stage of a tier."""
        turn = Turn.JUDGE if stage.work is StageWork.JUDGE else Turn.REVIEW
        step = self._step(turn, stage, role)
        document = stage.writes.value if stage.writes and turn is Turn.REVIEW else ""
        found = self._findings(step, rejects=rejects)
        return replace(
            step, document=document, rejects=rejects, findings=found, answer=_verdict(found),
            wait=Wait.ROUND if number > 1 else Wait.NONE,
        )  # fmt: skip

    def _revision(self, stage: Stage, size: int) -> Step:
        assert stage.writes is not None
        step = self._step(Turn.REVISE, stage, stage.author)
        typed = step.needs.changes * SIZES.passage * CHARS_PER_TOKEN
        return replace(
            step, document=stage.writes.value, changed=min(CHANGED_SHARE, typed / max(1, size))
        )

    def _implement(self, stage: Stage) -> Iterator[Step]:
        count = whole(self._habits.tasks, self.seed, "tasks")
        for number in range(1, count + 1):
            made = self._modules(number)
            yield self._step(Turn.IMPLEMENT, stage, stage.author, task=number, makes=made)
        yield self._step(Turn.SIMPLIFY, stage, "code-simplifier")
        yield self._step(Turn.OUTLINE, stage, "test-deepener", part="A")
        yield self._step(Turn.DEEPEN, stage, "test-deepener", part="B")
        yield from self._code_review(stage)

    def _code_review(self, stage: Stage) -> Iterator[Step]:
        (roles,) = stage.reviewers
        rounds = {
            role: min(CAP, loop_rounds(self.kind, self.seed, role, stage.name)) for role in roles
        }
        last = max(rounds.values())
        for number in range(1, last + 1):
            for role in roles:
                if number <= rounds[role]:
                    yield self._code_look(stage, role, number, rejects=number < rounds[role])
            if number < last:
                yield self._fix(stage)
        for role in roles:  # only who has not seen what stands there now
            if rounds[role] < last:
                yield self._code_look(stage, role, last + 1, final=True)

    def _code_look(
        self, stage: Stage, role: str, number: int, *, rejects: bool = False, final: bool = False
    ) -> Step:
        step = self._step(Turn.REVIEW, stage, role, final=final)
        found = self._findings(step, rejects=rejects)
        return replace(
            step, rejects=rejects, findings=found, answer=_verdict(found), round=number,
            wave=f"code review {number}", wait=Wait.ROUND if number > 1 else Wait.NONE,
        )  # fmt: skip

    def _fix(self, stage: Stage) -> Step:
        """A few files change; the list holds the new versions afterwards."""
        step = self._step(Turn.REVISE, stage, stage.author)
        code = [n for n, file in enumerate(self.made) if not is_test(file)]
        places = code[:FIXED_FILES]
        for place in places:
            self.made[place] = self.made[place]._replace(version=self.made[place].version + 1)
        return replace(step, changes=tuple(self.made[place] for place in places))

    def _step(
        self, turn: Turn, stage: Stage, role: str, *, task: int = 0, part: str = "",
        makes: tuple[File, ...] = (), final: bool = False,
    ) -> Step:  # fmt: skip
        on_code = stage.work is StageWork.IMPLEMENT
        loop = f"{stage.name}/{role}/{task or ''}"
        if turn is Turn.REVISE and on_code:
            loop += "fix"
        if turn in (Turn.OUTLINE, Turn.DEEPEN):
            loop += part
        self._turns[loop] += 1
        number = self._turns[loop]
        tier = self.flow in TIERS
        identity = TurnIdentity(role, stage.name, str(task or ""), number)
        works = errand_of(identity)
        return Step(
            turn=turn, kind=TURNS[turn].kinds.here(on_code=on_code, in_tier=tier, final=final),
            errand=turn_history.errand_of(turn.value, stage.name) or Errand.LONE,
            stage=stage.name, role=role, loop=loop, round=number,
            needs=turn_needs(self.kind, self.seed, works, identity),
            task=task, part=part, makes=makes, final=final, authored=stage.writes is not None,
            on_documents=stage.work is StageWork.DOCUMENT,
            answer=whole(self._habits.report_chars, self.seed, *identity, "report")
            // CHARS_PER_TOKEN,
        )  # fmt: skip

    def _modules(self, number: int) -> tuple[File, ...]:
        """A module and its tests."""
        path = f"src/feature/part_{number:02d}.py"
        lines = whole(self._habits.module_lines, self.seed, path, "lines")
        tests = File(f"tests/test_part_{number:02d}.py", 1, SIZES.test)
        found = (File(path, 1, SIZES.code_line * lines), tests)
        self.made += found
        return found

    def _findings(self, step: Step, *, rejects: bool) -> tuple[int, ...]:
        if not rejects:
            return ()
        about = (self.seed, *step.identity)
        count = whole(self._habits.findings, *about, "findings")
        return tuple(
            whole(self._habits.finding_chars, *about, "finding", number) for number in range(count)
        )

    def _size(self, name: str) -> int:
        return whole(self._habits.document_chars, self.seed, f"{name}.md", "chars")


def _verdict(findings: tuple[int, ...]) -> int:
    words = sum(findings) // CHARS_PER_TOKEN
    return SIZES.verdict + words + len(findings) * SIZES.finding


def _with_second(step: Step, other: Step, loop: str, panel: tuple[str, ...]) -> Step:
    """One turn that does the work of both and gives both verdicts."""
    mine, its = step.needs, other.needs
    seconds = mine.seconds + its.seconds
    calls = mine.seconds / mine.call_seconds + its.seconds / its.call_seconds
    needs = replace(
        mine, searches=tuple(dict.fromkeys((*mine.searches, *its.searches))), seconds=seconds,
        call_seconds=seconds / calls,
    )  # fmt: skip
    return replace(
        step, needs=needs, loop=loop, panel=panel, beside=other.identity, rejects=other.rejects,
        findings=other.findings, answer=step.answer + other.answer,
    )  # fmt: skip
