"""Every command that the program names in a message is one that can be typed as it stands.

All strings of the code are read, docstrings apart. A hint that names a feature has a place for it,
and its options exist. What hints repair is tried in `tests/cli/test_hint_states.py` and
`tests/engine/test_hints.py`.

Covers: A3, K1
"""

from __future__ import annotations

import click
import pytest

from sparing.cli.main import app
from tests.hints import HINTS, Hint


def command_of(name: str) -> click.Command:
    found = app.get_command(click.Context(app), name)
    assert found is not None
    return found


def test_there_are_many() -> None:
    """Otherwise the ones below prove nothing."""
    assert len(HINTS) > 100
    assert {"approve", "edit", "raise", "rerun", "resume", "trust"} <= {h.command for h in HINTS}


@pytest.mark.parametrize("hint", HINTS, ids=lambda one: f"{one.where} {one.words}")
def test_a_hint_can_be_typed(hint: Hint) -> None:
    """A3, K1: a feature where one is needed, and no option that the command does not have."""
    command = command_of(hint.command)
    if isinstance(command, click.Group) or "--help" in hint.options:
        return
    needed = [one for one in command.params if isinstance(one, click.Argument) and one.required]
    if needed and needed[0].name == "feature":
        assert hint.arguments, f"{hint.where}: '{hint.words}' names no feature"
    known = {option for one in command.params for option in one.opts}
    assert set(hint.options) <= known, hint.where
