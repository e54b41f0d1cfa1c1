"""How real features went: the few figures by which the double's model writes and judges.

Medians and means over 111 features of a public repository whose documents and reviews are kept
beside its code. They are data; a model that keeps to them finds as much as reviewers did there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sparing.artifact import ArtifactName


class Round(NamedTuple):
    """One iteration of a reviewer: findings of each kind (means) and the share that passed."""

    blockers: float
    warnings: float
    suggestions: float
    passed: float


ROUNDS: Mapping[str, tuple[Round, ...]] = MappingProxyType(
    {
        "spec": (
            Round(3.6, 5.8, 0.5, 0.0),
            Round(1.37, 4.67, 0.56, 0.04),
            Round(0.0, 3.3, 1.17, 0.13),
            Round(0.38, 1.54, 0.85, 0.46),
            Round(0.0, 2.2, 1.4, 0.2),
        ),
        "design": (
            Round(2.62, 5.55, 0.95, 0.0),
            Round(0.59, 4.18, 0.97, 0.05),
            Round(0.04, 2.04, 1.54, 0.42),
            Round(0.6, 2.8, 0.4, 0.2),
            Round(1.0, 3.0, 0.67, 0.0),
        ),
        "plan": (
            Round(1.93, 5.23, 0.74, 0.02),
            Round(1.03, 4.34, 0.34, 0.05),
            Round(0.34, 2.79, 0.72, 0.24),
            Round(0.19, 2.31, 0.75, 0.25),
            Round(0.62, 2.88, 1.38, 0.12),
        ),
        "task": (
            Round(2.27, 3.93, 0.83, 0.02),
            Round(1.56, 2.5, 0.81, 0.11),
            Round(1.71, 2.86, 0.95, 0.19),
            Round(1.24, 2.35, 1.18, 0.24),
            Round(2.36, 2.91, 1.09, 0.18),
        ),
        "phase": (
            Round(0.15, 1.84, 0.77, 0.07),
            Round(0.14, 1.16, 0.75, 0.38),
            Round(0.02, 1.33, 0.79, 0.16),
            Round(0.06, 1.31, 1.0, 0.2),
            Round(0.0, 1.52, 0.92, 0.12),
        ),
        "implement": (
            Round(0.19, 2.4, 1.6, 0.14),
            Round(0.06, 1.06, 0.89, 0.42),
            Round(0.1, 1.0, 1.03, 0.53),
            Round(0.1, 0.71, 1.24, 0.48),
            Round(0.0, 0.78, 1.56, 0.67),
        ),
    }
)
GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "spec-reviewer": "spec",
        "design-reviewer": "design",
        "plan-reviewer": "plan",
        "task-reviewer": "task",
        "prd-reviewer": "phase",
        "readiness-reviewer": "phase",
        "phase-reviewer": "phase",
    }
)
"""Group whose review rounds a role follows; every other role reviews code."""
CHARS: Mapping[ArtifactName, int] = MappingProxyType(
    {
        ArtifactName.PRD: 19_916,
        ArtifactName.SPEC: 11_972,
        ArtifactName.DESIGN: 20_452,
        ArtifactName.PLAN: 11_936,
        ArtifactName.TASKS: 15_406,
        ArtifactName.IMPLEMENTATION: 3_472,
        ArtifactName.RETRO: 4_619,
    }
)
"""Length of a document, medians."""
OTHER_CHARS = 4_000
TASKS = 16
"""Tasks of a feature, median."""


def round_of(role: str, iteration: int) -> Round:
    rounds = ROUNDS[GROUPS.get(role, "implement")]
    return rounds[min(iteration, len(rounds)) - 1]
