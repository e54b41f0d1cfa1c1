"""A tier proposed for a request: from its words and from the repository, with the reasons.

The person decides; the proposal and the choice are recorded either way.
"""

from __future__ import annotations

import re

from sparing.desk.office import Office
from sparing.event import TierEvent
from sparing.flow.propose import Ground, Proposal, propose
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.checks.discover import find_checks
from sparing.workspace.git.base_branch import resolve_base
from sparing.workspace.git.direct.tree import list_files
from sparing.workspace.git.snapshot import Snapshot

_PATH = re.compile(r"[\w./-]*\w")


def proposal(office: Office, request: str) -> Proposal:
    repository, settings = office.repository, office.loaded.settings.workspace
    base = resolve_base(repository, settings.base_branch).commit
    files, checks = list_files(repository, base), find_checks(Snapshot(repository, base))
    return propose(request, Ground(len(files), len(checks), _named(request, files)))


def _named(request: str, files: dict[str, int]) -> tuple[str, ...]:
    """Files that a request mentions, by path or by name."""
    said = {word for word in _PATH.findall(request) if "." in word}
    return tuple(path for path in files if path in said or path.rpartition("/")[2] in said)


def tell_tier(office: Office, row: FeatureRow, found: Proposal, by: str, at: float) -> None:
    """Record what was proposed, why, and what was chosen."""
    taken = row.feature.flow
    text = f"{found.tier} was proposed: {'; '.join(found.why)}"
    text = text if taken == found.tier else f"{text}; {taken} was taken"
    told = TierEvent(proposed=found.tier, why=tuple(found.why), taken=taken, by=by)
    name, key = f"{row.feature.key}.{TierEvent.kind}", row.feature.key
    with office.database.write() as tx:
        events.add(tx, Event.of(told, key=name, feature=key, at=at, text=text))
