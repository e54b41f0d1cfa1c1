"""The gate after a capped review, under the original's rules. Covers: C1, C2, A5, A7"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.capped_review import assert_its_gate_waits


@pytest.mark.parametrize("flag", ["--auto", "--no-input"])
def test_under_the_original_s_rules_no_mode_passes_it_either(tmp_path: Path, flag: str) -> None:
    """C2, A7, A5"""
    assert_its_gate_waits(tmp_path, "seed", flag)
