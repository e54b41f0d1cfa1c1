"""The fact sheet through the real client: a whole feature, seen by the double. Covers: E8."""

from __future__ import annotations

import json
import lzma
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.arms import BY_NAME
from bench.client_run import Case, run
from bench.client_tables import disagreeing
from sparing.context.sheet.parts import LIMIT_TOKENS
from sparing.segment import CHARS_PER_TOKEN

ARM = BY_NAME["+ sheet at 50 % effect"]
PART = re.compile(r"<[^>\n]*quoted facts, (?P<stage>[\w-]+)[^>\n]*>\n(?P<text>.*?)\n</", re.DOTALL)


@pytest.fixture
def home() -> Iterator[None]:
    """The bench moves it for its own process."""
    before = os.environ.get("HOME")
    yield
    if before is not None:
        os.environ["HOME"] = before


def prompts(log: Path) -> Iterator[str]:
    """What the program has told each turn, once a request."""
    with lzma.open(log, "rt", encoding="utf-8") as file:
        for line in file:
            record: dict[str, Any] = json.loads(line)
            request: dict[str, Any] = record.get("request") or {}
            for message in request.get("messages", ()):
                blocks: list[dict[str, Any]] = [
                    one for one in message["content"] if isinstance(one, dict)
                ]
                yield "".join(str(one.get("text", "")) for one in blocks)


@pytest.mark.usefixtures("home")
def test_a_sheet_is_quoted_once_and_never_rewritten(tmp_path: Path) -> None:
    """E8: every stage adds a part, which stands unchanged in all prompts that hold it, so that what
    stands before it stays cached; bill, recall and resumed sessions are as without it."""
    log = tmp_path / "log.jsonl.xz"
    case = Case(arm=ARM.name, flow="feature", kind="light", seed=1, settings=dict(ARM.settings))
    found = run(case, log)
    assert (found.status, found.agrees, found.missing) == ("completed", True, 0)
    assert disagreeing([found]) == []
    parts: dict[str, set[str]] = {}
    for text in prompts(log):
        for part in PART.finditer(text):
            parts.setdefault(part["stage"], set()).add(part["text"])
    parts.pop("changes", None)
    assert len(parts) >= 2
    assert {stage: len(texts) for stage, texts in parts.items()} == dict.fromkeys(parts, 1)
    whole = sum(len(text) for texts in parts.values() for text in texts)
    assert whole <= LIMIT_TOKENS * CHARS_PER_TOKEN
    assert all("\tdef " in text or "\tclass " in text for texts in parts.values() for text in texts)
