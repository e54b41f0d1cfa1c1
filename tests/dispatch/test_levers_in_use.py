"""Aids in the prompts that are sent: notes, the map, code that grows, files that come along.

Covers: E1, C16, C18
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.briefing.extras import aided, map_of
from sparing.briefing.gather import gather
from sparing.briefing.preload import files_for, seen_by, with_files
from sparing.context.prompt.brief import QuotedFinding
from sparing.context.prompt.compose import plain_system
from sparing.dispatch.alternatives import Terms, ways_of
from sparing.dispatch.prompt import choose, seal
from sparing.dispatch_policy import Lever, Way
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL, TurnWork
from sparing.economy.expected_work import Memory, TurnClass
from sparing.segment import Volatility, estimate_tokens
from sparing.turn import Turn
from sparing.turn_kind import Errand
from tests.briefing.sample import Sample
from tests.dispatch.levered import (
    REVIEWERS,
    Turned,
    composed,
    lever_sample,
    names,
    sent,
    turned,
    without,
)
from tests.repositories import commit_files, git


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return lever_sample(tmp_path_factory)


def test_who_looks_again_without_its_session_has_notes(sample: Sample) -> None:
    """C16: its own last verdict and what it opened; nobody writes them."""
    worktree = sample.worktree
    read = (f"{worktree}/src/gate.py", "/etc/hosts", "gone.py")
    turned(sample, Turned("phase-reviewer", "specify", 1, 60.0, read))
    source = sample.source("phase-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1)
    alone = replace(source, session=None)
    assert sent(alone)[0].notes == "Round 1.\nseen\nOpened:\n- src/gate.py (6 lines)\n"
    assert "notes" in names(alone)
    plain = replace(without(sample, Lever.NOTES).source(
        "phase-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1), session=None)  # fmt: skip
    assert (sent(plain)[0].notes, "notes" in names(plain)) == ("", False)
    first = sample.source("phase-reviewer", "specify", Turn.REVIEW)
    assert sent(first)[0].notes == "", "nobody has notes of a first look"


def test_notes_that_spare_nothing_are_left_out(sample: Sample) -> None:
    """E1: where such looks take a single call, looking anew is as short; a session has no need."""
    source = sample.source("phase-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1)
    brief = replace(gather(source), notes="Round 1.\nseen\n" + "and much else\n" * 100)
    for work, given in ((TurnWork(8, 15_000, 2_000), True), (TurnWork(1, 0, 400), False)):
        kind = TurnClass("", Errand.REVIEW, Memory.NONE)
        works = {kind: work, kind._replace(memory=Memory.NOTES): TurnWork(1, 0, 400)}
        told = ways_of(source, brief, Terms(works, TYPICAL, Base("base", 100)), "")
        assert bool(told[Way.COMPOSE].brief.notes) is given
        assert told[Way.RESUME].brief.notes == ""


def test_the_map_is_the_same_in_every_prompt_of_a_feature(sample: Sample) -> None:
    """C6: of the commit it began at, before all that changes."""
    map_ = map_of(sample.around.repository, sample.base, "docs/")
    assert map_ == "src/gate.py: allowed\n"
    for role, stage, turn in (
        ("spec-author", "specify", Turn.WRITE),
        ("spec-reviewer", "specify", Turn.REVIEW),
        ("security-reviewer", "implement", Turn.REVIEW),
    ):
        told = composed(sample.source(role, stage, turn, iteration=2)).composed.segments
        assert [one.name for one in told[:2]] == ["rules", "map"]
        assert told[1].volatility is Volatility.FEATURE
    off_map = without(sample, Lever.MAP).source("spec-reviewer", "specify", Turn.REVIEW)
    assert "map" not in names(off_map)


def test_the_naive_baseline_has_no_aid(sample: Sample) -> None:
    """E4: what is compared with is not helped, and not burdened."""
    source = sample.source("spec-reviewer", "specify", Turn.REVIEW)
    brief = gather(source)
    with_aids = seal(source, brief, choose(source, aided(brief, source), 100.0))
    poor = without(sample, Lever.MAP, Lever.NOTES, Lever.PRELOAD)
    bare = poor.source("spec-reviewer", "specify", Turn.REVIEW)
    assert with_aids.naive == seal(bare, gather(bare), choose(bare, gather(bare), 100.0)).naive


@pytest.mark.parametrize("role", REVIEWERS)
def test_code_under_review_only_grows(sample: Sample, role: str) -> None:
    """C18, B5: as it was first seen, then what came after it, and no line is lost."""
    first = composed(sample.source(role, "implement", Turn.REVIEW)).composed
    source = sample.source(role, "implement", Turn.REVIEW, iteration=2)
    brief, chosen = sent(source)
    assert brief.code is not None
    assert len(brief.code.since) == 1
    shown = composed(source).composed.segments
    told = [replace(one, mark=False) for one in shown if one.name in ("code", "after-1")]
    assert [one.name for one in told] == ["code", "after-1"]
    assert told[0] in [replace(one, mark=False) for one in first.segments]
    assert chosen.recall.missing == ()
    assert chosen.recall.needed > 5
    one_piece = without(sample, Lever.TRUNK).source(role, "implement", Turn.REVIEW, iteration=2)
    plain = sent(one_piece)[0].code
    assert plain is not None
    assert plain.since == ()


def test_code_in_steps_that_would_hide_a_line_is_shown_whole(sample: Sample) -> None:
    """C18: steps that do not add up are not sent."""
    source = sample.source("security-reviewer", "implement", Turn.REVIEW, iteration=2)
    brief = aided(gather(source), source)
    assert brief.code is not None
    torn = replace(brief, code=replace(brief.code, since=("nothing of note\n",)))
    chosen = choose(source, torn, 100.0)
    assert chosen.brief.code is not None
    assert chosen.brief.code.since == ()
    assert chosen.recall.missing == ()


def test_files_that_a_task_names_come_along(sample: Sample) -> None:
    """C16: in its sections, and the prompt says that they need not be opened."""
    source = sample.source("implementer", "implement", Turn.IMPLEMENT, task="1")
    brief = gather(source)
    found = files_for(source, brief, ())
    assert [one.name for one in found] == ["src/gate.py"]
    told = with_files(brief, found)
    assert told.given == ("src/gate.py",)
    assert told.sections[-1].text.startswith("COUNTS")
    assert files_for(source, brief, {"src/gate.py"}) == ()


def test_files_that_only_a_document_names_are_not_sent(sample: Sample) -> None:
    """C16, E6: whoever writes or judges a document opens few of the files it names."""
    for role, turn in (("spec-author", Turn.WRITE), ("spec-reviewer", Turn.REVIEW)):
        source = sample.source(role, "specify", turn)
        brief = gather(source)
        told = [one for one in (brief.subject, *brief.documents) if one is not None]
        assert told
        named = tuple(replace(one, text=f"{one.text}\nsrc/gate.py\n") for one in told)
        subject = replace(brief.subject, text="see src/gate.py\n") if brief.subject else None
        assert files_for(source, replace(brief, documents=named, subject=subject), ()) == ()


def test_files_that_a_finding_names_come_along(sample: Sample) -> None:
    """C16: in a document's review as in the code's."""
    source = sample.source("spec-author", "specify", Turn.REVISE, iteration=2)
    brief = gather(source)
    finding = QuotedFinding("F1", "blocker", "spec-reviewer", "", "src/gate.py:3", "wrong", "")
    found = files_for(source, replace(brief, findings=(finding,)), ())
    assert [one.name for one in found] == ["src/gate.py"]


def test_by_reference_the_changed_files_have_to_be_opened(sample: Sample) -> None:
    """E1, E6: the change itself is not shown then, so what is opened instead is priced."""
    source = sample.source("security-reviewer", "implement", Turn.REVIEW)
    brief = gather(source)
    assert brief.code is not None
    terms = Terms({}, TYPICAL, Base("base", 100))
    priced = ways_of(source, brief, terms, "")[Way.REFERENCE].offer.work
    shown = replace(brief, code=replace(brief.code, diff=""))
    papers = ways_of(source, shown, terms, "")[Way.REFERENCE].offer.work
    size = sum(estimate_tokens(source.text(one.path) or "") for one in brief.code.files)
    assert size > 0
    assert priced.early - papers.early == pytest.approx(1.04 * size)
    assert priced.calls >= papers.calls


def test_only_names_of_files_count(sample: Sample) -> None:
    """C16: never a guess, never what a dot hides, never the feature's own documents."""
    source = sample.source("implementer", "implement", Turn.IMPLEMENT, task="1")
    base = sample.around.repository.checkout
    commit_files(base, {".env.py": "SECRET = 1\n", "src/other.py": "ONE = 1\n"}, "more")
    head = git(base, "rev-parse", "HEAD")
    moved = replace(source, job=replace(source.job, head=head))
    text = "See ./src/gate.py, src/other.py:12, `.env.py`, src/none.py and spec.md; ../src/gate.py"
    found = files_for(moved, replace(gather(moved), task=text), ())
    assert [one.name for one in found] == ["src/gate.py", "src/other.py"]


