"""A stage that is reviewed from the first iteration on again, and why.

Covers: C12, C16, E4
"""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from sparing.cli.main import main
from sparing.connection import Connection
from sparing.desk.office import Office
from sparing.desk.reviews.reviews import decided, reviews
from sparing.event import AnswerEvent, LookEvent
from sparing.records import events, verdicts
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.report.reviews import reviews_page
from tests.desk.reviewing import CONCERN, looked
from tests.desk.standing import started
from tests.records.attempts import NOON

ROLE = "spec-reviewer"
AGAIN = "again, rejected (ada): Name the limit too"


@pytest.fixture
def row(office: Office) -> FeatureRow:
    """Two iterations, a rejection, an iteration that stops, an approval of the rest."""
    row = started(office, flow="feature")
    for number, found in enumerate(((1, CONCERN), (2, None), (1, CONCERN), (2, None))):
        iteration, finding = found
        said = looked(office, row, ROLE, iteration, *([finding] if finding else []))
        with office.database.write() as tx:
            loop = "second" if number > 1 else "first"
            if number > 1:
                later = replace(said, dispatch=f"{said.dispatch}.again", at=NOON + 9 + number)
                verdicts.put(tx, later)
            look = LookEvent(iteration, False, "revise", ((ROLE, "does not pass"),))
            _tell(tx, row, f"{number}", look, f"{loop} loop, {iteration}")
            if number == 1:
                _tell(tx, row, "no", AnswerEvent("ada", "reject"), "Name the limit\n too")
            if number == 2:
                _tell(tx, row, "on", AnswerEvent("ada", "approve"), "")
    return row


def _tell(
    tx: Connection, row: FeatureRow, key: str, what: LookEvent | AnswerEvent, text: str
) -> None:
    told = Event.of(
        what, key=f"look.{key}", feature=row.feature.key, at=NOON, stage="specify", text=text
    )
    events.add(tx, told)


def test_each_review_knows_its_loop_and_the_first_why_it_began(
    office: Office, row: FeatureRow
) -> None:
    """C12: an iteration that is no later than the one before is the first of another loop."""
    told = [(one.iteration, one.loop, one.again) for one in reviews(office, row)]
    assert told == [(1, 0, ""), (2, 0, ""), (1, 1, AGAIN), (2, 1, "")]
    assert [(one.iteration, one.loop) for one in decided(office, row)] == [
        (1, 0), (2, 0), (1, 1), (2, 1),
    ]  # fmt: skip


def test_what_followed_stands_in_its_own_loop(office: Office, row: FeatureRow) -> None:
    """E4: and iterations are counted over both."""
    console = Console(width=90, file=StringIO(), record=True, force_terminal=False)
    console.print(reviews_page(reviews(office, row), decided(office, row)))
    lines = [line.strip() for line in console.export_text().splitlines()]
    assert lines[0] == "specify, 4 reviews in 4 iterations"
    told = [line for line in lines if line == AGAIN or "loop, " in line]
    assert told == [
        *(f"{n} {ROLE}: first loop, {n}" for n in (1, 2)), AGAIN,
        *(f"{n} {ROLE}: second loop, {n}" for n in (1, 2)),
    ]  # fmt: skip


def test_show_says_why_the_reviews_began_again(
    office: Office,
    row: FeatureRow,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """K1: once, between the two loops."""
    at = {**row.place["state"], "stage": "specify"}
    marks: dict[str, list[object]] = {"specify": [NOON, NOON + 9, 2, False, []]}
    place: dict[str, object] = {**row.place, "state": at, "marks": marks}
    with office.database.write() as tx:
        tx.execute(
            "update features set place = ? where key = ?", (json.dumps(place), row.feature.key)
        )
    monkeypatch.chdir(office.repository.checkout)
    assert main(["show", "1"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines.count(AGAIN) == 1
    assert lines.index(AGAIN) == lines.index(f"{ROLE}, iteration 2: passed") + 1


def test_what_a_reviewer_holds_to_against_a_reason_is_called_contested(office: Office) -> None:
    """C2, C13: as the run called it; from the verdicts alone it would be repeated."""
    row = started(office)
    for iteration, state in ((1, "F1, new"), (2, "F1, contested, does not block")):
        looked(office, row, ROLE, iteration, CONCERN)
        told: dict[str, object] = {"finding": {}, "roles": [], "state": state}
        look = LookEvent(iteration, False, "revise", ((ROLE, "does not pass"),), (told,))
        with office.database.write() as tx:
            _tell(tx, row, str(iteration), look, "as it is")
    assert [one.became for one in reviews(office, row)] == ["1 new", "1 contested"]
