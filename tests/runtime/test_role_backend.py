"""Which agent a role works with. Covers: G5, I6."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.clients.outage import QUOTA_SECONDS, REPEATED_SECONDS, judge_ends, outage_of
from sparing.clients.role_backend import RoleBackend, RoleInFeature, check_role, role_backend
from sparing.errors import ConfigError
from sparing.failure import Failure
from sparing.money import Amount
from sparing.records import events, features, ledger
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.roles.load import shipped
from sparing.runtime.surroundings import Surroundings
from sparing.usage import Origin, Usage
from tests.payment.spending import asking, surroundings
from tests.records.rows import feature_row

AUTHOR, REVIEWER = "implementer", "security-reviewer"


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """With Claude Code and Codex installed and logged in; nothing is ever asked of them."""
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'codex-cli 0.166.0'\n")
    program.chmod(0o755)
    claude = program.with_name("claude")
    claude.write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    claude.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "for-a-test")
    monkeypatch.setenv("OPENAI_API_KEY", "for-a-test")
    return surroundings(tmp_path)


def feature(around: Surroundings, **changes: Any) -> FeatureRow:
    """`agent__fallback` is the setting `agent.fallback`."""
    own = {name.replace("__", "."): value for name, value in changes.items()}
    row = replace(
        feature_row(7, "Seven"),
        overrides={"agent.backend": "claude", "engine.clock": "counted", **own},
    )
    with around.database.write() as tx:
        features.create(tx, row)
    return row


def who(around: Surroundings, row: FeatureRow, role: str = REVIEWER) -> RoleInFeature:
    return RoleInFeature(around, row, shipped(role), shipped(AUTHOR))


def fails(
    around: Surroundings, row: FeatureRow, failure: Failure, resets_at: float | None = None
) -> None:
    """A turn of Claude Code that ended so, as the ledger has it."""
    asked = asking(around, row, f"g0.1.{failure.value}")
    attempt = replace(asked.attempt, backend="claude", started=row.feature.created)
    with around.database.write() as tx:
        number = ledger.begin(tx, attempt, Amount(1, 1))
        bill = ledger.AttemptResult(
            session="", usage=Usage(), origin=Origin.MEASURED, nano_usd=0, calls=[],
            context_tokens=0, seconds=2.0, files_read=[], reply="", failure=failure.value,
        )  # fmt: skip
        ledger.finish(tx, attempt.dispatch, number, bill)
        if resets_at is not None:
            key = f"{attempt.dispatch}.quota.{number}"
            told = Event(key, row.feature.key, 1.0, "quota", data={"resets_at": resets_at})
            events.add(tx, told)


def test_a_role_has_the_agent_that_is_named_for_it(around: Surroundings) -> None:
    row = feature(around, roles__backends=(f"{REVIEWER} codex",))
    assert role_backend(who(around, row)) == RoleBackend("codex", f"set for {REVIEWER}", "OpenAI")
    assert role_backend(who(around, row, AUTHOR)) == RoleBackend("claude", "", "Anthropic")


def test_what_is_played_is_played_by_all(around: Surroundings, tmp_path: Path) -> None:
    """G4: whoever sees the demo pays nobody, whatever is named for a role."""
    named = {"agent__backend": "scripted", "agent__script": str(tmp_path / "script.toml")}
    row = feature(around, roles__backends=(f"{REVIEWER} codex",), **named)
    assert role_backend(who(around, row)).name == "scripted"


def test_reviewers_come_from_another_vendor_than_the_author(around: Surroundings) -> None:
    row = feature(around, review__other_vendor="true")
    why = "a vendor other than Anthropic, which wrote it"
    assert role_backend(who(around, row)) == RoleBackend("codex", why, "OpenAI")
    assert role_backend(who(around, row, AUTHOR)).name == "claude"


def test_where_an_author_works_with_codex_its_reviewers_do_not(around: Surroundings) -> None:
    row = feature(around, review__other_vendor="true", roles__backends=(f"{AUTHOR} codex",))
    assert role_backend(who(around, row)).name == "claude"


def test_without_another_vendor_it_is_refused_unless_the_user_agrees(
    around: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    row = feature(around, review__other_vendor="true")
    with pytest.raises(ConfigError) as refused:
        check_role(who(around, row))
    assert refused.value.what == (
        "review.other_vendor is true, and no agent of a vendor other than Anthropic is installed "
        "and logged in"
    )
    assert "sparing config set review.other_vendor prefer" in refused.value.repair
    agreed = replace(row, overrides={**row.overrides, "review.other_vendor": "prefer"})
    around.loaded(row)
    other = replace(agreed, feature=replace(row.feature, key="agreed"))
    assert role_backend(who(around, other)).name == "claude"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (
            {"roles__backends": (f"{REVIEWER} api-google",)},
            f"{REVIEWER} works with api-google: ",
        ),
        (
            {"roles__backends": (f"{REVIEWER} scripted",)},
            f"{REVIEWER} would use scripted, a stand-in, in a feature of claude",
        ),
        (
            {"models__roles": (f"{REVIEWER} gpt-5.5",)},
            f"{REVIEWER} works with claude, which has models of Anthropic and not gpt-5.5",
        ),
    ],
)
def test_what_a_role_can_not_work_with_is_refused(
    around: Surroundings, changes: dict[str, Any], what: str
) -> None:
    """G5: before anything is spent, in two lines."""
    row = feature(around, **changes)
    with pytest.raises(ConfigError) as refused:
        check_role(who(around, row))
    assert refused.value.what.startswith(what)
    assert refused.value.repair
    named = re.search(r"sparing config set roles\.\S+\.(backend|model) (\S+)", refused.value.repair)
    if named is not None:  # K1: as it is named, it is accepted
        setting = "roles.backends" if named[1] == "backend" else "models.roles"
        own = {"agent.backend": "claude", setting: (f"{REVIEWER} {named[2]}",)}
        settled = replace(row, overrides=own, feature=replace(row.feature, key="settled"))
        check_role(who(around, settled))
        assert role_backend(who(around, settled)).name in ("claude", named[2])


def test_who_only_searches_needs_an_agent_that_can(around: Surroundings) -> None:
    row = feature(around, roles__backends=("researcher codex",), roles__web="researcher")
    with pytest.raises(ConfigError, match="it only searches the web"):
        check_role(who(around, row, "researcher"))


def test_a_used_up_quota_moves_all_its_roles_until_the_reset(around: Surroundings) -> None:
    """I6: another backend takes over by rule, and the first has its work back afterwards."""
    row = feature(around, agent__fallback=("codex",))
    assert role_backend(who(around, row, AUTHOR)).name == "claude"
    fails(around, row, Failure.QUOTA, row.feature.created + 600.0)
    found = role_backend(who(around, row, AUTHOR))
    assert found.name == "codex"
    assert found.why.endswith("(quota); agent.fallback names codex")
    assert role_backend(who(around, row)).name == "codex"
    with around.database.read() as connection:
        assert outage_of(connection, "claude", row.feature.created + 601.0) is None


def test_under_the_counted_clock_an_outage_ends_within_the_feature(around: Surroundings) -> None:
    """I6: that clock stands still between moves; what turns of another agent took counts."""
    row = feature(around, agent__fallback=("codex",))
    fails(around, row, Failure.QUOTA)
    assert role_backend(who(around, row, AUTHOR)).name == "codex"
    asked = asking(around, row, "g0.2.later")
    later = replace(asked.attempt, backend="codex", started=row.feature.created + 903.0)
    with around.database.write() as tx:
        ledger.begin(tx, later, Amount(1, 1))
    assert role_backend(who(around, row, AUTHOR)).name == "claude"


def test_without_the_rule_nobody_moves(around: Surroundings) -> None:
    row = feature(around)
    fails(around, row, Failure.QUOTA)
    assert role_backend(who(around, row, AUTHOR)).name == "claude"


def test_a_role_that_stays_waits(around: Surroundings) -> None:
    row = feature(around, agent__fallback=("codex",), roles__stay=(AUTHOR,))
    fails(around, row, Failure.QUOTA)
    assert role_backend(who(around, row, AUTHOR)).name == "claude"
    assert role_backend(who(around, row)).name == "codex"


def test_whoever_takes_over_must_have_a_price_under_a_cap_on_money(around: Surroundings) -> None:
    """E7: another agent of an unknown cost could not be counted; the work waits."""
    models = tuple(f"codex.{name} mystery" for name in ("strong", "standard", "cheap"))
    capped = {"models__backends": models, "caps__day_usd": 5.0}
    row = feature(around, agent__fallback=("codex",), **capped)
    fails(around, row, Failure.QUOTA)
    assert role_backend(who(around, row, AUTHOR)).name == "claude"


def test_one_failure_is_not_an_outage_and_two_are(around: Surroundings) -> None:
    row = feature(around, agent__fallback=("codex",))
    fails(around, row, Failure.OVERLOADED)
    assert role_backend(who(around, row, AUTHOR)).name == "claude"
    fails(around, row, Failure.NETWORK)
    assert role_backend(who(around, row, AUTHOR)).name == "codex"


def test_an_author_that_moved_still_has_reviewers_of_another_vendor(around: Surroundings) -> None:
    row = feature(around, agent__fallback=("codex",), review__other_vendor="prefer")
    fails(around, row, Failure.QUOTA)
    assert role_backend(who(around, row, AUTHOR)).name == "codex"
    assert role_backend(who(around, row)).vendor == "Anthropic"


def test_how_long_an_outage_is_believed() -> None:
    end = ledger.LastEnd("d", 1, Failure.QUOTA.value, 100.0, "")
    lost = end._replace(failure=Failure.CRASHED.value)
    assert judge_ends("claude", []) is None
    assert judge_ends("claude", [lost]) is None
    assert judge_ends("claude", [end._replace(failure=""), end]) is None
    quota = judge_ends("claude", [end])
    assert quota is not None
    assert quota.until == 100.0 + QUOTA_SECONDS
    twice = judge_ends("claude", [lost, lost])
    assert twice is not None
    assert twice.until == 100.0 + REPEATED_SECONDS
