"""A cap on money, and a model of which nobody knows what it costs. Covers: E7, E2, G5."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.clients.role_backend import role_backend
from sparing.clients.unpriced import CAPS, money_cap, unpriced
from sparing.config.load import Loaded, load
from sparing.config.sources import Sources
from sparing.errors import ConfigError
from tests.payment.spending import surroundings
from tests.runtime.test_role_backend import AUTHOR, feature, who

MODEL = "qwen3-coder-at-home"


def settled(home: Path, **flags: object) -> Loaded:
    own = {name.replace("__", "."): value for name, value in flags.items()}
    return load(Sources(environ={"HOME": str(home)}), own)


@pytest.mark.parametrize("cap", CAPS)
def test_a_cap_that_somebody_has_set_refuses_it(tmp_path: Path, cap: str) -> None:
    """E7: nothing could be counted against it; what is said helps."""
    refused = unpriced(settled(tmp_path, **{cap: 5.0}), MODEL)
    assert refused is not None
    assert refused.what == f"{cap} is set, but the price of {MODEL} is unknown"
    assert refused.repair.endswith(f'sparing config set models.prices "{MODEL} 3 15 0.30 3.75 6"')
    priced = (f"{MODEL} 3 15 0.30 3.75 6",)
    assert unpriced(settled(tmp_path, **{cap: 5.0}, models__prices=priced), MODEL) is None


def test_whoever_has_set_no_cap_may_ask_it(tmp_path: Path) -> None:
    """E7: a default is nobody's word; caps on tokens count it. Nor does a subscription cost."""
    assert unpriced(settled(tmp_path), MODEL) is None
    assert unpriced(settled(tmp_path, flow__effort="lean"), MODEL) is None
    bought = settled(tmp_path, caps__day_usd=5.0, agent__billing="subscription")
    assert (money_cap(bought), unpriced(bought, MODEL)) == ("", None)
    assert unpriced(settled(tmp_path, caps__day_usd=5.0), "claude-sonnet-5") is None


def test_a_role_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    """E7, G5: wherever a run is started from, since the agent of each turn is asked for here."""
    around = surroundings(tmp_path)
    named = {"agent__backend": "claude", "models__roles": (f"{AUTHOR} {MODEL}",)}
    row = feature(around, caps__feature_usd=2.0, **named)
    with pytest.raises(ConfigError, match="is unknown"):
        role_backend(who(around, row, AUTHOR))
