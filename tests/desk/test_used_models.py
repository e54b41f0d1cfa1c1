"""Which models a feature is said to work with before it starts. Covers: K1, B1"""

from __future__ import annotations

import pytest

from sparing.desk.features.dry_run import models_words
from sparing.desk.gates import answers
from sparing.desk.money.forecast import whole_outlook
from sparing.desk.office import Office
from tests.desk.standing import NOW


@pytest.mark.parametrize(
    ("flow", "policy", "classes"),
    [
        ("L1", "adaptive", ["standard"]),
        ("L1", "seed", ["strong"]),
        ("L3", "seed", ["strong", "standard"]),
        ("feature", "seed", ["strong", "standard"]),
    ],
)
def test_the_models_that_are_named_are_those_of_the_policy(
    office: Office, flow: str, policy: str, classes: list[str]
) -> None:
    """B1: under `seed` a tier's builder has the original's model, and `start` says so."""
    row = answers.start(office, "Add rate limiting", flow, {"review.policy": policy}, NOW)
    said = models_words(office, row)
    assert [one for one in ("strong", "standard", "cheap") if f"({one})" in said] == classes


def test_the_forecast_is_made_with_these_models(office: Office) -> None:
    """E5, B1: the original builds with the stronger model, so the same stages cost more."""
    rows = [
        answers.start(office, title, "L1", {"review.policy": policy}, NOW)
        for title, policy in (("One", "adaptive"), ("Two", "seed"))
    ]
    usual, seed = (whole_outlook(office, row).median.nano_usd or 0 for row in rows)
    assert seed > usual > 0
