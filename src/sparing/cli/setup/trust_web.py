"""`sparing trust --web`, and the question before a first run: whether agents may search."""

from __future__ import annotations

from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import confirm, echo, is_terminal
from sparing.config.roles import WebUse
from sparing.desk.office import Office, open_office
from sparing.desk.setup.web import decide_web, open_web_question
from sparing.errors import NeedsHuman, UsageError

RISKS = {
    WebUse.RESEARCHER: "the researcher sees your request and no files; its queries come from the "
    "request",
    WebUse.REVIEWERS: "reviewers read the repository; their queries could leak parts of it",
}


def trust_web(*, yes: bool, as_json: bool) -> None:
    office = open_office(Path.cwd())
    wanted = office.loaded.settings.roles.web
    if wanted is WebUse.OFF:
        raise UsageError("roles.web is off: nobody would search", "SPARING_ROLES__WEB=researcher")
    if not yes and not is_terminal():
        raise NeedsHuman("there is nobody to ask", "sparing trust --web --yes")
    agreed = _decide(office, wanted, yes=yes)
    words = "may search the web" if agreed else "don't search the web"
    if as_json:
        print_json(web=wanted.value, agreed=agreed)
    else:
        echo(f"{_who(wanted)} {words}")


def agree_to_web(office: Office) -> None:
    """Asked once, before the first search could be made."""
    wanted = open_web_question(office)
    if wanted is not None:
        _decide(office, wanted, yes=False)


def _decide(office: Office, wanted: WebUse, *, yes: bool) -> bool:
    if not yes:
        for use, words in RISKS.items():
            if wanted in (use, WebUse.BOTH):
                echo(f"  {words}", err=True)
        echo("  the agent's provider runs the search and bills it at its own price", err=True)
    agreed = yes or confirm(f"let {_who(wanted)} search the web?", default=False, err=True)
    decide_web(office, wanted, agreed=agreed)
    return agreed


def _who(wanted: WebUse) -> str:
    match wanted:
        case WebUse.BOTH:
            return "the researcher and all reviewers"
        case WebUse.REVIEWERS:
            return "all reviewers"
        case _:
            return "the researcher"
