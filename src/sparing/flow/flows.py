"""The flows that ship: `feature`, the three tiers, `project`. One engine runs them all."""

from __future__ import annotations

from dataclasses import replace

from sparing import feature
from sparing.artifact import ArtifactName as A
from sparing.flow.stage import Flow, ModelClass, Stage, StageWork
from sparing.turn import TURNS, Turn

CODE_REVIEWERS = ("implementation-reviewer", "code-quality-reviewer", "security-reviewer")
RESEARCH = TURNS[Turn.RESEARCH].roles

_PRD = Stage(
    "brainstorm", StageWork.DOCUMENT, "prd-author", writes=A.PRD, gate=True, research=RESEARCH,
    reviewers=(("prd-reviewer",), ("readiness-reviewer",)), cap=3, model=ModelClass.STRONG,
)  # fmt: skip
FEATURE = Flow(
    "feature",
    (
        _PRD,
        Stage(
            "specify", StageWork.DOCUMENT, "spec-author", reads=(A.PRD,), writes=A.SPEC, gate=True,
            reviewers=(("spec-reviewer",), ("phase-reviewer",)), model=ModelClass.STRONG,
        ),
        Stage(
            "design", StageWork.DOCUMENT, "design-author", reads=(A.PRD, A.SPEC), writes=A.DESIGN,
            reviewers=(("design-reviewer",), ("phase-reviewer",)), gate=True,
            model=ModelClass.STRONG, research=RESEARCH, parts=("architecture", "interface"),
        ),
        Stage(
            "create-plan", StageWork.DOCUMENT, "plan-author", reads=(A.PRD, A.SPEC, A.DESIGN),
            writes=A.PLAN, requires=(A.DESIGN,), gate=True,
            reviewers=(("plan-reviewer",), ("phase-reviewer",)),
        ),
        Stage(
            "create-tasks", StageWork.DOCUMENT, "tasks-author",
            reads=(A.PRD, A.SPEC, A.DESIGN, A.PLAN),
            writes=A.TASKS, requires=(A.PLAN,), gate=True,
            reviewers=(("task-reviewer",), ("phase-reviewer",)),
        ),
        Stage(
            "implement", StageWork.IMPLEMENT, "implementer",
            reads=(A.PRD, A.SPEC, A.DESIGN, A.PLAN, A.TASKS), requires=(A.SPEC, A.TASKS),
            reviewers=(CODE_REVIEWERS,), gate=True,
        ),
        Stage("finish", StageWork.CHECK, "implementer", learns=True, gate=True),
    ),
)  # fmt: skip

_BRAINSTORM = Stage(
    "brainstorm", StageWork.DOCUMENT, "builder", writes=A.BRAINSTORM, gate=True,
    budget_tokens=15_000, breaker="plan",
)  # fmt: skip
_DESIGN_REVIEW = Stage(
    "design_review", StageWork.JUDGE, "judge", reads=(A.BRAINSTORM,), writes=A.DESIGN_REVIEW,
    gate=True,
    budget_tokens=20_000, on_fail="brainstorm", breaker="plan", model=ModelClass.STRONG,
)  # fmt: skip
_PLAN = Stage(
    "plan", StageWork.DOCUMENT, "builder", reads=(A.BRAINSTORM,), writes=A.PLAN, gate=True,
    budget_tokens=10_000, breaker="plan",
)  # fmt: skip
_IMPLEMENT = Stage(
    "implement", StageWork.BUILD, "builder", reads=(A.PLAN,), writes=A.IMPLEMENTATION,
    requires=(A.PLAN,), budget_tokens=60_000, breaker="implement",
)  # fmt: skip
_CODE_REVIEW = Stage(
    "code_review", StageWork.JUDGE, "judge", reads=(A.PLAN, A.IMPLEMENTATION), writes=A.CODE_REVIEW,
    gate=True, budget_tokens=15_000, on_fail="implement", breaker="implement",
    model=ModelClass.STRONG,
)  # fmt: skip
_VERIFY = Stage(
    "verify",
    StageWork.CHECK,
    "builder",
    writes=A.VERIFICATION,
    budget_tokens=10_000,
    on_fail="implement",
    breaker="implement",
)
_DONE = Stage(
    "done", StageWork.DOCUMENT, "builder", reads=(A.PLAN, A.IMPLEMENTATION), writes=A.SUMMARY,
    gate=True,
    budget_tokens=5_000, breaker="implement",
)  # fmt: skip

L1 = Flow("L1", (_PLAN, _IMPLEMENT, _DONE))
_CHECKED = (*_DONE.reads, A.VERIFICATION)
"""What the last author reads, including the program's verification, which no session has seen."""
L2 = Flow(
    "L2", (_BRAINSTORM, _PLAN, _IMPLEMENT, _VERIFY, replace(_DONE, reads=_CHECKED))
)  # fmt: skip
L3 = Flow(
    "L3",
    (
        _BRAINSTORM,
        _DESIGN_REVIEW,
        replace(_PLAN, reads=(A.BRAINSTORM, A.DESIGN_REVIEW)),
        _IMPLEMENT,
        _CODE_REVIEW,
        _VERIFY,
        replace(_DONE, reads=(*_CHECKED, A.CODE_REVIEW)),
    ),
)

PROJECT = Flow(
    feature.PROJECT,
    (
        _PRD,
        Stage(
            "decompose", StageWork.PROPOSE, "decomposer", reads=(A.PRD,), writes=A.ROADMAP,
            requires=(A.PRD,), gate=True,
        ),
    ),
)  # fmt: skip

FLOWS = {flow.name: flow for flow in (FEATURE, L1, L2, L3, PROJECT)}
TIERS = frozenset({L1.name, L2.name, L3.name})


def code_stage(flow: str) -> Stage:
    """Where a flow's code is written; of a flow that writes none, its last stage."""
    makes = (StageWork.IMPLEMENT, StageWork.BUILD)
    stages = FLOWS[flow].stages
    return next((stage for stage in stages if stage.work in makes), stages[-1])


def builder_of(tier: str) -> str:
    """Whose session the stages of a tier share."""
    return FLOWS[tier].stages[0].author
