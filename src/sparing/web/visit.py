"""One request, as the pages and the acts see it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property

from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.web.site import Site


@dataclass(frozen=True)
class Visit:
    site: Site
    at: float
    path: Mapping[str, str]
    """Parameters in the address, by their names in the route."""
    query: Mapping[str, str]
    who: str
    """Name of the person whose browser asks, recorded with their answers."""

    kept: ExitStack = field(default_factory=ExitStack)
    """Resources reused until the response is made, and closed then."""

    @cached_property
    def records(self) -> Office:
        """An office without git, unless one with it is open already."""
        return self.__dict__.get("office") or self._opened(reading=True)

    @cached_property
    def office(self) -> Office:
        return self._opened(reading=False)

    def _opened(self, *, reading: bool) -> Office:
        found = self.site.office(self.path["repo"], reading=reading)
        self.kept.enter_context(found.database.kept())
        return found

    @cached_property
    def row(self) -> FeatureRow:
        return answers.find(self.records, self.path["id"])

    @property
    def home(self) -> str:
        """Address of this feature's pages."""
        return f"/r/{self.path['repo']}/f/{self.row.feature.id}"
