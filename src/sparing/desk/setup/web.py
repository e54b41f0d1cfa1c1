"""Whether a person allows agents to search the web in this repository."""

from __future__ import annotations

from sparing.clients.web_search import answer_of, keep_web_answer, revoke_web
from sparing.config.roles import WebUse
from sparing.desk.office import Office

NOT_AGREED = "nobody has agreed to web searches yet, so there are none: sparing trust --web"


def open_web_question(office: Office) -> WebUse | None:
    """The configured web use that no one has been asked about yet; None if there is none."""
    wanted = office.loaded.settings.roles.web
    return wanted if answer_of(wanted, office.folder.path) is None else None


def web_warnings(office: Office) -> tuple[str, ...]:
    wanted = open_web_question(office)
    return () if wanted is None else (f'roles.web is "{wanted}": {NOT_AGREED}',)


def decide_web(office: Office, wanted: WebUse, *, agreed: bool) -> None:
    keep_web_answer(wanted, office.folder.path, agreed=agreed)


def forbid_web(office: Office) -> int:
    return revoke_web(office.folder.path)
