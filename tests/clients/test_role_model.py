"""Which model a role may have: its own, or that of others with the same prefix. Covers: G5."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.clients.role_model import names_beside, own_model, shared_models
from sparing.config.load import load
from sparing.config.settings import Settings
from sparing.config.sources import Sources
from sparing.flow.flows import FEATURE
from sparing.roles.load import Role, shipped

STRONG, STANDARD = "claude-opus-5-5", "claude-sonnet-5"
IMPLEMENT = FEATURE.stage("implement")
SIMPLIFIER, DEEPENER = shipped("code-simplifier"), shipped("test-deepener")


def settings(tmp_path: Path, **values: str) -> Settings:
    told = {f"SPARING_{name.upper()}": value for name, value in values.items()}
    return load(Sources(environ={"HOME": str(tmp_path), **told}), {}).settings


def found(own: Settings, role: Role, *more: Role) -> tuple[str, ...]:
    beside = (*map(shipped, names_beside(own, IMPLEMENT)), *more)
    return shared_models(own, role, beside, "claude")


def test_a_weaker_role_may_have_the_model_of_those_who_begin_alike(tmp_path: Path) -> None:
    """G5: in the stage that both work in, with the same tools."""
    own = settings(tmp_path)
    assert own_model(own, SIMPLIFIER, "implement", "claude") == STANDARD
    assert found(own, SIMPLIFIER) == (STRONG,)
    assert found(own, replace(SIMPLIFIER, tools=("read",))) == ()


def test_no_role_gets_a_weaker_model_than_its_class(tmp_path: Path) -> None:
    """G5: a strong role among others stays strong."""
    cheap = replace(DEEPENER, name="another", model="cheap")
    assert found(settings(tmp_path), DEEPENER, cheap) == ()


@pytest.mark.parametrize(
    "told",
    [
        {"models__roles": "code-simplifier=cheap"},
        {"roles__backends": "code-simplifier=codex"},
        {"roles__stay": "code-simplifier"},
        {"models__strong": "a-model-without-a-price"},
        {"models__strong": STANDARD},
    ],
)
def test_what_somebody_has_set_for_a_role_stays(told: dict[str, str], tmp_path: Path) -> None:
    """G5: a model, an agent or an outage of its own, or models that nobody can compare."""
    assert found(settings(tmp_path, **told), SIMPLIFIER) == ()


def test_a_model_set_for_another_role_is_that_role_s_alone(tmp_path: Path) -> None:
    """G5: nobody is moved to a model that was chosen for one role."""
    told = "implementer=claude-haiku-4-5,test-deepener=claude-haiku-4-5"
    assert found(settings(tmp_path, models__roles=told), SIMPLIFIER) == ()
