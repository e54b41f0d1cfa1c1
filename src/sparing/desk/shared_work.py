"""Work from other machines, to be viewed and answered here: fetched when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparing.config.process_environment import network_environment
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError
from sparing.records.features import FeatureRow
from sparing.workspace.git.object_reader import object_id

if TYPE_CHECKING:
    from sparing.fleet.travel import Travel


def with_commits(office: Office, row: FeatureRow) -> FeatureRow:
    """The feature with its latest commit fetched. No request is made if everything is local."""
    if office.folder.server is None or object_id(office.repository.git(), f"{row.head}^{{commit}}"):
        return row
    travel = _travel(office)
    if travel is not None:
        travel.fetch(row)
    return row


def require_commits(office: Office, row: FeatureRow) -> str:
    """The feature's last commit, fetched if another machine made it; refused if the repository
    lacks it, as after a new clone."""
    row = with_commits(office, row)
    if not object_id(office.repository.git(), f"{row.head}^{{commit}}"):
        number = row.feature.id
        raise FeatureError(
            f"the last commit of feature {number}, {row.head[:10]}, is not in this repository",
            f"fetch it, or give the feature up: sparing abandon {number} --yes",
        )
    return row.head


def hand_on(office: Office, row: FeatureRow) -> None:
    """Push what a person has just committed here to where the next worker finds it."""
    travel = _travel(office)
    if travel is not None:
        travel.hand_on(row)


def _travel(office: Office) -> Travel | None:
    """None if work is not shared between machines."""
    if office.folder.server is None or not office.loaded.settings.state.remote:
        return None
    from sparing.fleet.travel import open_travel

    # git will start programs to reach the remote: they are looked at first.
    whole = open_office(office.repository.checkout, office.flags) if office.reading else office
    remote = office.loaded.settings.state.remote
    return open_travel(whole.repository, remote, office.person, network_environment())
