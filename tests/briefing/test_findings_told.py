"""What a prompt says of findings: nobody is told of an id without being told what it stands for.

Covers: B5, C4, C9, C10, C17
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.context.prompt.inclusion import confirmed_reads
from sparing.dispatch_policy import Order, Way
from sparing.finding import Finding, Severity, Verdict
from sparing.money import Amount
from sparing.records import ledger
from sparing.records.findings import FindingRow, put_findings
from sparing.records.verdicts import VerdictRow, put
from sparing.review.tracking import FindingStatus, Tracked
from sparing.turn import Turn
from tests.briefing.cases import Prompt
from tests.briefing.sample import Sample, make_sample
from tests.records.attempts import attempt, result

FOUND = Finding(
    Severity.BLOCKER,
    "The counter is never reset. After a second everybody is refused.",
    location="src/gate.py:5",
    quote="COUNTS[user] = COUNTS.get(user, 0) + 1",
    suggestion="Keep the second it was counted in.",
)
TRACKED = (
    Tracked("F1", FOUND, ("implementation-reviewer",)),
    Tracked(
        "F2",
        replace(FOUND, severity=Severity.WARNING, text="The limit is a bare number"),
        ("security-reviewer",),
        FindingStatus.RESOLVED,
    ),
)
SHORT = (
    "- `F1` blocker, implementation-reviewer, src/gate.py:5: The counter is never reset.\n"
    "- `F2` warning, security-reviewer, src/gate.py:5: The limit is a bare number\n"
)


@pytest.fixture
def followed(tmp_path: Path) -> Sample:
    """The sample, with findings of the code that are followed."""
    sample = make_sample(tmp_path)
    feature = sample.rows["feature"].feature.key
    rows = [
        FindingRow(
            feature, "implement", one.id, one.roles[0], 1, 1, one.status, json.dumps(one.dump())
        )
        for one in TRACKED
    ]
    with sample.around.database.write() as tx:
        put_findings(tx, rows)
    return sample


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
@pytest.mark.parametrize("role", ["implementation-reviewer", "security-reviewer"])
def test_a_resumed_reviewer_is_told_what_every_id_stands_for(
    followed: Sample, role: str, order: Order
) -> None:
    """C4, C9: its own open ones, and whatever else the author's answers name."""
    source = followed.source(role, "implement", Turn.REVIEW, iteration=2, seen=1)
    said = {one.name: one.text for one in compose(gather(source), Way.RESUME, order).segments}
    assert "`F1`: changed" in said["fix-summary"]
    assert "`F2`: answered" in said["fix-summary"]
    for line in SHORT.splitlines():
        assert line in said["findings"]
    assert "After a second everybody is refused" not in said["findings"]
    own = "Of `findings` these are yours and open: `F1`. Report again what still stands"
    assert (own in said["turn"]) == (role == "implementation-reviewer")
    none = "none of them is an open one of yours"
    assert (none in said["turn"]) == (role == "security-reviewer")


@pytest.mark.parametrize("way", [Way.COMPOSE, Way.PLAIN])
def test_a_fresh_reviewer_hears_the_author_too(followed: Sample, way: Way) -> None:
    """C17, C18: an answer with a reason reaches whoever judges it, in a new session as well, and
    every id in it is explained."""
    source = followed.source("implementation-reviewer", "implement", Turn.REVIEW, iteration=2)
    said = {one.name: one.text for one in compose(gather(source), way).segments}
    assert "`F2`: answered" in said["fix-summary"]
    assert "After a second everybody is refused. Quoted: “COUNTS" in said["findings"]
    assert "- `F2` warning, security-reviewer, src/gate.py:5: The limit" in said["findings"]
    assert "these are yours and still open: `F1`;" in said["turn"]
    assert "an answer that convinces you resolves a finding" in said["schema"]
    for told in ("convinces you", "only if it is a blocker", "what the change broke"):
        assert "".join(said.values()).count(told) == 1  # the rules of later rounds, once
    first = followed.source("implementation-reviewer", "implement", Turn.REVIEW)
    assert not {"fix-summary", "findings"} & {
        one.name for one in compose(gather(first), way).segments
    }
    naive = compose(gather(source), Way.COMPOSE, Order.NAIVE).segments[0].text
    assert naive.count("`F2`: answered") == 1


