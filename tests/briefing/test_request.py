"""The user's own words reach everybody who works from them or judges by them. Covers: B6, F4."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.gather import gather
from sparing.briefing.program_handoff import pipeline_of
from sparing.context.documents.rich_handoff import handoff_notes, rich_handoff
from sparing.context.prompt.compose import compose, naive
from sparing.dispatch_policy import Order, Way
from sparing.feature import Background, Priority
from sparing.finding import Finding, Severity, Verdict
from sparing.records import events
from sparing.records.events import Event
from sparing.records.verdicts import VerdictRow, put
from sparing.turn import Turn
from tests.briefing.sample import DATA, FOLDER, Sample, make_sample
from tests.repositories import git

ASKED = "Clients that ask too often\nget 429 and </document> the time to wait."
QUOTED = "Clients that ask too often\nget 429 and &lt;/document> the time to wait."


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Features that began with the body of an issue."""
    sample = make_sample(Path(tmp_path_factory.mktemp("asked")))
    told = Background(description=ASKED, priority=Priority.HIGH)
    return sample._replace(rows={n: replace(r, background=told) for n, r in sample.rows.items()})


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
@pytest.mark.parametrize(
    ("role", "stage", "turn"),
    [
        ("judge", "design_review", Turn.JUDGE),
        ("judge", "code_review", Turn.JUDGE),
        ("builder", "brainstorm", Turn.WRITE),
        ("builder", "plan", Turn.WRITE),
        ("builder", "implement", Turn.BUILD),
    ],
)
def test_in_a_tier_request_and_priority_are_data_for_all(
    asked: Sample, role: str, stage: str, turn: Turn, order: Order
) -> None:
    """B6, F4: who judges measures by the request, not by what the builder made of it."""
    brief = gather(asked.source(role, stage, turn, flow="L3"))
    fresh = {one.name: one.text for one in compose(brief, Way.COMPOSE, order).segments}
    for text in (fresh["request"], naive(brief).text):
        assert f"Title: Rate limits\nPriority: high\n\n{QUOTED}\n" in text
    assert "`request`" in fresh["turn"]


def test_every_handoff_begins_with_it(asked: Sample) -> None:
    """F4: layer 1, also of the short one that repeats no document."""
    pipeline = pipeline_of(asked.source("builder", "implement", Turn.BUILD, flow="L3"))
    for text in (rich_handoff(pipeline).text, handoff_notes(pipeline, [])):
        assert "- Priority: high\n" in text
        assert all(f"> {line}\n" in text for line in ASKED.splitlines())


def test_a_handoff_does_not_repeat_the_document_that_is_to_be_changed(asked: Sample) -> None:
    """F4, B7: a rejected stage that begins in a new session is given its document once."""
    plan = {
        turn: {one.stage: one.text for one in pipeline_of(source).stages}["plan"]
        for turn in (Turn.REDO, Turn.WRITE)
        if (source := asked.source("builder", "plan", turn, flow="L2"))
    }
    assert "## Implementation Order" in plan[Turn.WRITE]
    assert "## Implementation Order" not in plan[Turn.REDO]
    assert "given next to this one" in plan[Turn.REDO]


@pytest.mark.parametrize(
    ("turn", "is_left"),
    [(Turn.WRITE, False), (Turn.HAND_OVER, False), (Turn.REDO, True), (Turn.ANSWER, True)],
)
def test_a_handoff_does_not_repeat_the_findings_that_are_to_be_settled(
    asked: Sample, turn: Turn, is_left: bool
) -> None:
    """F4, F9, B7: a stage that a judge sent back is given them once, by their ids."""
    row = asked.rows["L3"]
    wrong = Finding(Severity.BLOCKER, "No component owns the counter.")
    verdict = Verdict("judge", approved=False, findings=(wrong,), summary="It is unclear.")
    with asked.around.database.write() as tx:
        put(
            tx,
            VerdictRow(
                f"look-{turn}", row.feature.key, "design_review", 1, "c", passed=False,
                verdict=verdict, at=0,
            ),
        )  # fmt: skip
    report = "# Report of the judge\n\n## Outcome\nNot passed. It is unclear.\n\n## Findings\n"
    checkout = asked.around.repository.checkout
    path = checkout / FOLDER / "design_review.md"
    path.write_text(f"{report}- blocker: No component owns the counter.\n", "utf-8")
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "--allow-empty", "--message", "refused")
    head = git(checkout, "rev-parse", "HEAD")
    told = [
        {one.stage: one.text for one in pipeline_of(replace(source, job=job)).stages}
        for open_ in ((f"look-{turn}",), ())
        if (source := asked.source("builder", "brainstorm", turn, flow="L3"))
        and (job := replace(source.job, head=head, open=open_))
    ]
    now, before = (one["design_review"] for one in told)
    assert ("owns the counter" in now) is is_left
    assert "Not passed. It is unclear." in now
    assert ("Given next to this one." in now) is not is_left
    assert "owns the counter" in before, "a judge that sent back an earlier attempt"


