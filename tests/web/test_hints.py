"""What the page tells a person to type in a terminal helps: typed as it stands, it shows or does
what was said.

Covers: F8, K1, K3
"""

from __future__ import annotations

import re
import socket
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.gates.stale_answer import seen_digest
from sparing.desk.office import Office
from tests.desk.standing import standing
from tests.engine.beside import beside, until
from tests.engine.played import Played, play
from tests.terminal import Said, sparing
from tests.web.asking import Door

LINK = re.compile(r"http://\S+/login\?token=\S+")


def fetched(url: str, cookie: str = "") -> tuple[int, str, str]:
    """Status, text and cookie of the answer itself, wherever it sends on."""
    parts = urlsplit(url)
    asked = f"{parts.path or '/'}?{parts.query}".rstrip("?")
    connection = HTTPConnection(parts.netloc, timeout=240)
    with closing(connection):
        connection.request("GET", asked, headers={"cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        given = str(answer.headers.get("set-cookie", "")).partition(";")[0]
        return answer.status, answer.read().decode(), given


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return play(tmp_path, "small_tier_l3.toml", "L3")


def typed(office: Office, command: str) -> Said:
    assert command.startswith("sparing ")
    return sparing(office.repository.checkout, *command.split()[1:])


def refused(door: Door, path: str) -> dict[str, str]:
    answer = door.get(path)
    assert answer.status == 404, answer.text
    return answer.json["error"]


def test_what_is_not_there_yet(office: Office, door: Door) -> None:
    """K1: the terminal shows how far the feature is."""
    standing(office, "under way")
    home = f"r/{office.repository.key}/f/001"
    document = refused(door, f"/api/{home}/doc/plan.md")
    assert document == {"what": "feature 001 has no plan.md yet", "repair": "sparing show 001"}
    prompt = refused(door, f"/api/{home}/prompt/nobody")
    assert prompt == {"what": "there is no such turn", "repair": "sparing show 001"}
    assert "plan was interrupted" in typed(office, document["repair"]).out
    chart = door.get(f"/{home}/chart/spend.svg")
    assert (chart.status, "sparing report 001" in chart.text) == (404, True)
    assert typed(office, "sparing report 001").code == 0


def test_an_answer_waits_for_the_command_that_is_named(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8: no engine runs: whoever types it sees the feature continue."""
    monkeypatch.setenv("SPARING_STATE__FOLDER", str(played.folder / "state"))
    assert played.say("run", "1").code == 2
    door = Door(played.repository)
    office = played.office()
    seen = {"shown": seen_digest(office, played.row), "gate": played.row.leg_id}
    receipt = door.post(f"/r/{office.repository.key}/f/001/approve", seen).json
    assert (receipt["runs"], receipt["next_command"]) == (False, "sparing run 001")
    assert played.say(*receipt["next_command"].split()[1:]).code == 2
    assert played.say("show", "1", "--json").json["stage"] == "design_review"


@pytest.mark.long
def test_an_answer_while_an_engine_runs_is_followed(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8: the command that is named shows what comes of it, to the next gate."""
    monkeypatch.setenv("SPARING_STATE__FOLDER", str(played.folder / "state"))
    assert played.say("run", "1").code == 2
    office = played.office()
    seen = {"shown": seen_digest(office, played.row), "gate": played.row.leg_id}
    with beside(played, "serve", "--run", "--port", "0") as log:
        until(lambda: LINK.search(log.read_text()), "the link")
        until(lambda: engine_runs(office), "the engine")
        answered = Door(played.repository).post(f"/r/{office.repository.key}/f/001/approve", seen)
        assert (answered.json["runs"], answered.json["next_command"]) == (True, "sparing watch 001")
        with beside(played, "watch", "001") as shown:
            until(lambda: "design_review" in shown.read_text(), "what comes next")


@pytest.mark.long
def test_the_terminal_of_the_page(played: Played) -> None:
    """K3: it shows the link that lets a browser in, another one after each login, and why a page
    failed."""
    with beside(played, "serve", "--port", "0") as log:
        until(lambda: LINK.search(log.read_text()), "the link")
        (link,) = LINK.findall(log.read_text())
        home = link.partition("/login")[0]
        status, text, _ = fetched(home)
        assert status == 401
        assert "open the login link that `sparing serve` shows in its terminal" in text
        status, _, cookie = fetched(link)
        assert (status, bool(cookie)) == (303, True)
        assert fetched(home, cookie)[0] == 200
        status, text, _ = fetched(link)
        assert (status, "use the latest link in the terminal of `sparing serve`" in text) == (
            401, True,
        )  # fmt: skip
        until(lambda: len(LINK.findall(log.read_text())) == 2, "another link")
        assert fetched(LINK.findall(log.read_text())[1])[0] == 303
        (database,) = (played.folder / "state").rglob("sparing.db")
        with played.office().database.write() as tx:
            tx.execute("update features set place = '{\"state\": 5}'")
        status, text, _ = fetched(f"{home}/r/{database.parent.name}/f/001", cookie)
        assert (status, "the terminal of `sparing serve` says more" in text) == (500, True)
        until(lambda: "Traceback" in log.read_text(), "what failed")


def test_a_port_that_is_taken(played: Played) -> None:
    """K1: port 0 takes one that is free."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = played.say("serve", "--port", port)
    assert said.complaint == (
        f"error: 127.0.0.1:{port} can't be used: Address already in use",
        "fix: sparing serve --port 0 takes one that is free",
    )
    with beside(played, "serve", "--port", "0") as log:
        until(lambda: LINK.search(log.read_text()), "the link")