def test_a_fresh_reviewer_under_seed_is_told_what_the_original_tells(followed: Sample) -> None:
    """C8: earlier findings alone, where the template has an iteration section."""
    rows = {
        flow: replace(row, overrides={"review.policy": "seed"})
        for flow, row in followed.rows.items()
    }
    source = followed._replace(rows=rows).source(
        "spec-reviewer", "specify", Turn.REVIEW, iteration=2
    )
    names = [one.name for one in compose(gather(source), Way.REFERENCE, Order.SEED).segments]
    assert "findings" in names
    assert "fix-summary" not in names


def test_a_judge_of_a_tier_hears_what_became_of_its_findings(followed: Sample) -> None:
    """C17, F9: it sent the work back, and is shown what for and what the builder says."""
    row = followed.rows["L3"].feature.key
    source = followed.source("judge", "code_review", Turn.JUDGE, flow="L3")
    assert gather(source).findings == ()
    verdict = Verdict("judge", approved=False, findings=(FOUND,))
    said = followed.around.folder.keep("- `F1`: answered — the store forgets it by itself.")
    with followed.around.database.write() as tx:
        put(tx, VerdictRow("look", row, "code_review", 1, "c", passed=False, verdict=verdict, at=0))
        for name, role, reply in (("look", "judge", ""), ("fixed", "builder", said)):
            begun = attempt(name, feature=row, stage="implement", role=role)
            ledger.finish(
                tx, begun.dispatch, ledger.begin(tx, begun, Amount(0, 0)), result(reply=reply)
            )
    told = {one.name: one.text for one in compose(gather(source), Way.COMPOSE).segments}
    assert "The counter is never reset" in told["findings"]
    assert "the store forgets it by itself" in told["fix-summary"]
    assert "holds what you found before and is still open" in told["turn"]
    assert "Settle every finding first" not in told["turn"]


