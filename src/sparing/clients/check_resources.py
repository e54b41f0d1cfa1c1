"""What the repository's checks may use of this machine: servers and variables.

Agents get neither. A project's file may name them, so nothing is given before a person has agreed
to exactly these.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sparing.config.process_environment import lent_environment
from sparing.config.settings import WorkspaceSettings
from sparing.workspace.setup.setup_plan import SetupPlan, answer_of


class LentToChecks(NamedTuple):
    """What the repository's checks may use of this machine."""

    services: tuple[str, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    refused: bool = False
    """True if something is wanted that no one has agreed to."""

    @property
    def words(self) -> str:
        found = [f"checks may reach {', '.join(self.services)}"] if self.services else []
        given = ", ".join(self.variables)
        return "; ".join([*found, f"checks are given {given}"] if given else found)


def lent_to_checks(settings: WorkspaceSettings, state: Path) -> LentToChecks:
    """What checks get, if agreed to; `state` is the folder that records what a person agreed to."""
    wanted = SetupPlan((), (), settings.services, settings.lend_env)
    if wanted.empty:
        return LentToChecks()
    if not answer_of(state, wanted):
        return LentToChecks(refused=True)
    places = dict.fromkeys(one.replace("localhost", "127.0.0.1") for one in wanted.services)
    return LentToChecks(tuple(places), lent_environment(wanted.variables))
