"""Levers that are switched off, marks and lives, and that nothing is hidden by any of it.

Covers: E1, C6, C16, C18
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.briefing.extras import aided
from sparing.briefing.gather import gather
from sparing.briefing.recall import recalled
from sparing.briefing.trunk_group import order_of, system_of
from sparing.cache import Life
from sparing.context.prompt.compose import compose
from sparing.context.prompt.turn_words import system
from sparing.dispatch.alternatives import Terms, ways_of
from sparing.dispatch.prompt import choose, seal
from sparing.dispatch_policy import Lever, Order, Way
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL
from sparing.finding import Verdict
from sparing.records import ledger, verdicts
from sparing.records.folder import load_prompt
from sparing.runtime.levers import group_of, life_of, no_sheet, off_of, pauses
from sparing.turn import Turn
from tests.briefing.sample import LOOK_SECONDS, Sample
from tests.dispatch.levered import Turned, composed, lever_sample, sent, turned, without


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return lever_sample(tmp_path_factory)


@pytest.mark.parametrize("lever", Lever)
def test_a_lever_that_is_off_is_on_record_with_its_reason(sample: Sample, lever: Lever) -> None:
    """E4"""
    source = without(sample, lever).source("spec-reviewer", "specify", Turn.REVIEW)
    kept = sent(source)[1].record.dump()
    assert kept["off"][lever.value] == "switched off"
    assert lever.value not in kept["levers"]


def test_a_tier_is_not_said_to_share_one_session() -> None:
    """E4, E8: why it has no fact sheet holds for a tier that was handed off, too."""
    assert no_sheet("L3") == "it is made for flows with tasks, not for tiers"
    assert no_sheet("feature") == ""


def test_what_a_backend_can_t_do_is_off_and_said(sample: Sample) -> None:
    """E4, E9: the scripted agent's tools answer it directly, and it keeps trunks for an hour."""
    source = sample.source("spec-reviewer", "specify", Turn.REVIEW)
    assert off_of(source) == {
        "trim": "the backend's tools answer the model directly",
        "sheet": "not shown yet that files it quotes are opened less often here",
        "primer": "not needed: the one-hour cache (hour) does it without a call of its own",
        "lean-tools": "the backend has one set of tools for writers",
    }


def test_without_its_lever_no_session_goes_on(sample: Sample) -> None:
    """E1: and the reason is the true one."""
    args = ("spec-reviewer", "specify", Turn.REVIEW)
    found = sent(without(sample, Lever.RESUME).source(*args, iteration=2, seen=1))[1]
    assert Way.RESUME not in found.inputs.offers
    assert found.decision.reason.startswith("the lever resume is off; ")
    for held, offered in ((sample, True), (without(sample, Lever.RESUME), False)):
        source = held.source(*args, iteration=2, seen=1)
        told = ways_of(source, gather(source), Terms({}, TYPICAL, Base("base", 100)), "")
        assert (Way.RESUME in told) is offered


def test_without_inline_documents_come_by_path(sample: Sample) -> None:
    """B2"""
    source = without(sample, Lever.INLINE).source("spec-reviewer", "specify", Turn.REVIEW)
    assert sent(source)[1].decision.way is Way.REFERENCE


def test_without_a_trunk_the_role_comes_first(sample: Sample) -> None:
    """B1, B5: and no mark is set that nobody could share."""
    source = without(sample, Lever.TRUNK).source("spec-reviewer", "specify", Turn.REVIEW)
    assert order_of(source) is Order.SEED
    chosen = sent(source)[1]
    assert chosen.decision.way is Way.PLAIN, "nobody would read what a trunk costs"
    assert not any(one.mark for one in chosen.composed.segments)
    assert compose(chosen.brief, Way.COMPOSE, order_of(source)).segments[0].name == "role"


def test_without_batch_nobody_is_asked_for_several_tools_at_once(sample: Sample) -> None:
    """C16: in every class of roles, and nothing else is lost."""
    for role_class in ("author", "reviewer", "researcher"):
        asked, alone = system(role_class), system(role_class, together=False)
        assert "in one turn" in asked
        assert "together" not in alone
        assert 60 < len(asked) - len(alone) < 150
    source = without(sample, Lever.BATCH).source("spec-reviewer", "specify", Turn.REVIEW)
    assert system_of(source) == system("reviewer", together=False)


def test_the_mark_ends_what_the_next_round_keeps(sample: Sample) -> None:
    """B5: before the document under review, which changes; behind code, which only grows."""
    document = composed(sample.source("phase-reviewer", "create-tasks", Turn.REVIEW)).composed
    code = composed(sample.source("security-reviewer", "implement", Turn.REVIEW)).composed
    for told, last in ((document, "plan"), (code, "code")):
        assert [one.name for one in told.segments if one.mark] == [last]


