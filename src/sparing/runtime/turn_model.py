"""Which model a turn may have: the role's own, or that of others who share a prefix with it."""

from __future__ import annotations

from sparing.clients.role_model import names_beside, own_model, shared_models
from sparing.dispatch_policy import Lever, Policy
from sparing.economy.levers import switched_on
from sparing.runtime.source import Source

SHARED = "; on the model of others, whose cached prefix it reads"
"""Added to the reason of a turn that is not on its role's own model."""


def model_of(source: Source) -> str:
    if source.on_model:
        return source.on_model
    settings = source.around.settings(source.row)
    return own_model(settings, source.role, source.job.stage, source.agent.name)


def on_models(source: Source) -> tuple[Source, ...]:
    """The turn on its own model, and on each whose cached prefix it could read instead; a session
    keeps its model."""
    settings, own = source.around.settings(source.row), model_of(source)
    shares = Lever.TRUNK in switched_on(settings.economy.levers)
    if settings.review.policy is not Policy.ADAPTIVE or not shares or source.job.panel:
        return (source,)
    beside = map(source.catalog.role, names_beside(settings, source.stage))
    models = shared_models(
        settings, source.catalog.role(source.job.role), beside, source.agent.name
    )
    kept = source.session.model if source.session else ""
    if kept in models:
        return (source.on(kept),)
    return (source,) if kept == own else (source, *map(source.on, models))
