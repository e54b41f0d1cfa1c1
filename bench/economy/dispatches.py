"""A dispatch of the bench: everything that may be said in it, and what the turn takes."""

from __future__ import annotations

from dataclasses import dataclass

from bench.economy.sheet import Shown
from bench.economy.steps import File, Step
from sparing.briefing.trunk_group import RUN, shows_writing
from sparing.context.prompt.brief import Brief
from sparing.economy.cache_contents import Need
from sparing.roles.load import Role
from sparing.runtime.levers import CODE, DOCUMENTS, TASKS
from sparing.turn_kind import KINDS, Actor, TurnKind


@dataclass(frozen=True)
class Dispatch:
    number: int
    step: Step
    role: Role
    brief: Brief
    """As the program's `compose` takes it; the code under review as of its first look."""
    whole: Brief
    """The same with the code under review as it stands now."""
    files: tuple[File, ...]
    """What the turn has to have seen, in the order in which it opens them."""
    shown: frozenset[File]
    """Of the code under review: files that are new, so that the diff holds all of them."""
    targets: tuple[File, ...]
    """What the turn is to change, as it finds it."""
    leaves: tuple[File, ...]
    """The document that it writes or changes, as it leaves it."""
    named: tuple[File, ...]
    """Files that are named in what the turn is about."""
    wanted: tuple[Need, ...]
    """What the role must know after being told or having read (C18)."""
    wrote: str
    """What the turn leaves behind in documents and code."""
    sheet: Shown
    """The fact sheet as it would stand in the prompt."""
    names: int
    """Tokens in which it names the sources of its work, where it is asked for them."""

    @property
    def resumable(self) -> bool:
        alone = self.role.always_fresh or KINDS[self.step.kind].actor is Actor.LONE
        return not alone or self.step.kind is TurnKind.STAGE

    @property
    def writes(self) -> bool:
        """Whether its client lists the tools that write."""
        return shows_writing(self.role, self.step.turn)

    @property
    def codes(self) -> bool:
        """Whether it works on code, for which it needs a shell."""
        return RUN in self.role.tools and not self.step.on_documents


def group_of(dispatch: Dispatch) -> str:
    """Who shares a trunk with this dispatch, as `runtime.cache_life` has it."""
    brief, step = dispatch.brief, dispatch.step
    code = brief.code is not None or not step.authored
    what = TASKS if step.kind is TurnKind.TASK else CODE if code else DOCUMENTS
    return f"{dispatch.role.role_class}/{what}"
