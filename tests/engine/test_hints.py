"""A hint repairs: the command that a message names is typed as it stands, and what it was said of
is gone.

Covers: A3, K1
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.briefing.fit_documents import repair_of
from sparing.desk.gates.actions import choices
from sparing.feature import Feature
from sparing.flow.advance import begin
from sparing.flow.state import Position
from tests.engine.played import Played, play
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing


def typed(played: Played, hint: str, **environ: str) -> Said:
    """What a person does who copies it."""
    name, *words = shlex.split(hint)
    assert name == "sparing", hint
    return played.say(*words, **environ)


def repair(said: Said) -> str:
    (found,) = (one for one in said.complaint if one.startswith("fix: "))
    return found.removeprefix("fix: ")


def state(played: Played) -> tuple[str, str]:
    shown = played.say("show", "1", "--json").json
    return shown["stage"], shown["position"]


@pytest.mark.long
def test_from_nothing_to_the_second_stage_by_hints_alone(tmp_path: Path) -> None:
    """K1: nothing to run; not begun; a gate; an answer that waits."""
    empty = make_repository(tmp_path / "empty", {"README.md": "# Empty\n"})
    nothing = sparing(empty, "run")
    assert "nothing to run" in nothing.err
    assert sparing(empty, *shlex.split(repair(nothing))[1:]).code == 0
    assert "nothing to run" not in sparing(empty, "run", "--dry-run").err

    played = play(tmp_path, "small_tier_l3.toml", "L3")
    early = played.say("approve", "1")
    assert "has not begun" in early.err
    assert typed(played, repair(early)).code == 2
    assert state(played) == ("brainstorm", "gate")
    shown = played.say("show", "1", "--json").json
    assert typed(played, shown["next_command"]).code == 0
    twice = played.say("approve", "1")
    assert "is already answered" in twice.err
    typed(played, repair(twice))
    assert state(played)[0] != "brainstorm"


def test_a_cap_is_raised_by_what_is_said(tmp_path: Path) -> None:
    """E3, K1: by as much as the message says, which is enough."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    cap = {"SPARING_CAPS__FEATURE_TOKENS": "10"}
    assert played.say("run", "1", **cap).code == 3
    raised = played.say("show", "1", "--json", **cap).json["next_command"]
    assert raised.startswith("sparing raise 001 --")
    assert typed(played, raised, **cap).code == 0
    assert played.say("run", "1", **cap).code == 2
    assert state(played) == ("brainstorm", "gate")


def test_a_setting_that_nobody_trusts(tmp_path: Path) -> None:
    """H2, K1: the message's own two ways, one of them typed."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    git(played.repository, "config", "filter.odd.smudge", "touch odd")
    refused = played.say("run", "1")
    assert "sparing trust" in refused.err
    assert typed(played, "sparing trust --yes").code == 0
    assert played.say("run", "1").code == 2
    assert state(played) == ("brainstorm", "gate")


def feature(flow: str) -> Feature:
    return Feature(
        key="k", number=7, slug="x", title="X", flow=flow, repository="/r",
        base_branch="main", base_commit="c", created=0.0,
    )  # fmt: skip


def test_documents_are_repaired_by_the_flows_own_stage() -> None:
    """A3: with the feature's number; a tier has stages of other names."""
    assert repair_of(feature("feature"), ArtifactName.PLAN) == "sparing rerun 007 create-plan"
    assert repair_of(feature("L2"), ArtifactName.PLAN) == "sparing rerun 007 plan"
    assert repair_of(feature("L2"), ArtifactName.PLAN, there=True) == "sparing edit 007 plan"


def test_words_beside_an_approval_say_what_it_does() -> None:
    """K1: `approve` stands beside the whole of what it means."""
    work = replace(begin("L1"), position=Position.STUCK, held=Position.TODO, acceptable=True)
    said = {one.command: one.words for one in choices("007", work)}
    assert said["sparing approve 007"] == "continue without what failed"


def test_a_remote_that_nobody_trusts_is_looked_at_first() -> None:
    """K1: to run it again would change nothing."""
    why = "the repository's git configuration has remote.x.pushurl, which decides: sparing trust"
    waits = replace(begin("L1"), position=Position.STUCK, held=Position.HANDOVER, reason=why)
    assert [one.command for one in choices("007", waits)] == ["sparing trust", "sparing run 007"]
    plain = replace(waits, reason="the disk is full")
    assert [one.command for one in choices("007", plain)] == ["sparing run 007"]
