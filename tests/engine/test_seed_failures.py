"""How often `policy = "seed"` sends a turn that fails. Covers: B1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.played import play
from tests.engine.small import SCRIPT


@pytest.mark.parametrize(
    ("failure", "sent", "code"), [("overloaded", 2, 2), ("network", 2, 2), ("quota", 1, 75)]
)
def test_what_may_pass_is_sent_once_more_and_then_waits_for_a_person(
    tmp_path: Path, failure: str, sent: int, code: int
) -> None:
    """B1, I6: not three times; a quota is not asked again before it is there."""
    script = tmp_path / "script.toml"
    script.write_text(f'[[turn]]\nreply = ""\nfail = "{failure}"\ndetail = "busy"\n{SCRIPT}')
    played = play(tmp_path, str(script), "L1", overrides={"review.policy": "seed"})
    assert played.say("run", "1").code == code
    assert sum(one.kind == "asks" for one in played.told()) == sent
    shown = played.say("show", "1", "--json").json
    assert (shown["position"], shown["next_command"]) == ("stuck", "sparing resume 001")
