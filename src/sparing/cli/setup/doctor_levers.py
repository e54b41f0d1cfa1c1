"""What `sparing doctor` says about levers: which are in use here, and why others are not."""

from __future__ import annotations

from sparing.desk.office import Office
from sparing.errors import SparingError
from sparing.way import Lever, Policy

CHECKS_TOO = "only what checks print is shortened"


def lever_words(office: Office) -> str:
    from sparing.runtime.levers import standings_of
    from sparing.runtime.surroundings import make_backend

    settings = office.loaded.settings
    if settings.review.policy is not Policy.ADAPTIVE:
        return f"none: the policy {settings.review.policy} has none of them"
    try:
        found = standings_of(settings, make_backend(office.loaded, office.folder))
    except SparingError:
        return "not known before there is an agent"
    missing = [f"{one.lever} ({_why(one.lever, one.why)})" for one in found if not one.on]
    on = sum(one.on for one in found)
    return f"{on} of {len(found)}{'; off: ' if missing else ''}{', '.join(missing)}"


def _why(lever: Lever, why: str) -> str:
    """Checks are run by the program itself, so their output can always be shortened."""
    spared = lever is Lever.TRIM and why != "switched off"
    return f"{why}; {CHECKS_TOO}" if spared else why