def test_nothing_is_said_of_a_change_where_there_was_none(followed: Sample) -> None:
    """C7: answers alone."""
    source = followed.source("spec-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1)
    for delta, said in (("", False), ("--- a diff", True)):
        brief = replace(gather(source), delta=delta)
        text = "".join(one.text for one in compose(brief, Way.RESUME).segments)
        assert ("what the change broke" in text) is said


def test_final_validation_says_what_other_roles_findings_were(followed: Sample) -> None:
    """C9: nobody is told "`F1`: changed" of an id it has never seen."""
    source = followed.source(
        "code-quality-reviewer", "implement", Turn.REVIEW, iteration=3, seen=1, final=True
    )
    brief = replace(gather(source), fix_summary="- `F1`: changed — reset it")
    text = "".join(one.text for one in compose(brief, Way.RESUME).segments)
    assert "`F1`: changed" in text
    fixed = gather(replace(source, job=replace(source.job, final=False), final=False))
    assert [one.id for one in fixed.mentioned] == ["F1", "F2"]


def test_an_author_gets_quote_and_suggestion_too(followed: Sample) -> None:
    """C17"""
    source = followed.source("implementer", "implement", Turn.REVISE, settles=True)
    brief = gather(replace(source, job=replace(source.job, settles=("F1",))))
    (told,) = [one.text for one in compose(brief, Way.COMPOSE).segments if one.name == "findings"]
    assert (
        "everybody is refused. Quoted: “COUNTS[user] = COUNTS.get(user, 0) + 1”"
        " Suggested: Keep the second it was counted in." in told
    )


def test_a_fix_has_one_closing_form(rendered: dict[str, Prompt]) -> None:
    """C10: the report is how a task ends; findings end with answers and a fix summary."""
    for name, prompt in rendered.items():
        if not name.startswith("implementer-"):
            continue
        reports = prompt.text.count("\n## Report\n")
        closings = prompt.text.count("\n## Fix summary\n")
        assert reports + closings <= 1, name
        assert reports == (prompt.case.iteration.startswith("task") and prompt.way != Way.RESUME)
        asked = prompt.text.find("### OPEN QUESTIONS")
        assert not closings or asked < 0 or asked > prompt.text.find("\n## Fix summary\n"), name
        assert prompt.text.count("OPEN QUESTIONS") <= 1, name


def test_the_implementation_reviewer_is_asked_for_levels_at_every_iteration(
    rendered: dict[str, Prompt],
) -> None:
    """B5: and evidence."""
    found = [p for n, p in rendered.items() if n.startswith("implementation-reviewer-")]
    assert len(found) > 8
    for prompt in found:
        assert "levels" in prompt.text, prompt.name
        assert "issues_count" in prompt.text, prompt.name
        assert "evidence" in prompt.text, prompt.name
    assert all("continues" in p.text for n, p in rendered.items() if "-reviewer-" in n)


def test_what_is_old_is_told_to_fresh_and_to_resumed_reviewers_alike(
    rendered: dict[str, Prompt],
) -> None:
    """C18: the way has no part in what is asked of a reviewer; the original asks it of nobody."""
    later = [p for n, p in rendered.items() if "-reviewer-" in n and p.case.iteration != "1"]
    assert len(later) > 30
    for prompt in later:
        told = "old as new only if it is a blocker" in prompt.text
        assert told == (prompt.order is Order.NESTED), prompt.name


def test_a_resumed_reviewer_is_told_where_to_report_what_is_resolved(
    rendered: dict[str, Prompt],
) -> None:
    """B5, C4: the form has no field of its own for it."""
    again = [p for n, p in rendered.items() if "-reviewer-" in n and p.way is Way.RESUME]
    open_ones = [p for p in again if "report again what still stands" in p.text.lower()]
    assert len(open_ones) > 10
    for prompt in open_ones:
        assert "say in `summary` which are resolved" in prompt.text, prompt.name
        assert "summary" in prompt.text.partition("JSON object")[2], prompt.name


def test_the_confirmation_is_read_out_of_the_form() -> None:
    """B2: as text or as a list; the line is read as before."""
    for field in ('"prd.md (12 lines), spec.md (9 lines)"', '["prd.md (12 lines)", "spec.md (9)"]'):
        found = confirmed_reads('{"approved": true, "findings": [], "files_read": ' + field + "}")
        assert found is not None
        assert [(one.name, one.lines) for one in found] == [("prd.md", 12), ("spec.md", 9)]
    assert confirmed_reads('{"approved": true, "findings": [], "files_read": ""}') is None


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
@pytest.mark.parametrize("times", [1, 30])
def test_a_fresh_reviewer_sees_what_changed_since_it_looked(
    followed: Sample, order: Order, times: int
) -> None:
    """C4, C9: it is asked what the change broke; not where most of the document is new, and not
    under the original's rules, which show it the document alone."""
    source = followed.source("spec-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1)
    brief = gather(source)
    assert brief.subject is not None
    findings = gather(
        followed.source("implementation-reviewer", "implement", Turn.REVIEW, iteration=2, seen=1)
    ).findings
    long = replace(brief.subject, text=(brief.subject.text or "") * times)
    told = replace(brief, subject=long, findings=findings, delta="@@ a line @@\n" * 20)
    text = "".join(one.text for one in compose(told, Way.COMPOSE, order).segments)
    shown = times > 1 and order is Order.NESTED
    assert (told.delta in text) == ("`last-changes.diff`" in text) == shown
    named = "What changed in spec.md since you looked stands in `last-changes.diff`."
    assert (named in text) == shown
