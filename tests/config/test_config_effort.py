"""One word for settings that belong together; what anybody has set stays. Covers: E12."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.config.effort import EFFORTS, Effort
from sparing.config.load import Loaded, load
from sparing.config.settings import every_setting
from sparing.config.sources import SettingsFile, Sources
from sparing.errors import ConfigError

HOME = {"HOME": "/home/ada"}
USER = Path("/home/ada/.config/sparing/config.toml")


def loaded(effort: str | None = None, user: str = "", project: str = "") -> Loaded:
    files = (SettingsFile(Path("/repo/sparing.toml"), project),) if project else ()
    sources = Sources(SettingsFile(USER, user), files, HOME)
    return load(sources, {"flow.effort": effort})


@pytest.mark.parametrize("effort", Effort)
def test_an_effort_is_another_set_of_defaults(effort: Effort) -> None:
    """E12: each value says where it comes from, and is one that the setting takes."""
    found = loaded(effort.value)
    told = {key for key, origin in found.origins.items() if origin == f"effort {effort}"}
    assert told == set(EFFORTS[effort]) & set(every_setting())
    assert found.settings.flow.effort is effort


def test_lean_balanced_and_thorough() -> None:
    """E12: rounds, models, caps and deeper tests go up together."""
    lean, balanced, thorough = (loaded(one.value).settings for one in Effort)
    assert loaded().settings == balanced
    assert lean.review.cap < balanced.review.cap < thorough.review.cap
    assert lean.caps.feature_usd < balanced.caps.feature_usd < thorough.caps.feature_usd
    assert lean.models.strong == lean.models.standard == balanced.models.standard
    assert thorough.models.standard == thorough.models.strong == balanced.models.strong
    assert "test-deepener" not in lean.flow.assistants
    assert set(balanced.flow.assistants) - set(lean.flow.assistants) == {"test-deepener"}


def test_what_somebody_has_set_stays() -> None:
    """E12, E7: a cap that was lowered is not raised; a project's file that was good stays so."""
    user = '[caps]\nfeature_usd = 5\n[models]\nstandard = "mine"\n'
    thorough, lean = loaded("thorough", user), loaded("lean", user)
    assert thorough.settings.caps.feature_usd == 5
    assert thorough.origins["caps.feature_usd"] == f"user file {USER}"
    assert thorough.settings.models.standard == "mine"
    assert lean.settings.models.strong == "mine", "the standard model, whichever that is"
    project = loaded("lean", project="[review]\ncap = 3\n[caps]\nfeature_usd = 30\n")
    assert (project.settings.review.cap, project.settings.caps.feature_usd) == (3, 30)


def test_a_project_does_not_say_how_much_you_spend() -> None:
    """E12"""
    with pytest.raises(ConfigError, match=r"flow\.effort"):
        loaded(project='[flow]\neffort = "thorough"\n')
