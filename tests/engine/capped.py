"""One feature of the smallest tier, for tests of what it may spend."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sparing.database import Database
from sparing.records import ledger
from sparing.records.ledger import LedgerRow
from sparing.usage import Usage
from tests.conftest import UserRepository
from tests.engine.small import SCRIPT
from tests.terminal import Said, sparing


class Work:
    """One feature of the smallest tier; every word to it is a process of its own."""

    def __init__(self, path: Path, script: Path) -> None:
        self.path = path
        self._environ = {
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(script),
        }

    def say(self, *words: str, **environ: str) -> Said:
        return sparing(self.path, *words, environ={**self._environ, **environ})

    def run(self, **environ: str) -> Said:
        return self.say("run", "--yes", "--json", **environ)

    def view(self) -> dict[str, Any]:
        return self.say("show", "1", "--json").json

    @property
    def rows(self) -> list[LedgerRow]:
        (database,) = Path.home().glob(".local/state/sparing/*/sparing.db")
        with Database(database).read() as connection:
            (key,) = connection.execute("select key from features").fetchone()
            return ledger.of_feature(connection, key)

    @property
    def bill(self) -> dict[tuple[str, int], Usage]:
        """What the provider wrote into its own book, by dispatch and attempt."""
        (book,) = Path.home().glob(".local/state/sparing/*/scripted/bill.jsonl")
        found: dict[tuple[str, int], Usage] = {}
        for line in book.read_text().splitlines():
            noted = json.loads(line)
            dispatch, number, _ = noted.pop("call").rsplit(".", 2)
            key = dispatch, int(number)
            found[key] = found.get(key, Usage()) + Usage(**noted)
        return found


def capped_work(tmp_path: Path, user_repository: UserRepository) -> Work:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    found = Work(user_repository(), script)
    started = found.say("start", "Make a file", "--flow", "L1", "--json")
    forecast = started.json["forecast"]
    assert 0 < forecast["low_usd"] < forecast["high_usd"]
    assert forecast["origin"] == "estimated"
    return found
