"""Which stage of a flow writes its code. Covers: A1."""

from __future__ import annotations

import pytest

from sparing.flow.flows import code_stage


@pytest.mark.parametrize(
    ("flow", "stage"),
    [("feature", "implement"), ("L1", "implement"), ("project", "decompose")],
)
def test_of_a_flow_without_code_it_is_the_last(flow: str, stage: str) -> None:
    assert code_stage(flow).name == stage
