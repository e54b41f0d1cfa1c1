"""What can be set of the flow: where it stops, who helps, and where its documents lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sparing.config.kinds import Choice, Folder, Names, Whole
from sparing.config.rules import Narrow, Rule, Scope, setting


class FlowName(StrEnum):
    FEATURE = "feature"
    L1 = "L1"
    L2 = "L2"
    L3 = "L3"


OWN_GATES = "default"
"""In a list of gates: those the flow has of its own."""
STAGES = (
    *("brainstorm", "specify", "design", "create-plan", "create-tasks", "implement", "finish"),
    *("design_review", "plan", "code_review", "verify", "done"),
)
ASSISTANTS = (
    "codebase-explorer", "researcher", "code-simplifier", "test-deepener", "retro-facilitator",
)  # fmt: skip
"""Roles that help beside authors and reviewers."""


@dataclass(frozen=True)
class FlowSettings:
    default: FlowName = setting(
        FlowName.FEATURE, Rule(Choice(FlowName), "The flow of a feature that names none.")
    )
    gates: tuple[str, ...] = setting(
        (OWN_GATES,),
        Rule(
            Names((OWN_GATES, *STAGES)),
            "The stages that stop for a human; `default` stands for the flow's own. "
            "A project may add stages but must keep those already listed.",
            narrow=Narrow.MORE,
        ),
    )
    features_folder: str = setting(
        "docs/features", Rule(Folder(), "Where features have their folders, in the repository.")
    )

    assistants: tuple[str, ...] = setting(
        ASSISTANTS,
        Rule(
            Names(ASSISTANTS),
            "Roles that help beside authors and reviewers. One that is left out is never asked, "
            "and costs nothing.",
        ),
    )
    waves: int = setting(
        1,
        Rule(
            Whole(1, 16),
            "How many tasks that touch different files are worked on at a time, each in a worktree "
            "of its own; 1: one after the other.",
            Scope.USER,
        ),
    )

    def stops(self, own: Iterable[str]) -> frozenset[str]:
        """The stages that stop for a human in a flow with these gates of its own."""
        named = frozenset(self.gates) - {OWN_GATES}
        return named | frozenset(own) if OWN_GATES in self.gates else named
