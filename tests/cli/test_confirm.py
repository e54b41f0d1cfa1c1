"""A question that wants yes or no. Covers: K1."""

from __future__ import annotations

import io

import click
import pytest

from sparing.cli.screen import Declined, confirm


@pytest.mark.parametrize(
    ("typed", "default", "agreed"),
    [("y\n", False, True), ("YES \n", False, True), ("n\n", True, False), ("No\n", True, False),
     ("\n", True, True), ("\n", False, False)],
)  # fmt: skip
def test_yes_no_and_enter(
    monkeypatch: pytest.MonkeyPatch, typed: str, default: bool, agreed: bool
) -> None:
    """K1: whichever way they are spelled; Enter is what the capital letter says."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert confirm("go on?", default=default) is agreed


def test_anything_else_is_asked_again_and_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """K1: not "Error: invalid input", after which nobody knows what is valid."""
    monkeypatch.setattr("sys.stdin", io.StringIO("sure\nja\ny\n"))
    assert confirm("go on?", err=True)
    said = capsys.readouterr().err
    assert said.count("type y for yes or n for no") == 2
    assert said.count("go on? [y/N]: ") == 3


def test_no_ends_what_was_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """K1: and so does the end of the input."""
    for typed, raised in (("n\n", Declined), ("\n", Declined), ("", click.Abort)):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        with pytest.raises(click.Abort) as found:
            confirm("go on?", abort=True)
        assert found.type is raised
