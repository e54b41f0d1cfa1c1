"""Whoever types commands in this process."""

from __future__ import annotations

import pytest

from tests.cli.person import Person


@pytest.fixture
def person(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Person:
    return Person(capsys, monkeypatch)
