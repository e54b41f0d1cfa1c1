"""Documents by reference through the real client: each is named where the client can open it.

Covers: B2, C18
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

from tests.terminal import sparing

DEMO = ("demo", "--backend", "claude-double", "--keep", "here", "--json")
NAMED = re.compile(r"^- [A-Z][\w -]*: (/\S+)$", re.MULTILINE)
DIRECTORY = re.compile(r"[Ww]orking directory: (/\S+)")


def test_a_document_is_named_by_the_path_that_the_client_may_read(tmp_path: Path) -> None:
    """B2, C18: the client refuses every path outside of its working directory."""
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "SPARING_REVIEW__POLICY": "seed"}
    said = sparing(tmp_path, *DEMO, environ=environ, limit_seconds=300)
    assert said.code == 0, said.err
    (log,) = tmp_path.glob("state/**/double.jsonl")
    seen = 0
    for line in log.read_text().splitlines():
        record = json.loads(line)
        texts = list(_texts(record.get("request", {})))
        places = [found for text in texts for found in DIRECTORY.findall(text)]
        for path in (found for text in texts for found in NAMED.findall(text)):
            assert path.startswith(f"{places[0]}/docs/"), path
            seen += 1
    assert seen > 0


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts: list[Any] = []
    if isinstance(value, dict):
        parts = [*cast("dict[str, Any]", value).values()]
    elif isinstance(value, list):
        parts = [*cast("list[Any]", value)]
    return [one for part in parts for one in _texts(part)]
