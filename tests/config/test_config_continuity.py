"""The settings of a tier's session. Covers: F2, F6."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.config.flow import SessionPreference
from sparing.config.load import load
from sparing.config.settings import Settings
from sparing.config.sources import SettingsFile, Sources
from sparing.errors import ConfigError

HOME = {"HOME": "/home/ada"}


def settings(text: str, **environ: str) -> Settings:
    user = SettingsFile(Path("/home/ada/.config/sparing/config.toml"), text)
    return load(Sources(user, (), {**HOME, **environ}), {}).settings


def test_budgets_are_a_table_of_stages() -> None:
    """F2: in a file, and in a variable; a stage that is not named has none."""
    flow = settings("[flow.budgets]\nimplement = 80000\nplan = 9000\n").flow
    assert (flow.budget("implement"), flow.budget("plan"), flow.budget("done")) == (
        80_000, 9_000, None,
    )  # fmt: skip
    assert settings("", SPARING_FLOW__BUDGETS="done=5000").flow.budget("done") == 5_000


@pytest.mark.parametrize(
    "line", ['implement = "many"', "implement = true", "implement = 0", "implemnt = 5"]
)
def test_a_wrong_budget_is_refused(line: str) -> None:
    with pytest.raises(ConfigError, match=r"flow\.budgets"):
        settings(f"[flow.budgets]\n{line}\n")


def test_windows_are_lines_of_model_and_tokens() -> None:
    """F2: window per model."""
    found = settings('[models]\nwindows = ["my-model 200000"]\n').models.windows
    assert found == ("my-model 200000",)
    with pytest.raises(ConfigError, match=r"models\.windows"):
        settings('[models]\nwindows = ["my-model"]\n')


def test_continuity_is_priced_unless_it_is_set() -> None:
    """F6"""
    assert settings("").flow.continuity is SessionPreference.PRICED
    said = settings('[flow]\ncontinuity = "hand-off"\n')
    assert said.flow.continuity is SessionPreference.HAND_OFF
