"""Answers at gates: refused where they make no sense, kept where no engine runs.

Covers: A6, A7, K1
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparing.desk.gates import answers
from sparing.desk.gates.stale_answer import answered_words
from sparing.desk.office import Office
from sparing.errors import FeatureError, SparingError, UsageError
from sparing.records import gates, mailbox
from sparing.records.features import FeatureRow
from sparing.records.mailbox import Letter
from tests.desk.standing import APPROVE, NOW, PASSED, STATES, answered, reload, settled, standing


def approve(office: Office, row: FeatureRow) -> str:
    return answers.approve(office, row, "terminal", NOW + 20)


def reject(office: Office, row: FeatureRow, said: str = "shorter") -> str:
    return answers.reject(office, row, said, "page", NOW + 20)


def letters(office: Office) -> list[Letter]:
    with office.database.read() as connection:
        return mailbox.unread(connection)


ANSWERABLE = ("at a gate", "stuck, acceptable")
SHOW = "sparing show 001"
REFUSED = {
    "not begun": ("feature 001 has not begun", "sparing run 001"),
    "under way": (
        "feature 001 is working on plan; nothing waits for an answer",
        "see its progress: sparing status",
    ),
    "done": ("feature 001 is completed", SHOW),
    "abandoned": ("feature 001 is abandoned", SHOW),
}
STUCK = (
    "checks are red: tests: there is nothing to approve",
    'sparing reject 001 "what should be different"',
)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("answer", [approve, reject])
def test_an_answer_where_nothing_is_asked(office: Office, name: str, answer: object) -> None:
    """K1, A6: the reason, the command that helps, and nothing is written."""
    row = standing(office, name)
    with pytest.raises(FeatureError) as caught:
        approve(office, row) if answer is approve else reject(office, row)
    assert (caught.value.what, caught.value.repair) == REFUSED[name]
    assert letters(office) == []


def test_a_stuck_stage_has_nothing_to_approve(office: Office) -> None:
    """A6: no answer force-approves red checks; a rejection is taken."""
    row = standing(office, "stuck")
    with pytest.raises(FeatureError) as caught:
        approve(office, row)
    assert (caught.value.what, caught.value.repair) == STUCK
    assert letters(office) == []
    assert reject(office, row) == "plan"
    assert [letter.verb for letter in letters(office)] == ["reject"]


def test_every_state_is_answered_or_refused() -> None:
    assert set(STATES) == {*REFUSED, *ANSWERABLE, "stuck"}


@pytest.mark.parametrize("name", ANSWERABLE)
def test_an_approval_waits_in_the_mailbox(office: Office, name: str) -> None:
    """A6: while no engine runs the feature stays as it is; the letter names gate and sender."""
    row = standing(office, name)
    assert approve(office, row) == "plan"
    assert letters(office) == [Letter(1, row.feature.key, "approve", row.leg_id, "", "terminal")]
    assert reload(office, row) == row


def test_a_rejection_keeps_its_words(office: Office) -> None:
    """A6: to the letter, without the space around them; several lines are fine."""
    row = standing(office, "at a gate")
    assert reject(office, row, "  Say *why*:\n\t- größer, 日本 👩‍💻\r\n  ") == "plan"
    (letter,) = letters(office)
    assert (letter.verb, letter.sender) == ("reject", "page")
    assert letter.body == "Say *why*:\n\t- größer, 日本 👩‍💻"


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("", "a rejection has to say what should be different"),
        (" \n", "a rejection has to say what should be different"),
        ("bad \udcff byte", "that is not plain text: it has control characters or broken bytes"),
        ("bell \a", "that is not plain text: it has control characters or broken bytes"),
    ],
)
def test_a_rejection_without_words(office: Office, said: str, what: str) -> None:
    """K1"""
    row = standing(office, "at a gate")
    with pytest.raises(UsageError) as caught:
        reject(office, row, said)
    assert (caught.value.what, caught.value.repair) == (what, 'sparing reject 001 "say it here"')
    assert letters(office) == []


@pytest.mark.parametrize("second", [approve, reject])
def test_a_second_answer_is_refused(office: Office, second: object) -> None:
    """A6: the first one wins, although no engine has seen it yet."""
    row = standing(office, "at a gate")
    approve(office, row)
    with pytest.raises(FeatureError) as caught:
        approve(office, row) if second is approve else reject(office, row)
    first = "this gate is already answered \\(approve by terminal at \\d\\d:\\d\\d\\)"
    assert re.fullmatch(
        f"{first}; the answer takes effect when the feature runs", caught.value.what
    )
    assert caught.value.repair == "sparing run 001"
    assert len(letters(office)) == 1


@pytest.mark.parametrize(
    ("verb", "words"),
    [("approve", "approved"), ("continue", "continued"), ("sync", "synced with its base")],
)
def test_who_answered_first_is_said_in_a_sentence(office: Office, verb: str, words: str) -> None:
    """K8: "it was continues by" and "it was brings the base in: by" are none."""
    row = standing(office, "at a gate")
    with office.database.write() as tx:
        gate = gates.waiting(tx, row.feature.key)
        assert gate is not None
        assert gates.answer(tx, gate.id, verb, "", "ada", NOW)
    told = re.fullmatch(r"it was (.*) by ada at \d\d:\d\d", answered_words(office, gate.id))
    assert told is not None
    assert told[1] == words


def test_answers_from_two_doors_at_once(office: Office) -> None:
    """A6: one is taken, the other is told."""
    row = standing(office, "at a gate")

    def answer(number: int) -> str:
        try:
            return approve(office, row) if number % 2 else reject(office, row)
        except FeatureError as error:
            return error.what.partition(" (")[0]

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(answer, range(8)))
    assert sorted(said) == sorted(["plan", *["this gate is already answered"] * 7])
    assert len(letters(office)) == 1


def test_an_answer_never_reaches_a_gate_that_its_sender_did_not_see(office: Office) -> None:
    """A6: while one person thought, another approved and the feature came to the next gate."""
    seen = standing(office, "at a gate")
    now = settled(office, answered(office, seen), (APPROVE, PASSED, PASSED))
    for answer in (approve, reject):
        with pytest.raises(SparingError) as caught:
            answer(office, seen)
        assert (caught.value.what, caught.value.repair) == (
            "feature 001 has changed in the meantime and is now at done",
            SHOW,
        )
    assert letters(office) == []
    assert approve(office, now) == "done"


def test_a_gate_that_opened_after_the_look_can_be_answered(office: Office) -> None:
    """A6: who saw the feature at work and answers when it waits means this very gate."""
    seen = standing(office, "under way")
    settled(office, seen, (PASSED,))
    assert approve(office, seen) == "plan"


def test_a_start_is_asked_for_once(office: Office) -> None:
    """A6"""
    row = standing(office, "not begun")
    for _ in range(2):
        answers.request_start(office, row, NOW)
    assert letters(office) == [Letter(1, row.feature.key, "start", "", "", "run")]
