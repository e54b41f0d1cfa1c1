"""What a person may do with a feature where it stands: what it leads to, and what that costs.

Said before anything is done. The table of transitions decides what is offered, as for the
commands; prices are estimates and say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.view import choices_of
from sparing.desk.gates.actions import GateAction
from sparing.desk.gates.gate import next_stage
from sparing.desk.money.forecast import outlook_brief, stage_outlook, stage_outlooks
from sparing.desk.money.price_of_waiting import price_of_waiting, waiting_words
from sparing.desk.office import Office
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState, Position
from sparing.records.features import FeatureRow

FREE = "costs nothing"
LABELS = {
    "approve": "Approve", "reject": "Reject", "answer": "Answer", "rule": "Rule", "edit": "Edit",
    "resume": "Resume", "rerun": "Rerun", "skip": "Skip", "raise": "Raise a cap", "stop": "Stop",
    "run": "Run", "pause": "Pause", "abandon": "Abandon", "back": "Go back", "say": "Say",
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
"""What each leads to; `approve` and `reject` depend on where the feature stands."""
RARE = ("edit", "rerun", "skip", "back", "abandon", "raise", "say")
"""Those that are always there, in the order in which they are listed."""


class StageChoice(NamedTuple):
    name: str
    costs: str
    """Of this stage alone."""


class ActionOffer(NamedTuple):
    verb: str
    label: str
    does: str
    costs: str
    command: str
    """The same in a terminal."""
    first: bool = False
    """Leads on from here; the others are there when they are needed."""
    stages: tuple[StageChoice, ...] = ()
    """Those to choose from, the likeliest first."""


def offers(office: Office, row: FeatureRow, at: float) -> tuple[ActionOffer, ...]:
    if row.status.is_over:
        return tuple(_over(office, row))
    if row.running:
        return tuple(_running(row, runs=engine_runs(office)))
    if row.status is FeatureStatus.PLANNED:
        return (_run(office, row), *_rare(office, row, ("raise", "abandon")))
    leading = [_lead(office, row, one, at) for one in choices_of(office, row)]
    known = {one.verb for one in leading}
    return (*leading, *_rare(office, row, [verb for verb in RARE if verb not in known]))


def _over(office: Office, row: FeatureRow) -> Iterator[ActionOffer]:
    if row.status is FeatureStatus.COMPLETED:
        yield from _rare(office, row, ("rerun",))


def _running(row: FeatureRow, *, runs: bool) -> Iterator[ActionOffer]:
    """Where no engine runs it was interrupted, and there is nothing to pause."""
    number = row.feature.id
    soon = "after the current turn" if runs else "as soon as an engine runs"
    if runs:
        yield ActionOffer(
            "pause", "Pause", f"it stops {soon}; resume continues from there",
            "the turn under way is paid for", f"sparing pause {number}", first=True,
        )  # fmt: skip
    yield ActionOffer(
        "say", "Say", "its author reads your message with its next turn", FREE,
        f'sparing say {number} "…"',
    )  # fmt: skip
    yield ActionOffer(
        "raise", "Raise a cap", "counts from the next turn on", FREE, f"sparing raise {number}"
    )
    yield ActionOffer(
        "abandon", "Abandon", f"it ends {soon}; branch, worktree and records stay",
        "the turn under way is paid for" if runs else FREE, f"sparing abandon {number}",
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
    """What it leads to, and what that costs."""
    state = FlowState.load(row.place["state"])
    match verb:
        case "approve":
            return _approved(office, row, state)
        case "reject":
            words = f"{state.stage} runs again with your words; after three it stops"
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
    office: Office, row: FeatureRow, verbs: tuple[str, ...] | list[str]
) -> Iterator[ActionOffer]:
    names, number = FLOWS[row.feature.flow].names, row.feature.id
    at = names.index(FlowState.load(row.place["state"]).stage)
    stages = {
        "rerun": tuple(reversed(names[: at + 1])),
        "skip": names[at + 1 :],
        "back": tuple(reversed(names[:at])),
    }
    costs_of = _each_costs(office, row) if any(stages.get(verb) for verb in verbs) else {}
    for verb in verbs:
        if verb in stages and not stages[verb]:
            continue
        does, costs = _effect(office, row, verb, 0.0)
        yield ActionOffer(
            verb, LABELS[verb], does, costs, f"sparing {verb} {number}",
            stages=tuple(StageChoice(one, costs_of[one]) for one in stages.get(verb, ())),
        )  # fmt: skip


def _each_costs(office: Office, row: FeatureRow) -> dict[str, str]:
    try:
        found = stage_outlooks(office, row)
    except SparingError:
        return dict.fromkeys(FLOWS[row.feature.flow].names, "unknown")
    return {name: outlook_brief(one) for name, one in found.items()}
