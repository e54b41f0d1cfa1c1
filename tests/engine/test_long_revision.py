"""What is recorded of the larger flows is that of the revision in force. Covers: I4, I7."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.engine.revision import REVISION
from tests.engine.recorded_steps import FLOWS, listed, recorded
from tests.engine.test_revision import RAISE


@pytest.mark.parametrize("flow", [name for name in FLOWS if name != "L1"])
def test_a_flow_records_what_its_revision_does(flow: str, tmp_path: Path) -> None:
    assert recorded(tmp_path, flow) == listed()[flow], RAISE.format(REVISION)
