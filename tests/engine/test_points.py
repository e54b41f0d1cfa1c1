"""Every step has its two crash points, and the tests know them all. Covers: I1."""

from __future__ import annotations

from sparing.engine import leg, recorded_step
from tests.engine.killed import KILLS

HANDING_OFF = {"weigh", "prepare-handoff", "write-handoff"}
"""`test_long_continuing` dies at the first and the last."""
WAVES = {"join", "note", "trial", "accept"}
"""`test_long_waves` dies at the first; `test_proving` plays the others twice."""
PROJECTS = {"propose", "prepare-proposal"}
"""`test_long_projects` dies at the first, after the second."""
REJECTED = {"reopen"}
"""`test_last_gate` dies after it."""
PRIMER = {"prime"}
"""`caching/test_primer` dies in its midst."""
SYNCED = {"sync", "undo", "trace"}
"""`upstream/test_sync_crash`, `tasks/test_task_orders` and `approval/test_refine_crash` die at
them."""
REPAIRS = {"prepare-repair", "prepare-secrets"}
ELSEWHERE = PRIMER | HANDING_OFF | WAVES | PROJECTS | REJECTED | SYNCED | REPAIRS
"""Steps that no sample passes: they follow a reply that is no verdict, and a change with secrets.
`test_hostile` dies at the second."""


def test_points_come_in_pairs() -> None:
    assert leg.PROGRAM
    begins = {p.removesuffix(":begin") for p in recorded_step.POINTS if p.endswith(":begin")}
    ends = {p.removesuffix(":end") for p in recorded_step.POINTS if p.endswith(":end")}
    assert begins == ends
    assert len(recorded_step.POINTS) == len(set(recorded_step.POINTS))


def test_a_test_dies_at_every_step() -> None:
    steps = {point.partition(":")[0] for point in recorded_step.POINTS}
    died_at = {point.partition(":")[0] for points in KILLS.values() for point in points}
    assert steps - ELSEWHERE == died_at
