"""Every page in a real browser: gates that wait, axe, pictures. Covers: F8, K3"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparing.desk.office import Office, open_office
from sparing.flow.state import Cause
from sparing.money import CapMeasure, CapScope, Reached
from sparing.records import events
from sparing.records.events import Event
from sparing.turn_event import BudgetEvent
from tests.browser.chromium import (
    PATIENCE_MS,
    SHOTS,
    browser,
    logged_in,
    served,
    violations,
)
from tests.browser.conftest import Scene, stopped
from tests.desk.reviewing import CONCERN, DEFECT, followed
from tests.desk.standing import NOW, standing, started
from tests.terminal import sparing

SHOWN = ((1280, "light"), (380, "dark"), (1280, "dark"), (380, "light"))
"""How pictures are taken."""
LOOKED_AT = SHOWN[:2]
"""Where axe looks: each width and each scheme once."""
WIDEST = (1920, "light")
"""Here it is only asked whether a page is wider than its window."""
WIDE_PAGES = ("board", "feature", "document", "code", "money")


def test_gates_of_every_kind(scene: Scene) -> None:
    """F8: rule on a finding, answer, hand off, raise a cap; each becomes one letter or one row."""
    office = scene.office
    stuck = standing(office, "stuck, acceptable")
    followed(office, stuck, "F1", DEFECT)
    stopped(office, Cause.QUESTIONS, "it asks", questions=["Which port?"])
    stopped(office, Cause.HANDOFF, "plan needs 9k, 4k are left")
    capped = stopped(office, Cause.BUDGET, "the cap of the feature is used up")
    reached = Reached(CapScope.FEATURE, "", CapMeasure.MONEY, 39 * 10**9, 3 * 10**9, 40 * 10**9)
    told = BudgetEvent(**{name: getattr(reached, name) for name in Reached.__dataclass_fields__})
    with office.database.write() as tx:
        one = Event.of(told, key="b", feature=capped.feature.key, at=NOW, stage="plan")
        events.add(tx, one)
    with browser() as chromium:
        window = logged_in(chromium, scene.page)
        window.goto(f"{scene.home}/001")
        window.get_by_text("Rule on it").first.click()
        window.get_by_placeholder("why (later reviewers see it)").fill("it is set in the caller")
        window.get_by_role("button", name="Dismiss").click()
        window.locator(".finding", has_text="it is set in the caller").wait_for()
        window.goto(f"{scene.home}/002")
        window.get_by_label("Answer to question 1").fill("8080")
        window.get_by_role("button", name="Answer", exact=True).click()
        window.locator("#said", has_text="answered").wait_for()
        window.goto(f"{scene.home}/003")
        assert "Continue here" in window.locator(".gate > .offers").last.inner_text()
        window.get_by_role("button", name="Hand off").click()
        window.locator("#said", has_text="a new session").wait_for()
        window.goto(f"{scene.home}/004")
        window.get_by_role("button", name="Raise a cap").first.click()
        window.get_by_label("New limit in US dollars").fill("60")
        window.locator("#raise button[type=submit]").click()
        window.locator("#said", has_text="raised").wait_for()
        assert window.faults == []
    verbs = [verb for verb, _ in scene.letters()]
    assert verbs == ["answer", "approve", "continue"]


def cut(route: Any) -> None:
    """The page is opened, and never looks again by itself."""
    if route.request.resource_type == "fetch":
        route.abort()
    else:
        route.continue_()


def test_a_page_that_is_stale(scene: Scene) -> None:
    """F8: changed since you looked; what was typed is still there."""
    row = standing(scene.office, "at a gate")
    with browser() as chromium:
        window = logged_in(chromium, scene.page)
        window.route("**/f/001", cut)
        window.goto(f"{scene.home}/001")
        assert sparing(scene.office.repository.checkout, "approve", "1").code == 0
        window.get_by_role("button", name="Reject").click()
        window.locator("#reject textarea").fill("shorter, please")
        window.locator("#reject button[type=submit]").click()
        said = window.locator("#reject output")
        said.filter(has_text="approve by terminal").wait_for()
        window.unroute("**/f/001")
        window.reload()
        key = "Object.values(localStorage).join()"
        assert "shorter, please" in window.evaluate(key)
    assert [verb for verb, _ in scene.letters()] == ["approve"]
    assert row.feature.id == "001"


def furnish(office: Office) -> None:
    """Features 3 to 8: what the board and its gates look like in every state."""
    stuck = standing(office, "stuck, acceptable")
    followed(office, stuck, "F1", DEFECT)
    followed(office, stuck, "F2", CONCERN)
    asks = ["Which port?", "Should two texts be counted together or one by one?"]
    stopped(office, Cause.QUESTIONS, "it asks", questions=asks)
    stopped(office, Cause.HANDOFF, "plan needs 9k, 4k are left")
    started(office, "Zähle \u202e<b>alle</b> \U0001f984 Wörter " + "sehr" * 30)
    for name in ("under way", "abandoned"):
        standing(office, name)


def pages(scene: Scene, prompt: str) -> dict[str, str]:
    origin, repo = scene.page.origin, scene.office.repository.key
    one = f"{scene.home}/001"
    return {
        "board": f"{origin}/", "start": f"{origin}/start", "feature": f"{scene.home}/002",
        "finished": one, "stuck": f"{scene.home}/003", "questions": f"{scene.home}/004",
        "handoff": f"{scene.home}/005", "planned": f"{scene.home}/006",
        "interrupted": f"{scene.home}/007",
        "document": f"{scene.home}/002/doc/spec.md", "source": f"{one}/doc/spec.md?source=1",
        "versions": f"{one}/doc/design.md?version=2&against=1", "code": f"{one}/code",
        "prompt": prompt, "money": f"{one}/money", "repository-money": f"{origin}/r/{repo}/money",
        "missing": f"{scene.home}/077",
    }  # fmt: skip


def opened(window: Any, name: str) -> None:
    """What is seen only after a click is seen in the picture, too."""
    if name == "start":
        window.get_by_label("What should exist afterwards?").fill("Count the sentences, too")
        window.get_by_role("button", name="Show what will happen").click()
        window.get_by_role("heading", name="What will happen").wait_for()
    if name == "document":
        line = window.locator(".prose li").first
        line.hover()
        line.locator(".add-comment").first.click()
    if name == "stuck":
        window.get_by_text("Rule on it").first.click()


def test_every_page_is_fit_to_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F8: axe finds nothing serious; no page is wider than its window; pictures are taken."""
    # The library that draws charts keeps a list of fonts, which would be in HOME.
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "fonts"))
    done = sparing(tmp_path, "demo", "--keep", "sample")
    assert done.code == 0, done.err
    office = open_office(tmp_path / "sample" / "wordtally")
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "sample" / "script.toml"),
    }
    where = office.repository.checkout
    sparing(where, "start", "List the most frequent words of two texts", environ=environ)
    sparing(where, "run", "--no-input", environ=environ)
    sparing(where, "approve", "2")
    sparing(where, "run", "--no-input", environ=environ)
    furnish(office)
    with served(where) as page, browser() as chromium:
        scene = Scene(office, page, f"{page.origin}/r/{office.repository.key}/f")
        first = logged_in(chromium, page)
        first.goto(f"{scene.home}/001")
        prompt = first.locator("a[href*='/prompt/']").last.evaluate("one => one.href")
        state = first.context.storage_state()
        SHOTS.mkdir(parents=True, exist_ok=True)
        found: list[str] = []
        for width, scheme in (*SHOWN, WIDEST):
            context = chromium.new_context(
                storage_state=state,
                color_scheme=scheme,
                viewport={"width": width, "height": 900},
                reduced_motion="reduce",
            )
            context.set_default_timeout(PATIENCE_MS)
            window = context.new_page()
            for name, address in pages(scene, prompt).items():
                if (width, scheme) == WIDEST and name not in WIDE_PAGES:
                    continue
                window.goto(address)
                opened(window, name)
                if window.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
                    found.append(f"{name} is wider than {width} px")
                if (width, scheme) in SHOWN:
                    window.evaluate("scrollTo(0, 0)")
                    shot = SHOTS / f"{name}-{width}-{scheme}.png"
                    window.screenshot(path=shot, full_page=True)
                if (width, scheme) in LOOKED_AT:
                    found += [f"{name} {scheme} {width}: {one}" for one in violations(window)]
            context.close()
    assert found == []
