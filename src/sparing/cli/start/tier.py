"""Which flow a feature takes: the one named, or a proposed tier that a person confirms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sparing.cli.clock import now
from sparing.cli.money.forecast import CHOSEN
from sparing.cli.screen import echo, is_terminal, prompt, wrapped
from sparing.cli.start.start_options import start_request
from sparing.config.settings import AUTO
from sparing.desk.features.start_input import StartRequest
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.desk.setup.tiers import proposal, tell_tier
from sparing.flow.propose import Proposal
from sparing.records.features import FeatureRow

MIDDLE = "L2"
"""The tier that has a stage for every kind of start input."""
MOST_REASONS = 2
OTHERS = ("L1", "L2", "L3", "feature")


class Settled(NamedTuple):
    flow: str
    why: str
    begins: StartRequest
    proposed: Proposal | None = None
    by: str = ""
    """Who decided, where a tier was proposed."""

    def tell(self, office: Office, row: FeatureRow) -> None:
        if self.proposed is not None:
            tell_tier(office, row, self.proposed, self.by, now())


def settle_flow(office: Office, title: str, flow: str | None, how: Mapping[str, Any]) -> Settled:
    named = flow or office.loaded.settings.flow.default.value
    if named != AUTO:
        chosen = answers.check_flow(named)
        return Settled(chosen, _why(office, flow), start_request(office, title, chosen, how))
    begins = start_request(office, title, MIDDLE, how)
    answers.checked_title(begins.title)
    found = proposal(office, request_text(office, begins))
    if begins.beginning.given and found.tier == "L1":
        found = Proposal(MIDDLE, ("it starts from a document", *found.why))
    chosen, by = _decided(office, found, how)
    if begins.beginning.given and chosen != MIDDLE:
        begins = start_request(office, title, chosen, how)
    return Settled(chosen, _reasons(found, chosen), begins, found, by)


def _reasons(found: Proposal, chosen: str) -> str:
    """The first few reasons in one line; the feature's history has all of them."""
    more = len(found.why) - MOST_REASONS
    words = "; ".join(found.why[:MOST_REASONS]) + (f"; {more} more" if more > 0 else "")
    return f"proposed: {words}" if chosen == found.tier else f"you said so; {found.tier}: {words}"


def _decided(office: Office, found: Proposal, how: Mapping[str, Any]) -> tuple[str, str]:
    """A person at a terminal decides a toss-up; otherwise the proposal is taken and reported."""
    if how["yes"] or how["as_json"] or not found.or_else or not is_terminal():
        return found.tier, "the proposal"
    both = f"{found.or_else} or {found.tier} would do: {'; '.join(found.why)}"
    echo(wrapped(both, "  "), err=True)
    return prompt("which flow", found.tier, choices=OTHERS, err=True), office.sender


def request_text(office: Office, begins: StartRequest) -> str:
    """The title, and everything that the feature starts from."""
    beginning = begins.beginning
    texts = (office.folder.fetch(digest) for _, digest in beginning.given)
    return "\n".join((begins.title, beginning.background.description, *texts))


def _why(office: Office, flow: str | None) -> str:
    if flow:
        return CHOSEN
    origin = office.loaded.origins["flow.default"]
    return f"from {origin}"
