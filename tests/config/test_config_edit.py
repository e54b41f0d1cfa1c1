"""One setting changed in a file that a person wrote: that line alone. Covers: K1."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.config.edit import with_setting
from sparing.config.faults import nearest
from tests.terminal import sparing

FILE = "# mine\n[review]\nrounds = 2  # enough\n\n[caps]\n# dear\nfeature_usd = 3.5\n"


def test_only_its_line_changes() -> None:
    """K1: comments and order stay."""
    assert with_setting(FILE, "caps.feature_usd", 7.0) == FILE.replace("3.5", "7.0")
    assert with_setting(FILE, "caps.day_usd", 9.0) == FILE.replace(
        "[caps]\n", "[caps]\nday_usd = 9.0\n"
    )
    added = with_setting(FILE, "flow.default", "auto")
    assert added == FILE + '\n[flow]\ndefault = "auto"\n'
    assert with_setting("", "flow.waves", 2) == "[flow]\nwaves = 2\n"


def test_what_can_t_be_done_in_a_line_is_left_to_an_editor() -> None:
    spread = '[flow]\ngates = [\n  "specify",\n]\n'
    assert with_setting(spread, "flow.gates", ("design",)) is None
    assert with_setting('text = """\n[flow]\n"""\n', "flow.waves", 2) is None


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30))
def test_any_text_is_written_so_that_it_is_read_again(text: str) -> None:
    made = with_setting(FILE, "agent.script", text)
    assert made is not None
    assert tomllib.loads(made)["agent"]["script"] == text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("caps.feature_money", "caps.feature_usd"),
        ("feature_money", "caps.feature_usd"),
        ("budget.feature_money", "caps.feature_usd"),
        ("caps.stage_dollars", "caps.stage_usd"),
        ("review.panl", "review.panel"),
        ("cap.feature_usd", "caps.feature_usd"),
    ],
)
def test_a_slip_is_answered_with_the_setting_that_was_meant(written: str, meant: str) -> None:
    """K1"""
    found = nearest(written)
    assert found is not None
    assert found.key == meant


def test_set_and_get(tmp_path: Path) -> None:
    """K1: validated before it is written; a layer above it is named."""
    said = sparing(tmp_path, "config", "set", "review.panel", "merged")
    assert said.code == 0
    assert said.out.startswith('review.panel = "merged" in ')
    assert said.out.endswith("/.config/sparing/config.toml\n")
    assert sparing(tmp_path, "config", "get", "review.panel").out == '"merged"\n'
    bad = sparing(tmp_path, "config", "set", "review.panel", "odd")
    assert bad.code != 0
    assert "is not one of separate, merged, auto" in bad.err
    assert bad.err.endswith("what it is for and what is set: sparing config get review.panel\n")
    assert sparing(tmp_path, "config", "get", "review.panel").out == '"merged"\n'
    hidden = sparing(
        tmp_path,
        "config",
        "set",
        "review.panel",
        "auto",
        environ={"SPARING_REVIEW__PANEL": "merged"},
    )
    assert "SPARING_REVIEW__PANEL sets a different value here" in hidden.err
    outside = sparing(tmp_path, "config", "set", "--project", "review.panel", "auto")
    assert "there is no repository here" in outside.err
    slip = sparing(tmp_path, "config", "get", "caps.feature_money")
    assert "did you mean caps.feature_usd?" in slip.err
