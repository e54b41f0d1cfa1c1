"""Who is at work in a turn: one role, or two reviewers of a document in one turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.economy.steps import Step
from sparing.briefing.trunk_group import roles_text
from sparing.double.agent_draws import errand_of, needed_files, turn_needs
from sparing.double.agent_kinds import AgentKind
from sparing.roles.catalog import united
from sparing.roles.load import Role, shipped


def asked_role(step: Step) -> Role:
    """Of a panel those whose word is wanted, as one."""
    asked = step.panel[step.panel.index(step.role) :] if step.panel else (step.role,)
    roles = [shipped(name) for name in asked]
    return replace(united(roles), text=roles_text(roles, step.turn))


def needed_names(kind: AgentKind, seed: int, step: Step, code: Sequence[str]) -> list[str]:
    """Files that the turn has to have seen; each reviewer of a panel has its own."""
    names = needed_files(seed, step.identity, step.needs, code)
    if step.beside is None:
        return names
    needs = turn_needs(kind, seed, errand_of(step.beside), step.beside)
    return [*names, *needed_files(seed, step.beside, needs, code)]
