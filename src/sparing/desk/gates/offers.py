"""What a person may do with a feature in its current state: what it leads to, what that costs.

Shown before anything is done. The transition table decides what is offered, as for the commands;
prices are estimates and say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.view import choices_of
from sparing.desk.gates.actions import GateAction
from sparing.desk.gates.gate import next_stage
from sparing.desk.money.caps import raise_command
from sparing.desk.money.forecast import outlook_brief, stage_outlook, stage_outlooks
from sparing.desk.money.price_of_waiting import price_of_waiting, waiting_words
from sparing.desk.office import Office
from sparing.desk.upstream.fix_round import finding_words, plan_fix, severities
from sparing.desk.upstream.pull_requests import open_findings
from sparing.desk.upstream.sync import plan_sync
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState, Position
from sparing.records.features import FeatureRow

FREE = "costs nothing"
LABELS = {
    "approve": "Approve", "reject": "Reject", "answer": "Answer", "rule": "Rule", "edit": "Edit",
    "resume": "Resume", "rerun": "Rerun", "skip": "Skip", "raise": "Raise a cap", "stop": "Stop",
    "run": "Run", "pause": "Pause", "sync": "Sync", "fix": "Fix",
    "abandon": "Abandon", "back": "Go back", "say": "Say",
}  # fmt: skip
WORDS = {
    "answer": "the stage continues with your answers",
    "resume": "continues where it stopped; finished work is not repeated",
    "run": "continues where it stopped; finished work is not repeated",
    "edit": "your version becomes a commit in your name",
    "rule": "decide for each finding whether it must be fixed",
    "stop": "it ends here; its document stays",
    "rerun": "the stage runs again from the commit before it; old commits are kept",
    "skip": "continues with a later stage and skips those between",
    "back": "an earlier stage runs again, and those after it",
    "abandon": "it ends; branch, worktree and records stay",
    "raise": "raises a limit; what it stopped continues if the next turn fits",
    "say": "its author reads your message with its next turn",
}
"""What each action leads to; `approve` and `reject` depend on the feature's state."""
RARE = ("edit", "rerun", "skip", "back", "abandon", "raise", "say")
"""Actions that are always available, in the order in which they are listed."""


class StageChoice(NamedTuple):
    name: str
    costs: str
    """Cost of this stage alone."""


class ActionOffer(NamedTuple):
    verb: str
    label: str
    does: str
    costs: str
    command: str
    """The equivalent terminal command."""
    first: bool = False
    """True if it moves the feature forward; the others are there when needed."""
    stages: tuple[StageChoice, ...] = ()
    """Stages to choose from, the likeliest first."""
    lines: tuple[str, ...] = ()
    """Full details."""
    about: str = ""
    """Exactly what was offered: a commit, or findings. Sent back when the person accepts."""


def offers(office: Office, row: FeatureRow, at: float) -> tuple[ActionOffer, ...]:
    if row.status.is_over:
        return tuple(_over(office, row, at))
    if row.running:
        return tuple(_running(office, row, at))
    if row.status is FeatureStatus.PLANNED:
        rare = _rare(office, row, ("raise", "abandon"), at)
        return (_run(office, row), *_sync(office, row), *rare)
    leading = [_lead(office, row, one, at) for one in choices_of(office, row)]
    known = {one.verb for one in leading}
    rare = _rare(office, row, [verb for verb in RARE if verb not in known], at)
    return (*leading, *_sync(office, row), *rare)


def _over(office: Office, row: FeatureRow, at: float) -> Iterator[ActionOffer]:
    if row.status is FeatureStatus.COMPLETED:
        yield from _fix(office, row)
        yield from _rare(office, row, ("rerun",), at)


def _sync(office: Office, row: FeatureRow) -> Iterator[ActionOffer]:
    """Offered if the base branch has moved and can be merged in."""
    try:
        plan = plan_sync(office, row)
    except SparingError:
        return
    if plan.move is None:
        return
    does = f"brings {plan.move.branch} into the feature and runs the checks again"
    if row.status is FeatureStatus.PLANNED:
        does = f"it will begin from {plan.move.branch} as it is now"
    costs = f"an agent settles conflicts: {plan.price}" if plan.conflicts else FREE
    yield ActionOffer(
        "sync", LABELS["sync"], does, costs, f"sparing sync {row.feature.id}", first=True,
        lines=plan.lines, about=plan.move.tip,
    )  # fmt: skip


def _fix(office: Office, row: FeatureRow) -> Iterator[ActionOffer]:
    """Offered if findings came back on a pull request."""
    if not open_findings(office, row):
        return
    try:
        plan = plan_fix(office, row)
    except SparingError:
        return
    does = f"{plan.author} answers what was found on pull request #{plan.number}"
    yield ActionOffer(
        "fix", LABELS["fix"], f"{does}: {severities(plan.findings)}", plan.price,
        f"sparing fix {row.feature.id}", first=True, lines=tuple(map(finding_words, plan.findings)),
        about=",".join(one.id for one in plan.findings),
    )  # fmt: skip


