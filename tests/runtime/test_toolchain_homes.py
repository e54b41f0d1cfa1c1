"""Where a tool keeps its files when not in HOME, as in images with Rust in /opt.

Covers: H7, K2
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.config.sources import read_sources
from sparing.runtime.sandbox import tool_variables, tools
from tests.payment.spending import surroundings


@pytest.mark.parametrize("named", [True, False])
def test_rust_s_toolchains_are_found_where_the_user_says_they_are(
    tmp_path: Path, named: bool
) -> None:
    home, rust = tmp_path / "home", tmp_path / ("opt/rust" if named else "home/.rustup")
    rust.mkdir(parents=True)
    given = {"HOME": str(home), **({"RUSTUP_HOME": str(rust)} if named else {})}
    around = replace(
        surroundings(tmp_path),
        sources=read_sources(given, None),
        environ={"PATH": f"{home}/.cargo/bin:/usr/bin"},
    )
    assert rust in tools(around)
    assert tool_variables(around) == {"RUSTUP_HOME": str(rust)}


def test_a_toolchain_folder_that_contains_home_is_not_opened(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    given = {"HOME": str(tmp_path / "home"), "RUSTUP_HOME": str(tmp_path)}
    around = replace(around, sources=read_sources(given, None))
    assert tmp_path not in tools(around)
    assert tool_variables(around) == {}
