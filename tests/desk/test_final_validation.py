"""Everybody's last look at what has passed, told apart from the round whose number it has.

Covers: C9, E4
"""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from sparing.cli.main import main
from sparing.desk.features.prompt_page import surroundings_of
from sparing.desk.features.sent_prompts import StagePast
from sparing.desk.office import Office
from sparing.desk.reviews.reviews import decided, reviews
from sparing.event import LookEvent
from sparing.flow.flows import FEATURE
from sparing.records import events, verdicts
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.report.reviews import reviews_page
from tests.desk.reviewing import WISH, asked, looked
from tests.desk.standing import started
from tests.records.attempts import NOON

ROLES = ("code-quality-reviewer", "security-reviewer")


@pytest.fixture
def row(office: Office) -> FeatureRow:
    """Two looks with the same number on the same commit, a suggestion repeated in the second."""
    row = started(office)
    first = [
        looked(office, row, ROLES[0], 1, WISH, stage="implement", approved=True),
        looked(office, row, ROLES[1], 1, stage="implement"),
    ]
    judged = tuple((role, "passes") for role in ROLES)
    with office.database.write() as tx:
        for one in first:
            verdicts.put(tx, replace(one, dispatch=f"{one.dispatch}.again", at=NOON + 9))
        for number, final in enumerate((False, True)):
            look = LookEvent(1, final, "accept", judged)
            told = Event.of(
                look, key=f"look.{number}", feature=row.feature.key, at=NOON, stage="implement",
                text="all pass" if final else "final validation: both",
            )  # fmt: skip
            events.add(tx, told)
    return row


def test_it_is_a_look_of_its_own(office: Office, row: FeatureRow) -> None:
    """C2: what was said in the round before is repeated, and not new a second time."""
    assert [(one.role, one.final, one.became) for one in reviews(office, row)] == [
        (ROLES[0], False, "1 new"), (ROLES[1], False, ""),
        (ROLES[0], True, "1 repeated"), (ROLES[1], True, ""),
    ]  # fmt: skip


def test_the_table_marks_it_and_tells_what_followed_from_each(
    office: Office, row: FeatureRow
) -> None:
    """E4"""
    console = Console(width=90, file=StringIO(), record=True, force_terminal=False)
    console.print(reviews_page(reviews(office, row), decided(office, row)))
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    starts = [line[:2].strip() for line in lines if ROLES[0] in line and "passed" in line]
    assert starts == ["1", "✓"]
    assert lines.index(f"   1 {', '.join(ROLES)}: final validation: both") < lines.index(
        f"   ✓ {', '.join(ROLES)}: all pass"
    )


def test_show_calls_it_by_its_name(
    office: Office,
    row: FeatureRow,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """E4: not a second iteration 1."""
    place: dict[str, object] = {**row.place, "marks": {"implement": [NOON, NOON + 9, 1, [], False]}}
    with office.database.write() as tx:
        tx.execute(
            "update features set place = ? where key = ?", (json.dumps(place), row.feature.key)
        )
    monkeypatch.chdir(office.repository.checkout)
    assert main(["show", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.count(f"{ROLES[1]}, iteration 1: passed") == 1
    assert shown.count(f"{ROLES[1]}, final validation: passed") == 1


def test_a_prompt_is_found_by_the_name_that_show_gives_its_review(
    office: Office, row: FeatureRow
) -> None:
    """K1: the round by its number, the final validation by its name, the last one by neither."""
    role = ROLES[1]
    round_one = f"{row.feature.key}.implement.1-{role}"
    asked(
        office, row, f"{round_one}.again", stage="implement", role=role, iteration=1,
        started=NOON + 9,
    )  # fmt: skip
    past = StagePast(surroundings_of(office), row, FEATURE.stage("implement"))

    def found(iteration: int, *, final: bool) -> str:
        sent = past.sent(role, iteration, "", final=final)
        return sent.attempt.dispatch if sent else ""

    assert found(1, final=False) == round_one
    for iteration in (0, 1):
        assert found(iteration, final=True) == f"{round_one}.again"
    assert found(0, final=False) == f"{round_one}.again"
    assert found(2, final=True) == ""
