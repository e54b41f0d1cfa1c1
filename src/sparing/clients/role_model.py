"""Which model a role works with: its own, or that of others who share a prompt prefix with it.

Models share no cache. A role whose class is weaker than that of the others in its stage pays for
the shared prefix again on its own model, so theirs may be cheaper: both are priced when a
turn is prepared (`dispatch/prompt.py`). What a person has set for a role is never changed, and no
role works with a weaker model than its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from sparing.config.settings import Settings
from sparing.dispatch_policy import Policy
from sparing.economy.prices import own_prices, price_of
from sparing.flow.stage import Stage, StageWork

if TYPE_CHECKING:
    from sparing.roles.load import Role

STANDARD, STRONG, CHEAP = "standard", "strong", "cheap"
RANKS = (CHEAP, STANDARD, STRONG)
SEED_MODELS: Mapping[str | tuple[str, str], str] = MappingProxyType(
    {
        "task-reviewer": STANDARD,
        "phase-reviewer": STANDARD,
        "code-quality-reviewer": STANDARD,
        "readiness-reviewer": STANDARD,
        "builder": STRONG,
        ("judge", "code_review"): STANDARD,
    }
)
"""The class of a role under `seed`, by the original's table, where it is another than ours."""


def own_model(settings: Settings, role: Role, stage: str, backend: str) -> str:
    return settings.models.of(own_class(settings, role.name, stage, role.model), backend, role.name)


def own_class(settings: Settings, role: str, stage: str, usual: str) -> str:
    """The class of a role's model under this policy."""
    if settings.review.policy is not Policy.SEED:
        return usual
    return SEED_MODELS.get((role, stage), SEED_MODELS.get(role, usual))


def names_beside(settings: Settings, stage: Stage) -> tuple[str, ...]:
    """Names of all roles that may work in a stage."""
    helping = settings.flow.assistants if stage.work is StageWork.IMPLEMENT else ()
    reviewers = (name for group in stage.reviewers for name in group)
    return (*((stage.author,) if stage.author else ()), *reviewers, *helping)


def shared_models(
    settings: Settings, role: Role, beside: Iterable[Role], backend: str
) -> tuple[str, ...]:
    """Stronger models of roles whose prompts begin like this one's, on the same backend; none if a
    person has set this role's model, and none if a price is unknown."""
    named, models = settings.models.named_roles, settings.models
    if role.name in named or role.model not in RANKS:
        return ()
    stronger = RANKS[RANKS.index(role.model) + 1 :]
    found = (
        models.of(other.model, backend, other.name)
        for other in beside
        if other.name not in named
        and other.model in stronger
        and _begins_alike(settings, role, other)
    )
    own, prices = models.of(role.model, backend, role.name), own_prices(models.prices)
    wanted = dict.fromkeys((own, *found))
    if len(wanted) == 1 or any(price_of(model, prices) is None for model in wanted):
        return ()
    return tuple(wanted)[1:]


def one_agent(settings: Settings, first: str, second: str) -> bool:
    """Whether two roles work with the same agent, also when another takes over."""
    roles = settings.roles
    moves = (first in roles.stay) == (second in roles.stay)
    return moves and roles.backend_of(first) == roles.backend_of(second)


def _begins_alike(settings: Settings, role: Role, other: Role) -> bool:
    """Tools and system prompt come before everything else."""
    alike = (other.role_class, other.tools) == (role.role_class, role.tools)
    return other.name != role.name and alike and one_agent(settings, role.name, other.name)