def _running(office: Office, row: FeatureRow, at: float) -> Iterator[ActionOffer]:
    """Offers while running; without an engine it was interrupted, and there is nothing to pause."""
    number, runs = row.feature.id, engine_runs(office)
    soon = "after the current turn" if runs else "as soon as an engine runs"
    if runs:
        yield ActionOffer(
            "pause", "Pause", f"it stops {soon}; resume continues from there",
            "the current turn is still paid for", f"sparing pause {number}", first=True,
        )  # fmt: skip
    yield ActionOffer(
        "say", "Say", "its author reads your message with its next turn", FREE,
        f'sparing say {number} "…"',
    )  # fmt: skip
    yield ActionOffer(
        "raise", "Raise a cap", "counts from the next turn on", FREE,
        raise_command(office, row, at),
    )  # fmt: skip
    yield ActionOffer(
        "abandon", "Abandon", f"it ends {soon}; branch, worktree and records stay",
        "the current turn is still paid for" if runs else FREE, f"sparing abandon {number}",
    )  # fmt: skip


def _run(office: Office, row: FeatureRow) -> ActionOffer:
    stage = FlowState.load(row.place["state"]).stage
    return ActionOffer(
        "run", "Run", f"it begins with {stage}, when an engine runs",
        _stage_costs(office, row, stage), f"sparing run {row.feature.id}", first=True,
    )  # fmt: skip


def _lead(office: Office, row: FeatureRow, one: GateAction, at: float) -> ActionOffer:
    verb = one.command.split()[1]
    does, costs = _effect(office, row, verb, at)
    label = LABELS.get(verb, verb.capitalize())
    if FlowState.load(row.place["state"]).cause is Cause.HANDOFF:
        label = {"approve": "Hand off", "reject": "Continue here"}.get(verb, label)
    return ActionOffer(verb, label, one.words or does, costs, one.command, first=True)


def _effect(office: Office, row: FeatureRow, verb: str, at: float) -> tuple[str, str]:
    """What an action leads to, and what that costs."""
    state = FlowState.load(row.place["state"])
    match verb:
        case "approve":
            return _approved(office, row, state)
        case "reject":
            words = f"{state.stage} runs again with your words; after three rejections it stops"
            waits = price_of_waiting(office, row, at)
            return words, waiting_words(waits) if waits else _stage_costs(office, row, state.stage)
        case "skip" | "back":
            return WORDS[verb], "what the stage costs that you choose, and those after it"
        case "answer" | "resume" | "run" | "rerun":
            return WORDS[verb], _stage_costs(office, row, state.stage)
        case _:
            return WORDS.get(verb, ""), FREE


def _approved(office: Office, row: FeatureRow, state: FlowState) -> tuple[str, str]:
    goes_back = state.position is Position.STUCK and state.held is not None
    following = state.stage if goes_back else next_stage(row, state.stage)
    if following in FLOWS[row.feature.flow].names:
        return f"it continues with {following}", _stage_costs(office, row, following)
    return "the branch is handed over", FREE


def _stage_costs(office: Office, row: FeatureRow, stage: str) -> str:
    try:
        return f"{stage}: {outlook_brief(stage_outlook(office, row, stage))}"
    except SparingError:
        return "what that costs is unknown"


def _rare(
    office: Office, row: FeatureRow, verbs: tuple[str, ...] | list[str], at: float
) -> Iterator[ActionOffer]:
    names, number = FLOWS[row.feature.flow].names, row.feature.id
    here = names.index(FlowState.load(row.place["state"]).stage)
    stages = {
        "rerun": tuple(reversed(names[: here + 1])),
        "skip": names[here + 1 :],
        "back": tuple(reversed(names[:here])),
    }
    whole = {"raise": raise_command(office, row, at), "say": f'sparing say {number} "…"'}
    costs_of = _each_costs(office, row) if any(stages.get(verb) for verb in verbs) else {}
    for verb in verbs:
        if verb in stages and not stages[verb]:
            continue
        does, costs = _effect(office, row, verb, 0.0)
        first = "".join(f" {one}" for one in stages.get(verb, ())[:1])
        command = whole.get(verb, f"sparing {verb} {number}{first}")
        yield ActionOffer(
            verb, LABELS[verb], does, costs, command,
            stages=tuple(StageChoice(one, costs_of[one]) for one in stages.get(verb, ())),
        )  # fmt: skip


def _each_costs(office: Office, row: FeatureRow) -> dict[str, str]:
    try:
        found = stage_outlooks(office, row)
    except SparingError:
        return dict.fromkeys(FLOWS[row.feature.flow].names, "unknown")
    return {name: outlook_brief(one) for name, one in found.items()}
