"""A target named check mostly runs the others. Covers: H7."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.checks.discover import find_checks
from tests.repositories import make_repository
from tests.workspace.features import snapshot


@pytest.mark.parametrize(
    ("targets", "wanted", "names"),
    [
        (("check",), (), {"check"}),
        (("check", "test"), (), {"test"}),
        (("check", "test", "lint"), (), {"test", "lint"}),
        (("check", "test"), ("check",), {"check", "test"}),
    ],
)
def test_it_is_left_out_beside_any_other(
    tmp_path: Path, targets: tuple[str, ...], wanted: tuple[str, ...], names: set[str]
) -> None:
    text = "".join(f"{name}:\n\ttrue\n" for name in targets)
    files = snapshot(make_repository(tmp_path, {"Makefile": text}))
    assert {one.name for one in find_checks(files, wanted)} == names
