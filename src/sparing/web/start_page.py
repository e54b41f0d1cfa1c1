"""The form that begins a feature."""

from __future__ import annotations

from typing import NamedTuple

from sparing.config.settings import AUTO
from sparing.desk.features.engine_presence import engine_runs
from sparing.errors import SparingError
from sparing.flow.flows import FLOWS, PROJECT
from sparing.web.visit import Visit


class StartableRepository(NamedTuple):
    key: str
    name: str
    runs: bool
    default: str
    """The flow used if none is chosen."""


class StartPage(NamedTuple):
    repositories: tuple[StartableRepository, ...]
    flows: tuple[str, ...]


def start_page(visit: Visit) -> StartPage:
    found: list[StartableRepository] = []
    for one in visit.site.repositories():
        try:
            office = visit.site.office(one.key)
        except SparingError:
            continue
        default = office.loaded.settings.flow.default.value
        found.append(StartableRepository(one.key, one.name, engine_runs(office), default))
    flows = (AUTO, *(name for name in FLOWS if name != PROJECT.name))
    return StartPage(tuple(found), flows)
