"""People at the page: two at once, keys, filters, notifications, what was typed. Covers: F8"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sparing.config.person import person_here
from sparing.desk.office import Office, open_office
from sparing.event import FeatureEvent
from sparing.records import events
from sparing.records.events import Event
from tests.browser.chromium import browser, logged_in, served
from tests.desk.standing import NOW, standing, started
from tests.repositories import make_repository

HIDDEN = """Object.defineProperty(document, "hidden", { get: () => true });
window.told = [];
window.Notification = class {
  static permission = "default";
  static async requestPermission() { return (Notification.permission = "granted"); }
  constructor(title, options) { window.told.push(`${title}: ${options.body}`); }
};"""
"""A window behind another one, and a browser that would show what it is told."""


def rows(window: Any) -> list[str]:
    """Titles that can be seen."""
    titles = window.locator(".row-title")
    return [one.inner_text() for one in titles.all() if one.is_visible()]


def two_repositories(tmp_path: Path) -> tuple[Office, Office]:
    one, two = (open_office(make_repository(tmp_path / name)) for name in ("gate", "garden"))
    standing(one, "at a gate")
    started(one, "Count \u202e<b>words</b> & \U0001f984 " + "very" * 30)
    standing(two, "under way")
    return one, two


def test_the_board(tmp_path: Path) -> None:
    """F8: nothing yet, several repositories, filter, keys, a notification for whoever is away."""
    empty = make_repository(tmp_path / "empty")
    with browser() as chromium:
        with served(empty) as page:
            window = logged_in(chromium, page)
            assert "sparing start" in window.locator(".empty").inner_text()
            window.context.close()
        one, two = two_repositories(tmp_path)
        with served(one.repository.checkout) as page:
            window = logged_in(chromium, page)
            assert len(rows(window)) == 3
            assert {tag.inner_text() for tag in window.locator(".row-repo").all()} == {
                "gate",
                "garden",
            }
            window.keyboard.press("/")
            window.keyboard.type("garden")
            assert [title[:3] for title in rows(window)] == ["001"]
            window.locator("#filter").fill("no such words")
            window.get_by_text("No feature matches").wait_for()
            window.locator("#filter").fill("")
            window.locator("h1").click()
            _keys(window)
            _notified(chromium, page, two)
            assert window.faults == []


def _keys(window: Any) -> None:
    window.keyboard.press("?")
    window.get_by_role("heading", name="Keys").wait_for()
    window.keyboard.press("Escape")
    window.keyboard.press("j")
    window.keyboard.press("j")
    window.keyboard.press("k")
    window.keyboard.press("Enter")
    window.wait_for_url("**/f/001")
    window.keyboard.press("r")
    window.locator("#reject[open]").wait_for()


def _notified(chromium: Any, page: Any, office: Office) -> None:
    """Of a feature in the other repository, while another window is in front."""
    window = logged_in(chromium, page)
    window.context.add_init_script(HIDDEN)
    window.reload()
    with window.expect_response("**/events"):
        window.get_by_role("button", name="Notify me").click()
    with office.database.write() as tx:
        key = f"{office.repository.key}-001"
        events.add(tx, Event.of(FeatureEvent.GATE, key="w", feature=key, at=NOW, stage="plan"))
    window.locator("body").evaluate(
        """() => new Promise((done) => {
          const look = () => window.told.length ? done() : setTimeout(look, 50);
          look();
        })"""
    )
    assert window.evaluate("window.told[0]").startswith("sparing 001: plan waits")
    window.context.close()


def test_many_tabs(tmp_path: Path) -> None:
    """F8: a browser has six connections to a server; more tabs than that are no trouble."""
    office = open_office(make_repository(tmp_path / "gate"))
    standing(office, "at a gate")
    with served(office.repository.checkout) as page, browser() as chromium:
        window = logged_in(chromium, page)
        # All of them are in sight for this browser, so each is told that it is not.
        window.context.add_init_script(HIDDEN)
        for _ in range(9):
            window.context.new_page().goto(f"{page.origin}/r/{office.repository.key}/f/001")
        window.goto(f"{page.origin}/r/{office.repository.key}/f/001")
        window.get_by_role("button", name="Approve").click()
        window.locator("#state", has_text="Answered: approve").wait_for()


def test_two_people_at_one_gate(tmp_path: Path) -> None:
    """F8: the first answer wins; the other one sees who and when, and keeps what was typed."""
    office = open_office(make_repository(tmp_path / "gate"))
    standing(office, "at a gate")
    with served(office.repository.checkout) as page, browser() as chromium:
        address = f"{page.origin}/r/{office.repository.key}/f/001"
        first, second = (logged_in(chromium, page) for _ in range(2))
        first.goto(address)
        second.goto(address)
        # The second one is writing while the first one answers: nothing is taken from under them.
        second.get_by_role("button", name="Reject").click()
        second.locator("#reject textarea").fill("shorter, please")
        first.get_by_role("button", name="Approve").click()
        first.locator("#state", has_text="Answered: approve").wait_for()
        second.locator("#reject button[type=submit]").click()
        said = second.locator("#reject output")
        said.get_by_text(f"approve by {person_here('')} on the page").wait_for()
        assert re.search(r" at \d\d:\d\d\)", said.inner_text()), "when"
        assert second.locator("#reject textarea").input_value() == "shorter, please"
        second.reload()
        second.locator("#state", has_text="Answered: approve").wait_for()
        kept = second.evaluate("Object.values(localStorage).join()")
        assert "shorter, please" in kept
        assert first.faults == second.faults == []
