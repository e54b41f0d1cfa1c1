"""The board: all features of this machine's repositories, what needs a person first."""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.features.board import BoardRow, board
from sparing.desk.money.cost import day_cap
from sparing.desk.setup.fleet_view import WorkerView, worker_views
from sparing.errors import SparingError
from sparing.report.cost import CapRow
from sparing.web.visit import Visit

RECENT = 30
"""Number of finished features shown for a repository, unless all are requested."""


class RepositoryBoard(NamedTuple):
    key: str
    name: str
    checkout: str
    runs: bool
    needs: tuple[BoardRow, ...]
    busy: tuple[BoardRow, ...]
    over: tuple[BoardRow, ...]
    """Finished features, the latest first."""
    older: int
    """Number of finished features that are not shown."""
    today: CapRow | None = None
    """Amount spent and reserved today; turns under way count."""
    workers: tuple[WorkerView, ...] = ()
    """Workers that run its features, on a shared database."""
    problem: str = ""
    """Why its features can't be shown."""


class BoardPage(NamedTuple):
    repositories: tuple[RepositoryBoard, ...]
    needs: int

    @property
    def empty(self) -> bool:
        return not any(one.needs or one.busy or one.over for one in self.repositories)


def board_page(visit: Visit) -> BoardPage:
    found = tuple(
        _one(visit, known.key, known.name, known.checkout) for known in visit.site.repositories()
    )
    return BoardPage(found, sum(len(one.needs) for one in found))


def _one(visit: Visit, key: str, name: str, checkout: str) -> RepositoryBoard:
    try:
        office = visit.site.office(key)
        shown, today = board(office, visit.at), day_cap(office, visit.at)
    except SparingError as error:
        return RepositoryBoard(
            key=key, name=name, checkout=checkout, runs=False, needs=(), busy=(), over=(),
            older=0, problem=error.what,
        )  # fmt: skip
    over = sorted((one for one in shown.rows if one.over), key=lambda one: -one.view.updated)
    most = len(over) if visit.query.get("all") else RECENT
    return RepositoryBoard(
        key=key,
        name=name,
        checkout=checkout,
        runs=shown.runs,
        needs=tuple(one for one in shown.rows if one.needs),
        busy=tuple(one for one in shown.rows if not one.needs and not one.over),
        over=tuple(over[:most]),
        older=max(0, len(over) - most),
        today=today,
        workers=tuple(worker_views(office, visit.at)),
    )
