"""`sparing doctor --tools`: let the agent do five small tasks with our own tools.

It spends money: five short turns per model. It says so before it begins, and its results are kept
for this client and model.
"""

from __future__ import annotations

import asyncio

from sparing.cli.clock import now
from sparing.cli.run.live_status import LiveStatus, watched
from sparing.cli.screen import echo, style
from sparing.cli.setup.doctor_agent import DoctorLine
from sparing.config.process_environment import inherited_environment
from sparing.config.settings import Sandbox
from sparing.config.sources import sources_here
from sparing.desk.office import Office
from sparing.economy.prices import cost_usd, own_prices
from sparing.wait import waiting
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import settle_level

TURNS = 5
LIMIT_SECONDS = 300.0


def whose_tools(office: Office) -> str:
    """Which roles use our own tools here, in words."""
    from sparing.desk.setup.tool_check import models_of
    from sparing.runtime.own_tools import ToolSources, offer_tools
    from sparing.runtime.surroundings import make_backend

    settings = office.loaded.settings
    backend = make_backend(office.loaded, office.folder)
    sources = ToolSources(office.folder, office.database, office.repository)
    offer_tools(backend, settings, sources)
    can = backend.capabilities
    if not can.own_readers:
        return "the client's"
    models = models_of(settings)
    own = [one for one in models if can.own_tools(writes=True, model=one)]
    if len(own) == len(models):
        return "Sparing's for readers and writers"
    some = f", and for writers with {', '.join(own)}" if own else ""
    return (
        f"Sparing's for readers{some}; other writers have the client's: their models have "
        "not passed sparing doctor --tools"
    )


def tool_answers(office: Office) -> list[DoctorLine]:
    """T1 to T5 for every model, as far as they were checked, and what checking has cost."""
    from sparing.agents.claude.backend import ClaudeBackend
    from sparing.desk.setup.tool_check import check_model, lines, models_of, prepare
    from sparing.runtime.surroundings import Surroundings, make_backend

    settings = office.loaded.settings
    backend = make_backend(office.loaded, office.folder)
    if not isinstance(backend, ClaudeBackend):
        return [
            DoctorLine("tools", good=True, words=f"{backend.name} does not use Sparing's tools")
        ]
    optional = settings.workspace.sandbox is Sandbox.OPTIONAL
    around = Surroundings(
        office.folder, office.database, office.repository, sources_here(office.repository.checkout),
        headless=True, environ=inherited_environment(),
        level=settle_level(level_reached(), unsandboxed=optional),
    )  # fmt: skip
    prepare(backend, around, settings)
    found: list[DoctorLine] = []
    for model in models_of(settings):
        words = f"asking {backend.name} {backend.version}: {TURNS} short turns with {model}"
        echo(style(words, dim=True), err=True)
        asked = check_model(backend, around, model, now(), LIMIT_SECONDS)
        with waiting(f"{backend.name} answers with {model}", TURNS * LIMIT_SECONDS):
            row = asyncio.run(watched(asked, LiveStatus(office)))
        found += [DoctorLine(name, good, said) for name, good, said in lines(row)]
        cost = cost_usd(model, row.usage, own_prices(settings.models.prices))
        spent = "at an unknown price" if cost is None else f"${cost:.4f}"
        total = f"{row.usage.total} tokens, {spent} ({row.origin}), in {row.seconds:.1f} s"
        found[-1] = found[-1]._replace(words=f"{found[-1].words}; {total}")
    return found