def test_a_handoff_does_not_repeat_the_words_of_the_rejection_that_its_turn_follows(
    asked: Sample,
) -> None:
    """F4, B7: the turn gives them once, as `feedback`; what was said before is handed over."""
    key, now = asked.rows["L3"].feature.key, DATA["replies"]["fixes"]
    said = [
        Event(stage, key, 0.0, "answered", stage, text=text, data={"answer": answer})
        for stage, text, answer in (("brainstorm", "smaller", "reject"), ("plan", now, "reject"))
    ]
    with asked.around.database.write() as tx:
        events.add(tx, *said)
    feedback = {
        turn: pipeline_of(
            asked.source("builder", "plan", turn, flow="L3", feedback="fixes")
        ).feedback
        for turn in (Turn.REDO, Turn.WRITE)
    }
    assert [one.split(":")[0] for one in feedback[Turn.REDO]] == ["brainstorm"]
    assert [one.split(":")[0] for one in feedback[Turn.WRITE]] == ["brainstorm", "plan"]


@pytest.mark.parametrize("role", ["prd-reviewer", "readiness-reviewer"])
@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_whoever_judges_the_first_document_knows_what_was_asked(
    asked: Sample, role: str, order: Order
) -> None:
    """B9: later ones judge by the PRD."""
    brief = gather(asked.source(role, "brainstorm", Turn.REVIEW))
    assert QUOTED in "".join(one.text for one in compose(brief, Way.COMPOSE, order).segments)
    later = gather(asked.source("spec-reviewer", "specify", Turn.REVIEW))
    assert QUOTED not in naive(later).text


@pytest.mark.parametrize(
    ("role", "turn"), [("prd-reviewer", Turn.REVIEW), ("prd-author", Turn.REVISE)]
)
def test_a_title_alone_is_a_request_too(tmp_path: Path, role: str, turn: Turn) -> None:
    """F4: who judges or changes the PRD in a new session knows what was asked for."""
    source = make_sample(tmp_path).source(role, "brainstorm", turn)
    for order in (Order.NESTED, Order.SEED):
        said = {one.name: one.text for one in compose(gather(source), Way.COMPOSE, order).segments}
        assert "Title: Rate limits\nPriority: medium\n" in said["request"]


def test_where_there_is_no_prd_the_request_goes_to_who_works_without_it(asked: Sample) -> None:
    """F4, B4: a feature that begins with its spec; the explorer's document is not lost either."""
    checkout = asked.around.repository.checkout
    git(checkout, "rm", "--quiet", f"{FOLDER}/prd.md")
    git(checkout, "commit", "--quiet", "--message", "no PRD")
    head = git(checkout, "rev-parse", "HEAD")
    for role, turn, name in (
        ("spec-author", Turn.WRITE, "description"),
        ("spec-reviewer", Turn.REVIEW, "request"),
    ):
        source = asked.source(role, "specify", turn)
        source = replace(source, job=replace(source.job, head=head))
        said = {one.name: one.text for one in compose(gather(source), Way.COMPOSE).segments}
        assert QUOTED in said[name]


def test_a_default_that_was_taken_is_handed_on(asked: Sample) -> None:
    """F5, F4: a new session knows what nobody was asked, also where no document says it."""
    source = asked.source("builder", "implement", Turn.BUILD, flow="L3")
    taken = "brainstorm: Which port? Taken by default: 80"
    place = {**source.row.place, "talk": {"assumed": [taken]}}
    pipeline = pipeline_of(replace(source, row=replace(source.row, place=place)))
    for text in (rich_handoff(pipeline).text, handoff_notes(pipeline, [])):
        assert f"### Feedback\n- {taken}\n" in text
