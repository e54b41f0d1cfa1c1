"""One request, as the pages and the acts see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

    @cached_property
    def records(self) -> Office:
        """Without git."""
        return self.site.office(self.path["repo"])

    @cached_property
    def office(self) -> Office:
        return self.site.office(self.path["repo"], reading=False)

    @cached_property
    def row(self) -> FeatureRow:
        return answers.find(self.records, self.path["id"])

    @property
    def home(self) -> str:
        """Where this feature's pages are."""
        return f"/r/{self.path['repo']}/f/{self.row.feature.id}"
