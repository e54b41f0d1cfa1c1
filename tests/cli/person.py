"""A person who types commands in a folder, in this process."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from sparing.cli.main import main
from tests.terminal import Said


class Person:
    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.capture = capture
        self.patch = patch

    def stands(self, where: Path, environ: Mapping[str, str]) -> None:
        self.patch.chdir(where)
        for name, value in environ.items():
            self.patch.setenv(name, value)

    def types(self, words: str) -> Said:
        self.capture.readouterr()
        code = main(shlex.split(words))
        out, err = self.capture.readouterr()
        return Said(code, out, err)
