"""The lines of a run: one for each thing that matters, and whose it is where several run.

Covers: A6, K1
"""

from __future__ import annotations

import click
import pytest

from sparing.cli.run.progress import Progress, describe, named
from sparing.cli.screen import rendered
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.records import events
from sparing.records.events import Event
from tests.conftest import UserRepository

ONE = "r-001"


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())


@pytest.fixture
def keys(office: Office) -> list[str]:
    return [answers.start(office, name, "L1", {}, 0).feature.key for name in ("One", "Two")]


def told(office: Office, *found: Event) -> None:
    with office.database.write() as tx:
        for event in found:
            events.add(tx, event)


def test_lines_of_several_features_say_whose_they_are(
    office: Office, keys: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = keys
    progress = Progress(office, keys, quiet=False)
    told(
        office,
        Event("a", one, 0, "stage", "plan"),
        Event("b", two, 0, "done", "done"),
        Event("c", one, 0, "gate", "plan"),
    )
    progress.show()
    shown = "\n001 plan\n\n002 finished\n001   ? plan waits for your approval\n"
    assert capsys.readouterr().err == shown
    progress.show()
    assert capsys.readouterr().err == "", "each is told once"


def test_lines_of_one_feature_do_not(
    office: Office, keys: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = keys
    progress = Progress(office, [one], quiet=False)
    told(office, Event("a", one, 0, "stage", "plan"), Event("b", two, 0, "stage", "plan"))
    progress.show()
    assert capsys.readouterr().err == "\nplan\n\n002 plan\n"


def test_how_agents_are_confined_is_told_when_it_changes(
    office: Office, keys: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """H6: what is weak is told each time; what is not protected, also where all else is strong."""

    def sandbox(level: str, number: int) -> Event:
        text, key = f"{level}: so far; not protected: this", f"{level}.{number}"
        return Event(key, keys[0], 0, "sandbox", text=text, data={"level": level})

    told(office, sandbox("sealed", 1))
    progress = Progress(office, keys[:1], quiet=False)
    told(office, sandbox("sealed", 2), sandbox("shell", 1), sandbox("files", 1))
    told(office, sandbox("files", 2))
    progress.show()
    weak = "  ! sandbox files: so far; not protected: this\n"
    assert capsys.readouterr().err == (
        f"  sandbox shell: so far\n    not protected: this\n{weak}{weak}"
    )


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            Event("k", ONE, 0, "fallback", role="spec-reviewer", data={"error": "session lost"}),
            "  ~ spec-reviewer starts a new session; session lost",
        ),
        (
            Event("k", ONE, 0, "research", role="codebase-explorer", text="1 finding, 2 left out",
                  data={"findings": 1}),
            "  · codebase-explorer: 1 fact found, 2 left out",
        ),
        (
            Event("k", ONE, 0, "weighed", text="hand off is expected to be 43 % cheaper (1 call)",
                  data={"go": "hand off", "warm": True}),
            "  ~ a new session with a handoff: 43 % cheaper than continuing (expected)",
        ),
        (
            Event("k", ONE, 0, "weighed", text="continue is expected to be 0 % cheaper (1 call)",
                  data={"go": "continue", "warm": True}),
            "  ~ continues its session: as cheap as a new one with a handoff (expected)",
        ),
        (
            Event("k", ONE, 0, "weighed", text="every stage starts a new session",
                  data={"go": "hand off"}),
            "  ~ a new session with a handoff; every stage starts a new session",
        ),
        (Event("k", ONE, 0, "look", text="nothing new was found"), "  = nothing new was found"),
        (
            Event("k", ONE, 0, "unread", role="spec-reviewer", text="LAZY-LOAD-WARNING: it"),
            "  ~ spec-reviewer did not confirm that it read the files it was given",
        ),
        (
            Event("k", ONE, 0, "checks", text="2 green", data={"test": True, "lint": True}),
            "  ✓ the repository's checks: test, lint passed",
        ),
        (
            Event("k", ONE, 0, "checks", text="1 green, 1 red as before", data={"test": True}),
            "  ✓ the repository's checks: 1 green, 1 red as before",
        ),
        (Event("k", ONE, 0, "look"), ""),
        (Event("k", ONE, 0, "look", text="a passes: none of its findings counts; accepted"), ""),
        (Event("k", ONE, 0, "look", text="a passes: no finding counts against it; accepted"), ""),
        (
            Event("k", ONE, 0, "look", text="a does not pass: 1 blocker counts; back to the "
                  "author: iteration 2 of 3 follows"),
            "  = back to the author: iteration 2 of 3 follows",
        ),
        (
            Event("k", ONE, 0, "look", text="accepted with 1 concern recorded"),
            "  = accepted with 1 concern recorded",
        ),
        (
            Event("k", ONE, 0, "ruled", text="as agreed",
                  data={"finding": "F1", "ruling": "dismissed", "by": "terminal"}),
            "  » F1 dismissed (terminal): as agreed",
        ),
        (
            Event("k", ONE, 0, "outputs", text="test: /somewhere/blobs/ab/abcdef"),
            "    output: sparing show 001 checks",
        ),
        (Event("k", ONE, 0, "outputs"), ""),
        (Event("k", ONE, 0, "of a kind that nobody knows", text="x"), ""),
    ],
)  # fmt: skip
def test_what_is_said_of_an_event(event: Event, line: str) -> None:
    assert click.unstyle(rendered(describe(event))) == line


def test_an_empty_line_stays_empty() -> None:
    shown = named(Event("k", ONE, 0, "done"), "\nfinished")
    assert click.unstyle(rendered(shown)) == "\n001 finished"
