"""State folders that an earlier version left, kept as text: both databases as SQL, the texts, what
lay uncommitted in the worktree, and the repository with the same commit ids.

They were made by commit f447442, the last one before engine revisions. `python -m
tests.engine.old_state NAME REPOSITORY STATE SCRIPT` stores another one.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from tests.repositories import git
from tests.terminal import Said, sparing

STORED = Path(__file__).parent / "old_states"
SCHEMAS = STORED / "schemas.json"
"""Equal for all of them."""
SAMPLE = Path(str(files("sparing.cli"))) / "sample" / "script.toml"
"""Whose script stands for those of the demo."""
DATABASES = ("sparing.db", "engine.db")
NOT_KEPT = (".db", ".db-wal", ".db-shm", ".lock", "secret")


class OldState(NamedTuple):
    folder: Path

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    @property
    def state(self) -> Path:
        return self.folder / "state" / key_of(self.repository)

    def sparing(self, *words: str, **environ: str) -> Said:
        own = {
            "SPARING_STATE__FOLDER": str(self.folder / "state"),
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(self.folder / "script.toml"),
            "SPARING_ENGINE__CLOCK": "counted",
        }
        return sparing(self.repository, *words, environ={**own, **environ})

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.state / "sparing.db")) as connection:
            return connection.execute(question).fetchall()


def key_of(repository: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(repository / ".git"))).hexdigest()[:12]


def load(name: str, folder: Path) -> OldState:
    """As it was left, in this folder: paths, the repository's key and hashes follow."""
    old = OldState(folder)
    kept = json.loads((STORED / f"{name}.json").read_text())
    _restore_repository(old.repository, kept["repository"])
    words = {
        "{REPOSITORY}": str(old.repository),
        "{STATE}": str(old.state),
        "{SCRIPT}": str(folder / "script.toml"),
        "{KEY}": key_of(old.repository),
    }
    texts: dict[str, str] = kept["files"]
    words |= _moved_blobs(texts, words)
    (folder / "script.toml").write_text(kept["script"] or SAMPLE.read_text())
    for branch, place in kept["worktrees"].items():
        git(old.repository, "worktree", "add", "--quiet", str(old.state / place), branch)
    for path, text in texts.items():
        target = old.state / _filled(path, words)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        target.write_text(_filled(text, words))
    schemas = json.loads(SCHEMAS.read_text())
    for database in DATABASES:
        with closing(sqlite3.connect(old.state / database)) as connection:
            rows = _filled("\n".join(kept[database]), words)
            connection.executescript("\n".join(schemas[database]))
            connection.executescript(f"begin;\n{rows}\ncommit;")
    return old


def _restore_repository(path: Path, stream: str) -> None:
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main", "--template=")
    git(path, "fast-import", "--quiet", stdin=stream.encode())
    git(path, "reset", "--quiet", "--hard", "main")


def _moved_blobs(texts: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    """A text that names a path has another hash here."""
    found: dict[str, str] = {}
    for path, text in texts.items():
        digest = path.rpartition("/")[2]
        if path.startswith("blobs/") and (filled := _filled(text, words)) != text:
            new = hashlib.sha256(filled.encode()).hexdigest()
            found |= {digest: new, f"blobs/{digest[:2]}/": f"blobs/{new[:2]}/"}
    return found


def _filled(text: str, words: Mapping[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def store(name: str, repository: Path, state: Path, script: Path) -> None:
    worktrees, texts = dict[str, str](), dict[str, str]()
    for entry in git(repository, "worktree", "list", "--porcelain").split("\n\n")[1:]:
        fields = dict(line.split(" ", 1) for line in entry.splitlines() if " " in line)
        if "branch" in fields:
            branch = fields["branch"].removeprefix("refs/heads/")
            place = Path(fields["worktree"]).relative_to(state)
            worktrees[branch] = str(place)
            texts |= _uncommitted(repository, branch, state, place)
    for path in sorted(state.rglob("*")):
        place = str(path.relative_to(state))
        if path.is_file() and not place.endswith(NOT_KEPT) and not place.startswith("worktrees/"):
            texts[place] = path.read_text()
    kept: dict[str, Any] = {
        "repository": git(repository, "fast-export", "--all") + "\n",
        "script": "" if script.read_text() == SAMPLE.read_text() else script.read_text(),
        "worktrees": worktrees,
        "files": texts,
        **{database: _dump(state / database, "INSERT") for database in DATABASES},
    }
    made = {database: _dump(state / database, "CREATE", "pragma") for database in DATABASES}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    words = {str(state): "{STATE}", str(script): "{SCRIPT}", str(repository): "{REPOSITORY}"}
    STORED.mkdir(exist_ok=True)
    SCHEMAS.write_text(json.dumps(made, indent=1) + "\n")
    (STORED / f"{name}.json").write_text(
        _filled(text, {**words, key_of(repository): "{KEY}"}) + "\n"
    )


def _uncommitted(repository: Path, branch: str, state: Path, place: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in (state / place).rglob("*"):
        inner = path.relative_to(state / place)
        if path.is_file() and inner.parts[0] != ".git":
            text = path.read_text()
            if git(repository, "show", f"{branch}:{inner}", ok=False) != text.strip():
                found[str(place / inner)] = text
    return found


def _dump(database: Path, *kinds: str) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        (version,) = connection.execute("pragma user_version").fetchone()
        every = [*connection.iterdump(), f"pragma user_version = {version};"]
        return [one for one in every if one.startswith(kinds) and "sqlite_sequence" not in one]


if __name__ == "__main__":
    store(sys.argv[1], *map(Path, sys.argv[2:]))
