"""What `sparing doctor` says about each agent that could be used here.

Which levers it has, why the others are off, and what was checked for its version. No agent is sent
anything.
"""

from __future__ import annotations

import time

from sparing import backend_name as names
from sparing.agents.backend import Backend
from sparing.cli.setup.doctor_agent import DoctorLine
from sparing.desk.office import Office
from sparing.dispatch_policy import Lever, Policy
from sparing.errors import SparingError
from sparing.percent import percent

CHECKS_TOO = "only the output of checks is shortened"
ALIASES = (names.AUTO, names.API)


def client_findings(office: Office) -> list[DoctorLine]:
    """The levers of agents not in use, and what was checked for each."""
    ready, used = _ready(office), _used(office)
    same = lever_words(office)
    groups: dict[str, list[str]] = {}
    for name in ready:
        if name != used:
            groups.setdefault(lever_words(office, name), []).append(name)
    others = [
        DoctorLine("levers", True, f"{', '.join(who)}: {'the same' if words == same else words}")
        for words, who in groups.items()
    ]
    return [*others, *(_checked(office, one) for one in ready.values())]


def lever_words(office: Office, name: str = "") -> str:
    """Levers in use, and why the others are not: for the agent in use, or for `name`."""
    from sparing.runtime.lever_record import off_by_record
    from sparing.runtime.levers import recorded, standings_of
    from sparing.runtime.surroundings import make_backend

    settings = office.loaded.settings
    if settings.review.policy is not Policy.ADAPTIVE:
        return f"none under the policy {settings.review.policy}"
    try:
        backend = make_backend(office.loaded, office.folder, name)
        with office.database.read() as connection:
            off = off_by_record(connection, backend.name, 1, settings.economy.levers)
            found = recorded(standings_of(connection, settings, backend), off)
    except SparingError:
        return "unknown until there is an agent"
    missing = [f"{one.lever} ({_why_off(one.lever, one.why)})" for one in found if not one.on]
    on = sum(one.on for one in found)
    return f"{on} of {len(found)}{'; off: ' if missing else ''}{', '.join(missing)}"


def _ready(office: Office) -> dict[str, Backend]:
    """Agents that are installed and logged in, as far as can be seen without asking them."""
    from sparing.runtime.surroundings import make_backend

    found: dict[str, Backend] = {}
    for name in names.NAMES:
        if names.is_played(name) or name in ALIASES:
            continue
        try:
            found[name] = make_backend(office.loaded, office.folder, name)
        except SparingError:
            continue  # said where clients are listed
    return found


def _used(office: Office) -> str:
    from sparing.runtime.surroundings import make_backend

    try:
        return make_backend(office.loaded, office.folder).name
    except SparingError:
        return ""


def _checked(office: Office, backend: Backend) -> DoctorLine:
    from sparing.records import resume_checks

    version = str(getattr(backend, "version", ""))
    who = f"{backend.name} {version}".strip()
    if backend.capabilities.proven:
        return DoctorLine("checked", True, f"{who}: nothing to check, Sparing keeps its sessions")
    with office.database.read() as connection:
        found = resume_checks.get(connection, backend.name, version)
    if found is None:
        words = f"{who}: not yet; its first resume is checked before it is relied on"
        return DoctorLine("checked", True, words, found=False)
    day = time.strftime("%Y-%m-%d", time.localtime(found.at))
    share = "" if found.share is None else f", {percent(found.share)} read from cache"
    state = f"not resumed, {found.reason}" if found.reason else f"sessions can be resumed{share}"
    return DoctorLine("checked", True, f"{who}: {state} ({day})")


def _why_off(lever: Lever, why: str) -> str:
    """Checks are run by the program itself, so their output can always be shortened."""
    spared = lever is Lever.TRIM and why != "switched off"
    return f"{why}; {CHECKS_TOO}" if spared else why
