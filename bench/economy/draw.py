"""The work of one feature, drawn once from a seed: who is asked what, and what each turn takes.

Five documents, each written and then looked at by two reviewers in turn; tasks; three roles with
one turn each; three code reviewers with fixes between their rounds and a last validation. Only
numbers are drawn here. What a turn needs differs by what the agent remembers, never by strategy.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bench.economy.parameters import Parameters
from sparing.context.prompt.brief import REVIEWS
from sparing.turn_kind import TurnKind

CODE_REVIEWERS = ("implementation-reviewer", "code-quality-reviewer", "security-reviewer")


class File(NamedTuple):
    """A file as it stood once."""

    path: str
    version: int
    tokens: int


class Phase(NamedTuple):
    stage: str
    document: str
    author: str
    reviewers: tuple[str, str]


PHASES = (
    Phase("brainstorm", "prd", "prd-author", ("prd-reviewer", "readiness-reviewer")),
    Phase("specify", "spec", "spec-author", ("spec-reviewer", "phase-reviewer")),
    Phase("design", "design", "design-author", ("design-reviewer", "phase-reviewer")),
    Phase("create-plan", "plan", "plan-author", ("plan-reviewer", "phase-reviewer")),
    Phase("create-tasks", "tasks", "tasks-author", ("task-reviewer", "phase-reviewer")),
)


@dataclass(frozen=True, slots=True)
class Work:
    """What a turn does: files it has to have seen, sizes of other tools' results."""

    files: tuple[File, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One dispatch, as numbers."""

    kind: TurnKind
    stage: str
    role: str
    loop: str
    """Turns of one loop can go on in one session."""
    round: int
    gap: float
    fresh: Work
    """For an agent without memory."""
    again: Work
    """For one that remembers its last turn."""
    answer: int
    wave: str = ""
    """Steps of one wave run at the same time."""
    document: str = ""
    size: int = 0
    """Characters of the document that is written."""
    changed: float = 0.0
    growth: float = 1.0
    """Of a revision: the share of lines that changes, and the new length."""
    makes: tuple[File, ...] = ()
    changes: tuple[File, ...] = ()
    """Files of the feature as a fix leaves them."""
    diff_tokens: int = 0
    rejects: bool = False
    """Its verdict opens another round."""
    cited: tuple[File, ...] = ()
    """Files named in what the turn is given: most of those it needs, and some that it does not."""
    cited_again: tuple[File, ...] = ()
    """The same for who remembers."""
    task: int = 0
    components: int = 0
    """Sections of the design that the task refers to."""

    @property
    def noted(self) -> Work:
        """For an agent that has its own notes of the last turn instead of its transcript."""
        files = (*self.again.files, *self.fresh.files[:2])
        return Work(files, (*self.again.results, *self.fresh.results[:1]))


class Drawing:
    """Draws in one fixed order, so that a seed means the same work for ever."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self._p = parameters
        self._draw = random.Random(seed)
        self._cite = random.Random(f"cited {seed}")
        names = [f"src/store/module_{number:02d}.py" for number in range(parameters.files)]
        self.pool = [File(name, 1, round(self._uniform(parameters.file_tokens))) for name in names]
        self._draw.shuffle(self.pool)
        self.made: list[File] = []

    def steps(self) -> list[Step]:
        steps = [step for phase in PHASES for step in self._phase(phase)]
        steps += [self._task(number) for number in range(1, self._p.tasks + 1)]
        steps += self._single_turns()
        steps += self._code_review()
        return [self._with_cited(step) for step in steps]

    def _phase(self, phase: Phase) -> list[Step]:
        draw, gap = self._draw, self._p.gap_seconds
        size = round(self._uniform(self._p.document_chars))
        seen = self._popular(draw.randint(*self._p.explored_files))
        loop = f"{phase.stage}/{phase.author}"
        steps = [
            Step(
                TurnKind.WRITE, phase.stage, phase.author, loop, 1, self._uniform(gap),
                Work(tuple(seen), self._results(2, 4)), Work(tuple(seen[:2]), self._results(2, 4)),
                size // 4 + 400, document=phase.document, size=size,
            )
        ]  # fmt: skip
        for place, role in enumerate(phase.reviewers):
            known = draw.sample(seen, min(len(seen), draw.randint(3, 5))) + self._popular(1)
            rounds = self._rounds()
            for number in range(1, rounds + 1):
                more = self._popular(1) if draw.random() < 0.5 else []
                steps.append(self._review(phase, role, number, (known, more), number < rounds))
                if number < rounds or (not place and draw.random() < 0.3):
                    written = sum(step.kind in (TurnKind.WRITE, TurnKind.REVISE) for step in steps)
                    steps.append(self._revision(phase, written + 1, size, (seen[:3], more)))
        return steps

    def _review(
        self, phase: Phase, role: str, number: int, files: tuple[list[File], list[File]], no: bool
    ) -> Step:
        known, more = files
        gap = self._uniform(self._p.gap_seconds) if number > 1 else 30
        return Step(
            TurnKind.REVIEW, phase.stage, role, f"{phase.stage}/{role}", number, gap,
            Work((*known, *more), self._results(2, 6)), Work(tuple(more), self._results(1, 3)),
            round(self._uniform((700, 1400))), document=phase.document, rejects=no,
        )  # fmt: skip

    def _revision(
        self, phase: Phase, turn: int, size: int, files: tuple[list[File], list[File]]
    ) -> Step:
        seen, more = files
        return Step(
            TurnKind.REVISE, phase.stage, phase.author, f"{phase.stage}/{phase.author}", turn, 20,
            Work((*seen, *more), self._results(2, 4)), Work(tuple(more), self._results(2, 4)),
            round(self._uniform((0.15, 0.30)) * size / 4) + 350,
            document=phase.document, changed=self._uniform(self._p.changed_share),
            growth=self._uniform((0.97, 1.06)),
        )  # fmt: skip

    def _task(self, number: int) -> Step:
        draw = self._draw
        needed = self._popular(draw.randint(2, 5)) + draw.sample(self.made, min(len(self.made), 2))
        new = File(
            f"src/feature/part_{number:02d}.py", 1, round(self._uniform(self._p.file_tokens))
        )
        step = Step(
            TurnKind.TASK, "implement", "implementer", f"implement/task-{number}", 1,
            self._uniform(self._p.gap_seconds) if number == 1 else 25,
            Work(tuple(needed), self._results(5, 9)),
            Work(tuple(one for one in needed if draw.random() < 0.5), self._results(5, 9)),
            round(self._uniform((2000, 4200))), makes=(new,), task=number,
            components=draw.choice((3, 4, 5)),
        )  # fmt: skip
        self.made.append(new)
        return step

    def _single_turns(self) -> list[Step]:
        made = tuple(self.made)
        steps: list[Step] = []
        for role, calls, answer, loop in (
            ("code-simplifier", (3, 6), 1500, "implement/simplifier"),
            ("test-deepener", (4, 8), 2600, "implement/deepener-A"),
            ("test-deepener", (4, 8), 2600, "implement/deepener-B"),
        ):
            work = Work(made, self._results(*calls))
            gap = 30 if role == "code-simplifier" else 20
            steps.append(
                Step(
                    TurnKind.ASSIST,
                    "implement",
                    role,
                    loop,
                    1,
                    gap,
                    work,
                    Work((), work.results),
                    answer,
                )
            )
        return steps

    def _code_review(self) -> list[Step]:
        rounds = {role: self._rounds() for role in CODE_REVIEWERS}
        last, most = max(rounds.values()), len(self._p.rounds)
        current, steps = list(self.made), list[Step]()
        gap = self._uniform(self._p.gap_seconds)
        for number in range(1, min(last + 1, most) + 1):
            final = number == last + 1
            if final and last == 1:
                break
            for role in CODE_REVIEWERS:
                if final or number <= rounds[role]:
                    no = number < rounds[role]
                    steps.append(self._code_look(role, number, gap, current, final=final, no=no))
            if not final and number < last:
                steps.append(self._fix(number, current))
                gap = self._uniform(self._p.gap_seconds)
        return steps

    def _code_look(
        self, role: str, number: int, gap: float, current: list[File], *, final: bool, no: bool
    ) -> Step:
        return Step(
            TurnKind.VALIDATE if final else TurnKind.REVIEW, "implement", role,
            f"implement/{role}", number,
            gap, Work(tuple(current), self._results(2, 6)),
            Work(tuple(self._draw.sample(current, 1)), self._results(1, 3)),
            round(self._uniform((700, 1400))), wave=f"code review {number}", rejects=no,
        )  # fmt: skip

    def _fix(self, number: int, current: list[File]) -> Step:
        """Three files change; the list that is given holds the new versions afterwards."""
        draw = self._draw
        places = draw.sample(range(len(current)), min(3, len(current)))
        old = tuple(current[place] for place in places)
        others = draw.sample(current, min(4, len(current)))
        for place in places:
            current[place] = current[place]._replace(version=current[place].version + 1)
        return Step(
            TurnKind.FIX, "implement", "implementer", "implement/fix", number, 20,
            Work((*old, *others), self._results(5, 9)), Work(old, self._results(4, 8)),
            round(self._uniform((900, 2200))), changes=tuple(current[place] for place in places),
            diff_tokens=round(self._uniform((1200, 4000))),
        )  # fmt: skip

    def _with_cited(self, step: Step) -> Step:
        """Code under review is shown whole, so nobody needs to cite it."""
        if step.kind is TurnKind.ASSIST or (step.kind in REVIEWS and not step.document):
            return step
        cited, again = self._cited(step.fresh.files), self._cited(step.again.files)
        return replace(step, cited=cited, cited_again=again)

    def _cited(self, needed: Sequence[File]) -> tuple[File, ...]:
        draw = self._cite
        known = list(dict.fromkeys(needed))
        chosen = [one for one in known if draw.random() < self._p.cited_share]
        waste = self._p.cited_waste * sum(one.tokens for one in chosen)
        others = [one for one in self.pool if one not in known]
        while waste > 0 and others:
            extra = others.pop(draw.randrange(len(others)))
            if draw.random() < waste / extra.tokens:
                chosen.append(extra)
            waste -= extra.tokens
        return tuple(chosen)

    def _popular(self, count: int) -> list[File]:
        left, chosen = list(range(len(self.pool))), list[File]()
        for _ in range(min(count, len(left))):
            weights = [1 / (place + 1) ** self._p.popularity for place in left]
            place = self._draw.choices(range(len(left)), weights)[0]
            chosen.append(self.pool[left.pop(place)])
        return chosen

    def _results(self, least: int, most: int) -> tuple[int, ...]:
        count = max(1, round(self._draw.randint(least, most) * self._p.calls_factor))
        return tuple(round(self._uniform(self._p.result_tokens)) for _ in range(count))

    def _rounds(self) -> int:
        if self._p.fixed_rounds:
            return self._p.fixed_rounds
        return self._draw.choices(range(1, len(self._p.rounds) + 1), self._p.rounds)[0]

    def _uniform(self, span: Sequence[float]) -> float:
        return self._draw.uniform(*span)