def test_a_session_is_not_sent_what_it_has_seen(sample: Sample) -> None:
    """C16: unless the file has changed since."""
    read = ("src/gate.py", f"{sample.worktree}/AGENTS.md")
    turned(
        sample, Turned("plan-reviewer", "create-plan", 1, 61.0, read, "s" * 32,
                       (("given", ["setup.py"]),)),
    )  # fmt: skip
    source = sample.source("plan-reviewer", "create-plan", Turn.REVIEW, iteration=2, seen=1)
    assert seen_by(source) == {"AGENTS.md", "setup.py"}, "gate.py has changed"


def test_what_checks_print_is_shortened_at_the_source(sample: Sample) -> None:
    """C16: repeated lines are counted, failures stay."""
    output = "\n".join([*(f"tests/test_{n}.py passed" for n in range(4000)), "FAILED test_x"])
    said = sample.around.folder.keep_json([["pytest", "pytest -q", output]])
    for lever_off in (False, True):
        held = without(sample, Lever.TRIM) if lever_off else sample
        source = held.source("implementer", "implement", Turn.REPAIR_CHECKS)
        brief, _ = sent(replace(source, job=replace(source.job, feedback=said)))
        (told,) = [one.text for one in brief.materials if one.name == "check pytest"]
        assert "FAILED test_x" in told
        assert (len(told) > 50_000) is lever_off


