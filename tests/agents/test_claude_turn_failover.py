"""A quota that is used up: the next agent takes over by rule, and the first has its work back.

Both clients are the real ones, with logins and addresses as a user sets them. Covers: G5, I6, E2.
"""

from __future__ import annotations

import os
import sqlite3
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.cli.run.demo import TITLE
from sparing.double.log import rebill
from sparing.double.model import Model
from sparing.double.playbook import read_playbook
from sparing.double.server import ServerSettings
from sparing.usage import Usage
from tests.agents.clients import PROGRAMS
from tests.double.serving import Client, serving
from tests.repositories import make_repository
from tests.terminal import Said, sparing

COLUMNS = "uncached, read, write_5m, write_1h, output"
HOUR = 3600


class Scene(NamedTuple):
    """A repository, and two vendors on this machine."""

    folder: Path
    repository: Path
    anthropic: Client
    openai: Client

    def says(self, *words: str, ahead: int = 0) -> Said:
        around = {
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-none",
            "ANTHROPIC_BASE_URL": self.anthropic.url,
            "OPENAI_API_KEY": "sk-none",
            "OPENAI_BASE_URL": f"{self.openai.url}/v1",
            "SPARING_AGENT__BACKEND": "claude",
            "SPARING_AGENT__FALLBACK": "codex",
            "SPARING_ENGINE__AHEAD_SECONDS": str(ahead),
        }
        return sparing(self.repository, *words, environ=around, limit_seconds=1800)

    def rows(self) -> list[tuple[str, ...]]:
        """Backend, stage and failure of each turn, the oldest first."""
        told = "backend, stage, failure from ledger where role = 'builder'"
        return self._asked(f"select {told} order by rowid")

    def booked(self, backend: str) -> Usage:
        rows = self._asked(f"select {COLUMNS} from ledger where backend = '{backend}'")
        return sum((Usage(*map(int, row)) for row in rows), Usage())

    def _asked(self, query: str) -> list[tuple[str, ...]]:
        (path,) = self.folder.glob("state/**/sparing.db")
        with closing(sqlite3.connect(path)) as database:
            return database.execute(query).fetchall()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    sample = files("sparing.cli") / "sample"
    project = tomllib.loads((sample / "project.toml").read_text("utf-8"))["files"]
    with ExitStack() as stack, as_file(sample / "script.toml") as script:
        model = Model(playbook=read_playbook(script))
        vendors = [
            stack.enter_context(serving(ServerSettings(log=tmp_path / name, model=model)))
            for name in ("anthropic.jsonl", "openai.jsonl")
        ]
        yield Scene(tmp_path, make_repository(tmp_path / "wordtally", project), *vendors)


def test_a_used_up_quota_moves_the_work_until_the_reset(scene: Scene) -> None:
    """I6: one answer is enough; nobody asks again before the reset; all of it is billed once."""
    used_up = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(int(time.time()) + HOUR),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    scene.anthropic.control(plan=[{"error": 429, "headers": used_up, "times": 99}])
    assert scene.says("start", TITLE, "--flow", "L1").code == 0
    moved = scene.says("run", "1")
    assert "moves from claude to codex: claude is out until" in moved.err, moved.err
    scene.says("reject", "1", "Say it in fewer words.")
    scene.says("run", "1")
    assert scene.rows() == [
        ("claude", "plan", "quota"), ("codex", "plan", ""), ("codex", "plan", ""),
    ], "nobody is asked before the reset"  # fmt: skip
    scene.anthropic.control(plan=[])
    scene.says("approve", "1")
    ended = scene.says("run", "1", "--yes", ahead=2 * HOUR)
    assert ended.code == 0, ended.err
    assert scene.rows()[3:] == [("claude", "implement", ""), ("claude", "done", "")]
    assert scene.booked("claude") == rebill(scene.folder / "anthropic.jsonl").usage
    assert scene.booked("codex") == rebill(scene.folder / "openai.jsonl").usage
