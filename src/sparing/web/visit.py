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
    """What stood in the address, by the names of the route."""
    query: Mapping[str, str]
    who: str
    """Whose browser asks: for all who look later at what was answered."""

    kept: ExitStack = field(default_factory=ExitStack)
    """What is used again until the answer is made: who answers closes it."""

    @cached_property
    def records(self) -> Office:
        """Without git, unless it was asked for already."""
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
        """Where this feature's pages are."""
        return f"/r/{self.path['repo']}/f/{self.row.feature.id}"
