"""Texts that want to become more than text, in a real browser. Covers: K3"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.event import OutputsEvent
from sparing.flow.state import Outcome, OutcomeKind
from sparing.records import events, features
from sparing.records.events import Event
from sparing.turn_event import AgentAction
from tests.browser.chromium import (
    browser,
    logged_in,
)
from tests.browser.conftest import Scene
from tests.desk.reviewing import DEFECT, followed
from tests.desk.standing import NOW, settled, standing
from tests.repositories import commit_beside
from tests.web.vectors import VECTORS

LEAST = 150
"""Of vectors that are shown, at least."""


def file_name(number: int, vector: str) -> str:
    """As git takes it in a stream."""
    kept = "".join(one for one in vector if one.isprintable() and one not in "/\\")
    return f"src/{number}{kept[:180]}.py"


def hostile(office: Office, folder: Path) -> str:
    """All vectors: in titles, documents, names and contents of files, findings, questions, what
    checks printed and what agents said. The feature's key."""
    row = standing(office, "under way")
    passed, approve = Outcome(OutcomeKind.PASSED), Outcome(OutcomeKind.APPROVE)
    row = settled(office, row, (passed, approve, passed, passed))
    place = office.loaded.settings.flow.folder_of(row.feature)
    text = "# Plan\n\n" + "\n\n".join(VECTORS)
    named = {file_name(n, one): one for n, one in enumerate(VECTORS)}
    files = {f"{place}/plan.md": text, f"{place}/summary.md": text, **named}
    head = commit_beside(office.repository.checkout, row.feature.base_commit, files)
    for n, one in enumerate(VECTORS, 1):
        bad = replace(DEFECT, text=one, quote=one, suggestion=one, location=one)
        followed(office, row, f"F{n}", bad, stage="done")
    printed = folder / "printed.txt"
    printed.write_text("\n".join(VECTORS))
    with office.database.write() as tx:
        features.move(tx, row, {**row.place, "head": head}, head, NOW + 9)
        tx.execute("update features set title = ?", (VECTORS[0] + VECTORS[-1],))
        outputs = OutputsEvent({one: str(printed) for one in VECTORS[-9:]})
        events.add(
            tx, Event.of(outputs, key="o", feature=row.feature.key, at=NOW, stage="implement")
        )
    say_all(office, row.feature.key, "v")
    with office.database.write() as tx:
        for n, one in enumerate(VECTORS, 2):
            base = ("main", row.feature.base_commit)
            other = answers.new_row(office, "x", "L1", n, base, {}, NOW)
            features.create(tx, other)
            title = " ".join(one.split()) or "x"
            tx.execute("update features set title = ? where key = ?", (title, other.feature.key))
    return row.feature.key


def say_all(office: Office, key: str, name: str) -> None:
    with office.database.write() as tx:
        for n, one in enumerate(VECTORS):
            told = Event.of(
                AgentAction.SAYS, key=f"{name}{n}", feature=key, at=NOW, stage="done",
                role="builder", text=one,
            )  # fmt: skip
            events.add(tx, told)


def test_hostile_texts_do_nothing(scene: Scene, tmp_path: Path) -> None:
    """K3: no script runs and no request leaves the page's own address, with every vector shown."""
    key = hostile(scene.office, tmp_path)
    with browser() as chromium:
        window = logged_in(chromium, scene.page)
        shown = ("001/doc/plan.md", "001/doc/plan.md?source=1", "001/doc/summary.md", "001/code")
        for path in ("", *shown, "001"):
            window.goto(f"{scene.home}/{path}" if path else f"{scene.page.origin}/")
            for one in window.locator("summary").all():
                one.evaluate("one => { one.parentElement.open = true; }")
            assert window.evaluate("window.pwned === undefined"), path
            if path == "001/code":
                assert window.locator(".file").count() >= LEAST, "every name is shown"
                assert window.locator("pre.output").count() == 9
            if path == "001":
                assert window.locator(".finding").count() == len(VECTORS)
        # They come while it is looked at, too.
        before = window.locator(".event").count()
        say_all(scene.office, key, "w")
        window.locator(f".event:nth-child({before + len(VECTORS)})").wait_for(state="attached")
        assert window.evaluate("window.pwned === undefined")
        assert window.faults == []
        assert [url for url in window.asked if not url.startswith(scene.page.origin)] == []
    places = "titles, documents, agents' words, file names, findings and check output"
    print(f"{len(set(VECTORS))} vectors in {places}: no script ran, no request left the page")
