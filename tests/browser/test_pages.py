"""Every page in a real browser: gates that wait, hostile texts, axe, pictures. Covers: F8, K3"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.desk.office import Office, open_office
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.money import CapMeasure, CapScope, Reached
from sparing.records import events, features, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.turn_event import AgentAction, BudgetEvent
from tests.browser.chromium import (
    PATIENCE_MS,
    SHOTS,
    Served,
    browser,
    logged_in,
    served,
    violations,
)
from tests.desk.reviewing import CONCERN, DEFECT, followed, looked
from tests.desk.standing import NOW, reload, settled, standing
from tests.repositories import commit_beside, make_repository
from tests.terminal import sparing
from tests.web.vectors import VECTORS

LOOKED_AT = ((1280, "light"), (380, "dark"))
"""Where axe looks and pictures are taken: each width and each scheme once."""
WIDEST = (1920, "light")
"""Here it is only asked whether a page is wider than its window."""


class Scene(NamedTuple):
    office: Office
    page: Served
    home: str

    def letters(self) -> list[tuple[str, str]]:
        with self.office.database.read() as connection:
            return [(one.verb, one.body) for one in mailbox.unread(connection)]


def stopped(office: Office, cause: Cause, reason: str, **talk: Any) -> FeatureRow:
    """A feature whose stage waits for a person's word, for this reason."""
    stop = Outcome(OutcomeKind.FAILED, reason=reason, cause=cause)
    row = settled(office, standing(office, "under way"), (stop,))
    with office.database.write() as tx:
        features.move(tx, row, {**row.place, "talk": talk}, row.head, NOW + 10)
    return reload(office, row)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    office = open_office(make_repository(tmp_path / "gate"))
    with served(office.repository.checkout) as page:
        yield Scene(office, page, f"{page.origin}/r/{office.repository.key}/f")


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
        window.get_by_placeholder("why, for those who look later").fill("it is set in the caller")
        window.get_by_role("button", name="Dismiss").click()
        window.locator(".finding", has_text="it is set in the caller").wait_for()
        window.goto(f"{scene.home}/002")
        window.get_by_label("Answer to question 1").fill("8080")
        window.get_by_role("button", name="Answer", exact=True).click()
        window.locator("#said", has_text="answered").wait_for()
        window.goto(f"{scene.home}/003")
        assert "Continue here" in window.locator(".offers").first.inner_text()
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


def hostile(office: Office) -> None:
    """All vectors at once: in the title, a document, a file's name, findings and agents' words."""
    row = standing(office, "at a gate")
    folder = office.loaded.settings.flow.folder_of(row.feature)
    text = "# Plan\n\n" + "\n\n".join(VECTORS)
    named = {
        f"src/<img src=x onerror=window.pwned={n}>.py": one for n, one in enumerate(VECTORS[:9])
    }
    files = {f"{folder}/plan.md": text, **named}
    head = commit_beside(office.repository.checkout, row.feature.base_commit, files)
    looked(office, row, "plan-reviewer", 1, DEFECT, CONCERN, stage="plan")
    with office.database.write() as tx:
        place = {**row.place, "head": head}
        features.move(tx, row, place, head, NOW + 9)
        title = VECTORS[0] + VECTORS[-1]
        tx.execute("update features set title = ?", (title,))
        for n, one in enumerate(VECTORS):
            told = Event.of(
                AgentAction.SAYS, key=f"v{n}", feature=row.feature.key, at=NOW, stage="plan",
                role="builder", text=one,
            )  # fmt: skip
            events.add(tx, told)


def test_hostile_texts_do_nothing(scene: Scene) -> None:
    """K3: no script runs and no request leaves the page's own address, with every vector shown."""
    hostile(scene.office)
    with browser() as chromium:
        window = logged_in(chromium, scene.page)
        for path in ("001", "001/doc/plan.md", "001/doc/plan.md?source=1", "001/code"):
            window.goto(f"{scene.home}/{path}")
            assert window.evaluate("window.pwned === undefined"), path
        with scene.office.database.write() as tx:
            for n, one in enumerate(VECTORS):
                told = Event.of(
                    AgentAction.SAYS, key=f"w{n}", feature=f"{scene.office.repository.key}-001",
                    at=NOW, stage="plan", role="builder", text=one,
                )  # fmt: skip
                events.add(tx, told)
        window.goto(f"{scene.home}/001")
        assert window.evaluate("window.pwned === undefined")
        assert window.faults == []
        assert [url for url in window.asked if not url.startswith(scene.page.origin)] == []


def pages(scene: Scene) -> dict[str, str]:
    origin, repo = scene.page.origin, scene.office.repository.key
    one = f"{scene.home}/001"
    return {
        "board": f"{origin}/", "start": f"{origin}/start", "feature": f"{scene.home}/002",
        "finished": one, "document": f"{scene.home}/002/doc/spec.md",
        "versions": f"{one}/doc/design.md?version=2&against=1", "code": f"{one}/code",
        "money": f"{one}/money", "repository-money": f"{origin}/r/{repo}/money",
        "source": f"{one}/doc/spec.md?source=1", "missing": f"{scene.home}/077",
    }  # fmt: skip


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
    with served(where) as page, browser() as chromium:
        scene = Scene(office, page, f"{page.origin}/r/{office.repository.key}/f")
        found: list[str] = []
        first = logged_in(chromium, page)
        state = first.context.storage_state()
        SHOTS.mkdir(parents=True, exist_ok=True)
        for width, scheme in (*LOOKED_AT, WIDEST):
            context = chromium.new_context(
                storage_state=state,
                color_scheme=scheme,
                viewport={"width": width, "height": 900},
                reduced_motion="reduce",
            )
            context.set_default_timeout(PATIENCE_MS)
            window = context.new_page()
            for name, address in pages(scene).items():
                window.goto(address)
                if window.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
                    found.append(f"{name} is wider than {width} px")
                if (width, scheme) in LOOKED_AT:
                    shot = SHOTS / f"{name}-{width}-{scheme}.png"
                    window.screenshot(path=shot, full_page=True)
                    found += [f"{name} {scheme} {width}: {one}" for one in violations(window)]
            context.close()
    assert found == []
