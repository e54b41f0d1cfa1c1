"""A feature in a user's repository meets its caps, is raised.

Covers: E2, E3, E5
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import UserRepository
from tests.engine.capped import Work, capped_work

pytestmark = pytest.mark.long


@pytest.fixture
def work(tmp_path: Path, user_repository: UserRepository) -> Work:
    return capped_work(tmp_path, user_repository)


def test_a_cap_parks_the_feature_and_a_raise_lets_it_go_on(work: Work) -> None:
    """E3: exit 3, kind, value and limit; what is done is not done again."""
    caps = {"SPARING_CAPS__TURN_USD": "0.03", "SPARING_CAPS__FEATURE_USD": "0.04"}
    said = work.run(**caps)
    assert said.code == 3, said.err
    (view,) = said.json["features"]
    assert (view["stage"], view["position"], view["cause"]) == ("implement", "stuck", "budget")
    spent = sum(row.result.nano_usd or 0 for row in work.rows if row.result) / 10**9
    assert view["waits_for"] == (
        f"budget: money of this feature: ${spent:.3f} spent or reserved, the next turn may take"
        " $0.030, the limit is $0.040"
    )
    assert view["next_command"] == "sparing raise 001 --money 0.08"
    raised = work.say("raise", "1", "--money", "1", "--json", **caps)
    assert (raised.json["goes_on"], raised.json["next_command"]) == (True, "sparing run 001")
    assert work.run(**caps).code == 0
    assert Counter(row.attempt.stage for row in work.rows) == {
        "plan": 1, "implement": 1, "done": 1,
    }  # fmt: skip


def test_a_loop_breaker_parks_with_its_reason(work: Work) -> None:
    """Not a matter of money: exit 2, and words of a person's are what helps."""
    said = work.run(SPARING_CAPS__REPLY_CHARS="10")
    assert said.code == 2
    (view,) = said.json["features"]
    assert (view["cause"], view["waits_for"]) == (
        "loop",
        "loop: builder answered with 54 characters, the limit is 10",
    )
    assert view["next_command"] == 'sparing reject 001 "what should be different"'
    assert work.say("reject", "1", "say less").code == 0


def test_gates_say_what_was_spent_and_what_may_follow(work: Work) -> None:
    """E5"""
    said = work.say("run")
    assert said.code == 2
    assert "\n  spent so far: $0.0" in said.err
    assert "\n  to come: $" in said.err
    assert "(estimated, from a simulated workload)" in said.err


def test_a_cap_over_all_repositories(
    work: Work, tmp_path: Path, user_repository: UserRepository
) -> None:
    """E3: what one repository spent counts in the next; the setting is raised, and it continues."""
    first = {"SPARING_CAPS__TURN_USD": "0.03", "SPARING_CAPS__ALL_DAY_USD": "1"}
    assert work.run(**first).code == 0
    spent = sum(row.result.nano_usd or 0 for row in work.rows if row.result) / 10**9
    other = Work(user_repository(), tmp_path / "script.toml")
    assert other.say("start", "Make another", "--flow", "L1").code == 0
    low = {**first, "SPARING_CAPS__ALL_DAY_USD": f"{spent + 0.02:.4f}"}
    said = other.run(**low)
    assert said.code == 3, said.err
    (view,) = said.json["features"]
    assert "money of all repositories " in view["waits_for"]
    assert "sparing config set caps.all_day_usd " in view["waits_for"]
    assert view["next_command"] == "sparing raise 001"
    assert "all repositories" in other.say("cost", "1", **low).out
    assert other.say("raise", "1", **low).code == 64
    assert other.say("raise", "1", **first).code == 0
    assert other.run(**first).code == 0
