"""Every sensible prompt of the sample feature: role, stage, iteration, way and order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sparing.briefing.gather import gather
from sparing.briefing.trunk_group import PromptClient, trunk_key
from sparing.context.prompt import turn_words
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.compose import Composed, compose
from sparing.context.prompt.shorten import compact
from sparing.dispatch_policy import Order, Way
from sparing.flow.flows import FEATURE, FLOWS
from sparing.flow.stage import Flow, Stage, StageWork
from sparing.report.prompt import PromptPage, prompt_text
from sparing.roles.load import shipped
from sparing.runtime.source import Source
from sparing.segment import Segment, Volatility
from sparing.turn import Turn
from sparing.turn_kind import KINDS
from tests.briefing.sample import Sample

CLIENT = PromptClient("scripted", "", 1)
NESTED, SEED = Order.NESTED, Order.SEED
COMPOSE, REFERENCE, RESUME, FORK = Way.COMPOSE, Way.REFERENCE, Way.RESUME, Way.FORK
FRESH = tuple((way, order) for way in (COMPOSE, REFERENCE) for order in (NESTED, SEED))
LOOK_AGAIN = ((COMPOSE, NESTED), (REFERENCE, SEED))
AGAIN = ((RESUME, NESTED), (RESUME, SEED))
DOCUMENT_STAGES = tuple(stage for stage in FEATURE.stages if stage.work is StageWork.DOCUMENT)


class Case(NamedTuple):
    role: str
    stage: str
    iteration: str
    """A number, or what the turn is: `final`, `redo`, `task`, `fix`, `checks`, `A`, `B`."""
    ways: tuple[tuple[Way, Order], ...]
    job: dict[str, Any]
    flow: str = "feature"
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    case: Case
    way: Way
    order: Order
    source: Source
    brief: Brief
    composed: Composed

    @property
    def name(self) -> str:
        stage = self.case.stage if self.case.flow == "feature" else self._tier_stage
        return "-".join(
            (self.case.role, stage, self.case.iteration, self.way.value, self.order.value)
        )

    @property
    def _tier_stage(self) -> str:
        return f"{self.case.flow}.{self.case.stage}"

    @property
    def segments(self) -> tuple[Segment, ...]:
        return self.composed.segments

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)

    @property
    def trunk(self) -> tuple[Segment, ...]:
        return self.segments[: self.composed.trunk]

    def named(self, name: str) -> str:
        return "".join(segment.text for segment in self.segments if segment.name == name)


def reviewers(stage: Stage) -> Iterator[Case]:
    for role in (role for group in stage.reviewers for role in group):
        first: dict[str, Any] = {"turn": Turn.REVIEW}
        yield Case(role, stage.name, "1", (*FRESH, (FORK, NESTED)), first)
        again = {**first, "iteration": 2, "seen": 1}
        ways = LOOK_AGAIN if shipped(role).always_fresh else (*LOOK_AGAIN, *AGAIN)
        yield Case(role, stage.name, "2", ways, again, lost=not shipped(role).always_fresh)
        if stage.work is StageWork.IMPLEMENT:
            final = {**first, "iteration": 3, "seen": 1, "final": True}
            yield Case(role, stage.name, "final", (*AGAIN, (REFERENCE, SEED)), final)


def panels(stage: Stage) -> Iterator[Case]:
    """Both look, both look again, and the second looks again after the first has passed."""
    who = tuple(role for group in stage.reviewers for role in group)
    first: dict[str, Any] = {"turn": Turn.REVIEW, "panel": who}
    again, ways = {**first, "iteration": 2, "seen": 1}, ((COMPOSE, NESTED), (RESUME, NESTED))
    fresh = ((COMPOSE, NESTED), (REFERENCE, NESTED))
    yield Case(who[0], stage.name, "panel-1", fresh, first)
    yield Case(who[0], stage.name, "panel-2", ways, again)
    yield Case(who[1], stage.name, "panel-2", ways, again)


def authors(stage: Stage) -> Iterator[Case]:
    role = stage.author
    write: dict[str, Any] = {"turn": Turn.WRITE, "part": "".join(stage.parts[:1])}
    write["research"] = "".join(stage.research[:1])
    yield Case(role, stage.name, "1", ((COMPOSE, NESTED), (REFERENCE, SEED)), write)
    for part in stage.parts[1:]:
        on = {"turn": Turn.PART, "part": part, "seen": 1}
        yield Case(role, stage.name, part, ((COMPOSE, NESTED), (RESUME, NESTED)), on)
    revise = {"turn": Turn.REVISE, "iteration": 2, "seen": 1, "settles": True}
    yield Case(role, stage.name, "2", ((COMPOSE, NESTED), (RESUME, NESTED)), revise)
    redo = {"turn": Turn.REDO, "iteration": 2, "seen": 1, "feedback": "feedback"}
    yield Case(role, stage.name, "redo", ((COMPOSE, NESTED), (RESUME, NESTED)), redo)


def implementer() -> Iterator[Case]:
    def case(name: str, *ways: tuple[Way, Order], **job: Any) -> Case:
        return Case("implementer", "implement", name, ways, job)

    yield case("task", *FRESH, turn=Turn.IMPLEMENT, task="2")
    again = {"task": "2", "iteration": 2, "feedback": "checks"}
    yield case("task2", (COMPOSE, NESTED), turn=Turn.IMPLEMENT, **again)
    chained = {"task": "2", "chain": "1", "seen": 1}
    yield case("task-chained", (RESUME, NESTED), turn=Turn.IMPLEMENT, **chained)
    yield case("mend", (COMPOSE, NESTED), turn=Turn.MEND, feedback="checks")
    yield case("fix", *FRESH, turn=Turn.REVISE, settles=True)
    yield case("fix2", *AGAIN, turn=Turn.REVISE, iteration=2, seen=1, settles=True)
    yield case("checks", (COMPOSE, NESTED), turn=Turn.REPAIR_CHECKS, feedback="checks")
    yield case("redo", (COMPOSE, NESTED), turn=Turn.REDO, feedback="feedback")


def assistants() -> Iterator[Case]:
    ways = ((COMPOSE, NESTED), (REFERENCE, SEED))
    yield Case("code-simplifier", "implement", "1", ways, {"turn": Turn.SIMPLIFY})
    yield Case("test-deepener", "implement", "A", ways, {"turn": Turn.OUTLINE})
    with_outlines = {"turn": Turn.DEEPEN, "feedback": "outlines"}
    yield Case("test-deepener", "implement", "B", ways, with_outlines)
    for role in ("codebase-explorer", "researcher"):
        yield Case(role, "design", "1", ways[:1], {"turn": Turn.RESEARCH})
    yield Case("decomposer", "brainstorm", "1", ways[:1], {"turn": Turn.PROPOSE})
    yield Case("retro-facilitator", "finish", "1", ways[:1], {"turn": Turn.RETRO})


def tier(flow: Flow, names: tuple[str, ...]) -> Iterator[Case]:
    for stage in (flow.stage(name) for name in names):
        judges = stage.work is StageWork.JUDGE
        turn = Turn.JUDGE if judges else Turn.BUILD if stage.work is StageWork.BUILD else Turn.WRITE
        job = {"turn": turn, "flow": flow.name}
        yield Case(stage.author, stage.name, "1", ((COMPOSE, NESTED),), job, flow.name)
        if not judges and stage is not flow.stages[0]:
            on = {**job, "seen": 1}
            yield Case(stage.author, stage.name, "transition", ((RESUME, NESTED),), on, flow.name)


def cases() -> Iterator[Case]:
    for stage in DOCUMENT_STAGES:
        yield from authors(stage)
        yield from reviewers(stage)
    for name in ("specify", "create-plan"):
        yield from panels(FEATURE.stage(name))
    yield from implementer()
    yield from assistants()
    yield from reviewers(FEATURE.stage("implement"))
    own = tuple(s.name for s in FLOWS["L3"].stages if s.work is not StageWork.CHECK)
    yield from tier(FLOWS["L3"], own)
    yield from tier(FLOWS["L2"], ("plan",))
    yield from tier(FLOWS["L1"], ("plan",))


def prompts(sample: Sample) -> Iterator[Prompt]:
    under = {SEED: seeded(sample)}
    for case in cases():
        sources = {
            order: under.get(order, sample).source(case.role, case.stage, **case.job)
            for _, order in case.ways
        }
        briefs = {order: gather(source) for order, source in sources.items()}
        for way, order in case.ways:
            lost, brief = case.lost and order is SEED and way is not RESUME, briefs[order]
            said = replace(brief, asked=replace(brief.asked, lost=lost))
            composed = placed(compose(said, way, order), sample)
            yield Prompt(case, way, order, sources[order], said, composed)


def seeded(sample: Sample) -> Sample:
    """The order `seed` is shown under the policy whose order it is."""
    overrides = {"review.policy": "seed"}
    rows = {flow: replace(row, overrides=overrides) for flow, row in sample.rows.items()}
    return sample._replace(around=replace(sample.around, _loaded={}), rows=rows)


def placed(composed: Composed, sample: Sample) -> Composed:
    """With a worktree that lies at the same place everywhere."""
    segments = tuple(
        replace(segment, text=segment.text.replace(sample.seen, "/worktree"))
        for segment in composed.segments
    )
    return Composed(segments, composed.trunk)


def page(prompt: Prompt) -> str:
    role, asked = prompt.source.role, prompt.brief.asked
    facts = {
        "role": role.name,
        "stage": asked.stage,
        "iteration": prompt.case.iteration,
        "way": prompt.way.value,
        "order": prompt.order.value,
    }
    system = Segment("system", turn_words.system(role.role_class.value), Volatility.FEATURE)
    formed = KINDS[asked.kind].formed and prompt.brief.schema is not None
    schema = Segment("schema", compact(prompt.brief.schema), Volatility.FEATURE)
    key = trunk_key(prompt.source, prompt.brief, CLIENT)
    return prompt_text(
        PromptPage(
            facts, system, prompt.segments, prompt.composed.trunk, key.digest,
            schema.digest if formed else "",
        )
    )  # fmt: skip
