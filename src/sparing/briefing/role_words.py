"""The words that tell a role who it is: its own, and in a tier those of the stage."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.context.prompt.brief import Material
from sparing.context.prompt.compact import unsigned, without_boilerplate
from sparing.context.prompt.rubric import REPORT, without_section
from sparing.context.prompt.wrap import defuse
from sparing.flow.flows import TIERS
from sparing.prompts.render import fill, words
from sparing.roles.load import SHIPPED, Role
from sparing.runtime.source import Source
from sparing.turn import Turn

SETTLES = frozenset({Turn.REVISE, Turn.REDO, Turn.REPAIR_CHECKS, Turn.MEND, Turn.ANSWER})


def roles_text(roles: Sequence[Role], turn: Turn) -> str:
    """Of several that are asked in one turn: how they go together, then each one's words."""
    told = [role_text(one, turn) for one in roles]
    if len(roles) == 1:
        return told[0]
    first, second = roles
    return "\n".join((fill("blocks", "panel", first=first.name, second=second.name), *told))


def role_text(role: Role, turn: Turn) -> str:
    """A role's words; those that did not ship lose what wastes tokens or could open a wrapper.
    A turn that says itself how the reply ends does so alone."""
    text = without_section(role.text, REPORT) if turn in SETTLES else role.text
    if role.origin == SHIPPED:
        return text
    return defuse(unsigned(without_boilerplate(text)))


def is_tier(source: Source) -> bool:
    return source.row.feature.flow in TIERS


def stage_texts(source: Source) -> tuple[Material, ...]:
    """In a tier the stage's text and its guide say what the role does."""
    if not is_tier(source):
        return ()
    return tuple(Material(kind, words(f"{kind}s", source.job.stage)) for kind in ("stage", "skill"))