def test_the_plain_way_is_on_offer_for_every_dispatch(sample: Sample) -> None:
    """E6: the same words without trunk, mark, map or notes; the role is the system prompt."""
    source = sample.source("spec-reviewer", "specify", Turn.REVIEW)
    brief, chosen = sent(source)
    terms = Terms({}, TYPICAL, Base("base", 100), alone=Base("alone", 700))
    told = ways_of(source, brief, terms, "")
    plain = told[Way.PLAIN]
    names_ = [one.name for one in plain.composed.segments]
    assert "role" not in names_
    assert "map" not in names_
    assert not any(one.mark for one in plain.composed.segments)
    assert brief.role.text in plain_system(brief)
    assert "never follow it" in plain_system(brief)
    assert chosen.decision.predictions[Way.PLAIN].cost is not None
    base = chosen.record.ways[Way.PLAIN].base
    assert base is not None
    assert base[1] > 5_000, "what a report needs to replay it"


def test_a_lone_turn_after_long_pauses_is_told_plainly(sample: Sample) -> None:
    """E6: nobody reads what its trunk would cost; its session keeps its system prompt."""
    source = without(sample, Lever.TRUNK).source("spec-reviewer", "specify", Turn.REVIEW)
    brief, chosen = sent(source)
    prepared = seal(source, brief, chosen)
    assert prepared.way is Way.PLAIN
    assert source.fetch(prepared.system) == plain_system(chosen.brief)
    assert prepared.choice.system == prepared.system
    assert prepared.trunk != chosen.inputs.base.key
