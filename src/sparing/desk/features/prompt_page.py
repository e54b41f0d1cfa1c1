"""Any prompt as data for the page: one that was sent, or one that a role would be sent."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sparing.config.process_environment import inherited_environment
from sparing.config.sources import sources_here
from sparing.desk.features.preview import PreviewRequest, peek
from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.report.prompt import PromptPage
from sparing.runtime.surroundings import Surroundings


class FoundPrompt(NamedTuple):
    page: PromptPage
    warnings: list[str]


def surroundings_of(office: Office) -> Surroundings:
    """Surroundings for previewing what a run would do; nothing is run with them."""
    return Surroundings(
        office.folder, office.database, office.repository,
        sources_here(office.repository.checkout), headless=True, environ=inherited_environment(),
    )  # fmt: skip


def prompt_page(office: Office, row: FeatureRow, wish: PreviewRequest) -> FoundPrompt:
    found = peek(surroundings_of(office), row, wish)
    facts = {
        "role": wish.role,
        "stage": found.stage,
        "iteration": "final" if found.final else str(found.iteration),
        "task": wish.task,
        "way": found.way.value,
        "order": found.order.value if found.order else "",
        "model": found.model,
        "state": "sent" if found.sent else "not sent",
    }
    schema = hashlib.sha256(found.schema.encode()).hexdigest() if found.schema else ""
    page = PromptPage(
        facts, found.system, found.composed.segments, found.composed.trunk, found.trunk_key, schema
    )
    return FoundPrompt(page, list(found.warnings))
