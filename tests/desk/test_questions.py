"""Questions are answered one by one or all at once, and become one letter to their gate.

Covers: A6, F5
"""

from __future__ import annotations

from itertools import count

import pytest

from sparing.desk.features import orders
from sparing.desk.features.view import feature_view
from sparing.desk.gates.open_questions import without_questions
from sparing.desk.gates.questions import answer, questions
from sparing.desk.office import Office
from sparing.errors import SparingError
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.records import features, mailbox
from sparing.records.features import FeatureRow
from tests.desk.standing import NOW, reload, settled, standing

SECONDS = count()
ASKED = ["Which port?", "Keep the flag?"]


@pytest.fixture
def asking(office: Office) -> FeatureRow:
    return asks(office, Cause.QUESTIONS, ASKED)


def asks(office: Office, cause: Cause, listed: list[str]) -> FeatureRow:
    """A plan whose author wants to know something."""
    stop = Outcome(OutcomeKind.FAILED, reason="it asks 2 questions", cause=cause)
    row = settled(office, standing(office, "under way"), (stop,))
    place = {**row.place, "talk": {"questions": listed}}
    with office.database.write() as tx:
        assert features.move(tx, row, place, row.head, NOW + 10)
    return reload(office, row)


def letters(office: Office) -> list[tuple[str, str]]:
    with office.database.read() as connection:
        return [(one.verb, one.body) for one in mailbox.unread(connection)]


def say(office: Office, row: FeatureRow, words: str, number: int | None = None) -> list[int]:
    done = answer(office, row, words, number, "terminal", NOW + 20 + next(SECONDS))
    return [one.number for one in done.left]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("it asks: Which port?", "it asks a question"),
        ("it asks 2 questions, first: Which port?", "it asks 2 questions"),
        ("plan waits: it asks 2 questions, first: Why:\nx?", "plan waits: it asks 2 questions"),
        ("the checks are red: it asks nothing", "the checks are red: it asks nothing"),
    ],
)
def test_a_reason_does_not_repeat_the_questions_listed_below_it(reason: str, words: str) -> None:
    """K1: at a gate one question was shown three times."""
    assert without_questions(reason) == words


def test_questions_are_listed_with_what_answers_them(office: Office, asking: FeatureRow) -> None:
    assert [one.text for one in questions(office, asking)] == ASKED
    shown = feature_view(office, asking)
    assert shown.questions == tuple(ASKED)
    assert shown.next_command.startswith("sparing answer 001 ")


def test_one_answer_to_all(office: Office, asking: FeatureRow) -> None:
    assert say(office, asking, " decide it yourself ") == []
    told = "Question: Which port?\nQuestion: Keep the flag?\nAnswer: decide it yourself\n"
    assert letters(office) == [("answer", told)]


def test_one_by_one_in_any_order(office: Office, asking: FeatureRow) -> None:
    """The letter is sent when the last one has its answer."""
    assert say(office, asking, "yes", 2) == [1]
    assert letters(office) == []
    assert [one.answer for one in questions(office, asking)] == ["", "yes"]
    assert say(office, asking, "no", 2) == [1]
    assert say(office, asking, "yes", 2) == [1]
    assert say(office, asking, "8080") == []
    told = "Question: Which port?\nAnswer: 8080\n\nQuestion: Keep the flag?\nAnswer: yes\n"
    assert letters(office) == [("answer", told)]


def test_the_first_answer_counts(office: Office, asking: FeatureRow) -> None:
    say(office, asking, "8080")
    with pytest.raises(SparingError) as caught:
        say(office, asking, "9090")
    assert "is already answered" in caught.value.what


def test_what_blocks_is_answered_too(office: Office) -> None:
    row = asks(office, Cause.BLOCKED, [])
    assert [one.text for one in questions(office, row)] == ["it asks 2 questions"]
    assert say(office, row, "the key is in .env") == []
    assert letters(office)[0][0] == "answer"


NO_ANSWERS = (
    ("", None, "an answer has 1 to 8000 characters"),
    ("x" * 8_001, None, "an answer has 1 to 8000 characters"),
    ("8080", 3, "there is no question 3"),
    ("a\x1b[2Jb", None, "that is not plain text: it has control characters or broken bytes"),
)


def test_an_answer_that_is_none(office: Office, asking: FeatureRow) -> None:
    """K1"""
    for words, number, what in NO_ANSWERS:
        with pytest.raises(SparingError) as caught:
            say(office, asking, words, number)
        assert caught.value.what == what
    assert letters(office) == []


def test_an_answer_where_nothing_is_asked(office: Office) -> None:
    """K1"""
    for name in ("not begun", "under way", "at a gate", "stuck", "done"):
        row = standing(office, name)
        assert questions(office, row) == (), name
        with pytest.raises(SparingError):
            say(office, row, "8080")
    assert letters(office) == []


def test_what_asks_does_not_go_on_without_an_answer(office: Office, asking: FeatureRow) -> None:
    with pytest.raises(SparingError) as caught:
        orders.resume(office, asking, "terminal", NOW + 20)
    assert caught.value.what == "it asks 2 questions: answer it to continue"
