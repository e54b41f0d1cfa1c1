"""A change that is followed comes to the same branch, however often the process dies meanwhile.

Covers: A12, I1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approval.scene import GATES, WANTED, asked, run, waiting
from tests.engine.built import Built
from tests.engine.killed import KILLED

pytestmark = pytest.mark.long

BEFORE = ("decide:end", "prepare:end", "call:end", "commit:end", "close:end", "settle:end")
"""While the spec's author works, to its gate."""
AFTER = ("trace:begin", "trace:end", "commit:end", "trace:end@2", "tasks:end", "prove:end")
"""After its approval, down to the code; each is repeated after it has had its effect."""


def killed(built: Built, points: tuple[str, ...]) -> None:
    for point in points:
        said = built.sparing(
            "run", "--no-input", SPARING_ENGINE__CRASH_AT=point, SPARING_FLOW__GATES=GATES
        )
        assert said.code == KILLED, f"{point}: {said.err}"


def refined(built: Built, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> str:
    assert built.sparing("refine", "1", WANTED, "--yes").code == 0
    killed(built, before)
    run(built)
    assert built.sparing("approve", "1").code == 0
    killed(built, after)
    run(built)
    return built.tree


@pytest.mark.nightly
def test_killed_at_every_step(tmp_path: Path) -> None:
    """A12, I1: same files, nobody asked twice whose turn was paid, and the same gate waits."""
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    whole, disturbed = waiting(tmp_path / "whole"), waiting(tmp_path / "killed")
    assert refined(disturbed, BEFORE, AFTER) == refined(whole)
    row = disturbed.sparing("list", "--json").json["features"][0]
    assert (row["stage"], row["position"]) == ("implement", "gate")


def test_killed_while_it_is_followed(tmp_path: Path) -> None:
    """A12, I1: looking twice gives the same; what is unconcerned is not asked after all."""
    there = waiting(tmp_path)
    before = asked(there)
    refined(there, (), ("trace:end",))
    assert "implementer 1" not in asked(there)[len(before) :]
    assert asked(there).count("implementer 2") == 2