def test_a_trunk_that_is_used_after_pauses_is_kept_for_an_hour(sample: Sample) -> None:
    """C6: from the pauses of this feature; tasks follow each other at once."""
    review = sample.source("phase-reviewer", "create-plan", Turn.REVIEW)
    task = sample.source("implementer", "implement", Turn.IMPLEMENT, task="1")
    groups = [group_of(one, gather(one)) for one in (review, task)]
    assert groups == ["reviewer/documents", "author/tasks"]
    with sample.around.database.read() as connection:
        lives = [
            life_of(connection, source, group, TYPICAL)
            for source, group in zip((review, task), groups, strict=True)
        ]
        short = without(sample, Lever.HOUR).source("phase-reviewer", "create-plan", Turn.REVIEW)
        lives.append(life_of(connection, short, groups[0], TYPICAL))
    assert lives == [Life.ONE_HOUR, Life.FIVE_MINUTES, Life.FIVE_MINUTES]


def test_quick_rounds_need_no_hour(sample: Sample) -> None:
    """C6: eight pauses of some seconds outweigh what is usual."""
    group = (("group", "reviewer/code"),)
    for number in range(9):
        turned(
            sample, Turned("security-reviewer", "implement", number + 1, 1000.0 + 60 * number,
                           sent=group),
        )  # fmt: skip
    source = sample.source("security-reviewer", "implement", Turn.REVIEW)
    with sample.around.database.read() as connection:
        rows = ledger.of_feature(connection, sample.rows["feature"].feature.key)
        own = [row for row in rows if row.attempt.sent.group == "reviewer/code"]
        assert pauses(own) == [40.0] * 8
        assert life_of(connection, source, "reviewer/code", TYPICAL) is Life.FIVE_MINUTES


def test_the_life_of_the_trunk_goes_to_the_client(sample: Sample) -> None:
    """C6: with the prompt that was prepared."""
    source = sample.source("phase-reviewer", "create-plan", Turn.REVIEW)
    brief = gather(source)
    chosen = choose(source, aided(brief, source), 100.0)
    told = composed(source).composed
    way = replace(chosen.decision, way=Way.COMPOSE)
    prepared = seal(source, brief, replace(chosen, composed=told, decision=way))
    assert prepared.life == "1h"
    marks = [one.mark for one in load_prompt(sample.around.folder, prepared.prompt)]
    assert sum(marks) == 1


@pytest.mark.parametrize("levers", [(), *((one,) for one in Lever)], ids=str)
def test_nothing_is_hidden_whatever_is_switched_off(
    sample: Sample, levers: tuple[Lever, ...]
) -> None:
    """C18: in every way that could be taken."""
    held = without(sample, *levers)
    for role, stage in (("phase-reviewer", "create-plan"), ("security-reviewer", "implement")):
        source = held.source(role, stage, Turn.REVIEW, iteration=2, seen=1)
        brief, chosen = sent(source)
        assert chosen.recall.missing == ()
        fresh = replace(source, session=None)
        assert recalled(fresh, brief, sent(fresh)[1].composed, resumed=False).missing == ()


def test_a_stage_begun_anew_shows_its_code_anew(sample: Sample) -> None:
    """C18: rounds of before are not this loop's."""
    key = sample.rows["feature"].feature.key
    with sample.around.database.write() as tx:
        verdicts.put(
            tx,
            verdicts.VerdictRow(
                "again.1", key, "implement", 1, sample.second, False,
                Verdict("security-reviewer", False), 9 * LOOK_SECONDS,
            ),
        )  # fmt: skip
    source = sample.source("security-reviewer", "implement", Turn.REVIEW, iteration=2)
    code = aided(gather(source), source).code
    assert code is not None
    assert code.since == (), "the only round looked at what stands now"


def test_a_trunk_that_lost_here_is_off_and_the_ledger_says_so(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """E6: over five groups whose turns paid more than plain prompts would have; reports and the
    doctor read the reason where they read every other."""
    sample = lever_sample(tmp_path_factory)
    plain = {"ways": {"plain": {"base": ["alone", 100], "blocks": [["d", 100, "", "turn"]]}}}
    for number in range(5):
        said = (("beside", plain), ("group", f"reviewer/{number}"), ("base", 100))
        turned(sample, Turned("spec-reviewer", "specify", number + 1, 60.0 + number, sent=said))
    with sample.around.database.write() as tx:
        tx.execute("update ledger set calls = ?", ('[{"added": 200, "output": 5}]',))
        # Rows that were settled here are known, as long as their seconds are the same.
        tx.execute("update ledger set write_5m = 9000, seconds = seconds + 0.125")
    chosen = sent(sample.source("spec-reviewer", "specify", Turn.REVIEW))[1]
    assert chosen.decision.way is Way.PLAIN
    assert "over 5 groups" in chosen.record.dump()["off"]["trunk"]
    assert "trunk" not in chosen.record.dump()["levers"]


def test_map_and_notes_are_off_until_they_are_seen_to_spare_calls(sample: Sample) -> None:
    """E6: unless a person names them."""
    row = sample.rows["feature"]
    own = {**row.overrides, "economy.levers": ("all",)}
    around = replace(sample.around, _loaded={})
    plain = sample._replace(
        around=around, rows={**sample.rows, "feature": replace(row, overrides=own)}
    )
    chosen = sent(plain.source("spec-reviewer", "specify", Turn.REVIEW))[1]
    assert chosen.record.dump()["off"]["map"] == "not shown yet to save calls here"
    assert chosen.record.dump()["off"]["notes"] == "not shown yet to save calls here"
    assert "map" not in [one.name for one in chosen.composed.segments]
