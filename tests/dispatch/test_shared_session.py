"""What a session that stages share is told. Covers: F1, F4, F6, B7, C18.

Original faults that can't happen: (c) another model within a session, (g) what resume needs lost
with the process, (i) a reviewer in the builder's session.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.gather import gather
from sparing.continuation import Continuation, SessionStep
from sparing.dispatch.prompt import choose, seal
from sparing.dispatch_policy import Way
from sparing.job import Ticket
from sparing.records import sessions
from sparing.runtime.source import session_owner, session_scope, source_of
from sparing.turn import Turn
from tests.briefing.sample import FOLDER, Sample
from tests.dispatch.shared import (
    AT,
    SIX_HOURS,
    entering,
    scripted_sample,
    session,
    told,
    with_settings,
)


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Sample]:
    with scripted_sample(tmp_path) as made:
        yield made


def test_a_transition_brings_stage_and_skill_and_nothing_else(sample: Sample) -> None:
    """F1, B7: what the session has made and read is not sent again."""
    found = told(entering(sample, "implement", session(sample)))
    assert list(found) == ["turn", "stage", "skill", "handoff"]
    plan = gather(entering(sample, "implement", session(sample))).full[0].text
    assert plan is not None
    assert not any(plan.strip() in text for text in found.values())


def test_what_others_made_or_changed_is_told(sample: Sample) -> None:
    """F1, C18: a judge's document, a plan that a person edited, files that were changed."""
    found = told(entering(sample, "implement", session(sample, sample.first)))
    assert list(found)[:2] == ["plan", "changed-files"]
    assert "Write the tests of C1, then C1." in found["plan"]
    assert "src/gate.py" in found["changed-files"]
    assert "they count, and not what you remember" in found["turn"]
    design = told(entering(sample, "plan", session(sample, sample.base)))
    assert "design_review" in design


def test_a_document_that_a_person_edited_is_told_with_the_rejection(sample: Sample) -> None:
    """F1, C18: the session goes on, and no handoff is announced that it does not get."""
    keep = sample.around.folder.keep
    going = Continuation("L3", SessionStep.CONTINUE, keep("# Handoff\n"))
    source = entering(sample, "plan", session(sample, sample.first), going)
    job = replace(source.job, turn=Turn.REDO, feedback=keep("Name the limit.\n"))
    source = replace(source, job=job)
    assert gather(source).resumable
    found = told(source)
    assert list(found)[0] == "plan"
    assert "they count, and not what you remember" in found["turn"]
    assert "the session before you" not in found["turn"]
    unread = replace(source, session=session(sample, sample.second))
    assert "plan" not in told(unread)


def test_a_session_keeps_its_model(sample: Sample) -> None:
    """F1, fault (c): another one in the settings begins with the next session."""
    other = with_settings(sample, models__standard="another")
    source = entering(other, "implement", session(sample))
    brief = gather(source)
    sent = seal(source, brief, choose(source, brief, AT + 10))
    assert (sent.way, sent.model) == (Way.RESUME, "m")
    assert sent.system == "", "the neutral system prompt that the session began with"
    fresh = entering(other, "implement", None, Continuation("L3", SessionStep.HAND_OFF))
    brief = gather(fresh)
    assert seal(fresh, brief, choose(fresh, brief, AT + 10)).model == "another"


def test_what_was_weighed_is_sent_so(sample: Sample) -> None:
    """F6: also hours later, when another way would be cheaper by itself."""
    source = entering(sample, "implement", session(sample))
    assert choose(source, gather(source), AT + SIX_HOURS).decision.way is Way.RESUME
    lost = choose(source, gather(source), AT + 10, "invalid session: gone")
    assert lost.decision.way is not Way.RESUME


def test_a_fresh_session_begins_with_the_handoff(sample: Sample) -> None:
    """F4: said as data, explained in a line, and no document stands there twice."""
    source = entering(sample, "implement", None)
    keep = sample.around.folder.keep
    plan = source.text(f"{FOLDER}/plan.md") or ""
    going = Continuation("L3", SessionStep.HAND_OFF, keep(f"# Handoff\n\n{plan}\n"))
    handed = replace(source, job=replace(source.job, going=going))
    found = told(handed, Way.COMPOSE)
    assert '<document key="' in found["handed"]
    assert "plan" not in found
    assert "The document `handoff` holds what the sessions before you left" in found["turn"]
    other = replace(going, handoff=keep("# Handoff\n\nThe plan has two steps.\n"))
    summed = replace(source, job=replace(source.job, going=other))
    assert "plan" in told(summed, Way.COMPOSE)


def test_a_judge_is_fresh_unless_it_is_let_in(sample: Sample) -> None:
    """F6, fault (i)"""
    outside = entering(sample, "code_review", session(sample), Continuation(), "judge")
    assert not gather(outside).resumable
    inside = entering(
        sample, "code_review", session(sample), Continuation("L3", SessionStep.CONTINUE), "judge"
    )
    assert gather(inside).resumable
    assert list(told(inside)) == ["turn", "role", "stage", "skill", "schema"]


def test_the_session_is_found_by_the_tier(sample: Sample) -> None:
    """F1, fault (g): from the database, whichever stage asks; none after a handoff or anew."""
    job = entering(sample, "implement", None).job
    assert (session_scope(job), session_owner(replace(job, role="judge"))) == ("L3", "builder")
    ticket = Ticket("sample-004.g0.1.1.0-x", sample.rows["L3"].feature.key, AT)
    with sample.around.database.write() as tx:
        sessions.put(tx, ticket.feature, "L3", session(sample))
    found = source_of(ticket, job)
    assert found.session == session(sample)
    assert found.inside
    for going in (Continuation("L3", SessionStep.HAND_OFF), Continuation("L3", anew=True)):
        assert source_of(ticket, replace(job, going=going)).session is None
