"""A retrospective of the latest feature of a real repository, in real git, by the engine's code.

The features and the bank are committed as they are. One more feature ends after them, with the
history and the log of the last one that has a history. Its facilitator is scripted: of the entries
it is asked about it confirms the first, contradicts the second, and retires, keeps and rewrites
the first stale ones.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from sparing.briefing.lessons import bank_at, made_features
from sparing.briefing.retro import RetroMaterial, asked, record
from sparing.config.sources import Sources
from sparing.feature import Feature, FeatureStatus, slugify
from sparing.finish.lessons import read_reply, write_lessons
from sparing.flow.advance import begin
from sparing.job import Job, JobKind, Ticket
from sparing.knowledge.page import BankEntry
from sparing.knowledge.retro import Bank, Retro
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.records.folder import open_folder
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.segment import estimate_tokens
from sparing.turn import Turn
from sparing.workspace.project.new_repository import create_repository

Json = dict[str, Any]
NUMBER, AT = 900, 1_800_000_000.0
BANK = "docs/knowledge-bank"


def retrospective(folder: Path) -> Json:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as scratch:
        source = _source(folder, Path(scratch))
        before = asked(source)
        said = _judged(before)
        ticket = Ticket(f"{source.row.feature.key}.g1.1.1.0-retro", source.row.feature.key, AT)
        done = write_lessons(source, ticket, said, "")
        after = bank_at(source.around.repository, done.commit, BANK)
        counts = Counter(change.judgement for change in done.changes)
        return {
            "features_counted": len(made_features(source)),
            "entries": sum(len(page.entries) for page in before.marked.bank.values()),
            "flagged_stale": counts["stale"],
            "asked_about": len(before.entries),
            "tokens_of_the_record": sum(estimate_tokens(one.text) for one in record(source)),
            "judged": {name: count for name, count in counts.items() if name != "stale"},
            "named_as_broken": len(before.faults),
            "as_judged": _as_judged(before, after, said),
            "others_same_bytes": _others(before, after, said),
        }


def _source(folder: Path, scratch: Path) -> Source:
    """A feature that ends after all of those."""
    files = {f"docs/features/{name}": text for name, text in _texts(folder / "features").items()}
    files |= {f"{BANK}/{name}": text for name, text in _texts(folder / "knowledge-bank").items()}
    repository = create_repository(scratch / "repository", files, "as it was", AT - 1)
    base = _git(repository.checkout, "rev-parse", "HEAD")
    like = _last_with_history(folder / "features")
    state = open_folder(scratch / "state", "bench")
    around = Surroundings(
        state, state.database(), repository, Sources(environ={"HOME": str(scratch)}),
        headless=True, environ={},
    )  # fmt: skip
    title = like.name.partition("-")[2].replace("-", " ")
    feature = Feature(
        "bench", NUMBER, slugify(title), title, "feature", str(repository.checkout), "main", base,
        AT,
    )  # fmt: skip
    own = repository.checkout / "docs" / "features" / feature.name
    shutil.copytree(like, own)
    _git(repository.checkout, "add", "--all")
    _git(repository.checkout, "commit", "--quiet", "-m", "one more")
    head = _git(repository.checkout, "rev-parse", "HEAD")
    place = {"state": begin("feature").dump(), "head": head}
    row = FeatureRow(feature, FeatureStatus.ACTIVE, {}, 0, 0, place, head, running=True, updated=AT)
    with around.database.write() as tx:
        features.create(tx, row)
    return Source(around, row, Job(JobKind.DISPATCH, "finish", head, "r", "r", Turn.RETRO), None)


def _last_with_history(folder: Path) -> Path:
    made = [path for path in folder.iterdir() if (path / ".review-history.md").is_file()]
    return max(made, key=lambda path: json.loads((path / ".meta.json").read_text())["created"])


def _git(checkout: Path, *args: str) -> str:
    name = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    command = ("git", "-C", str(checkout), *name, *args)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _texts(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in found}


def _judged(before: RetroMaterial) -> Retro:
    fresh = [entry for entry in before.entries if not entry.is_stale]
    stale = [entry for entry in before.entries if entry.is_stale]
    words = ("retire", "keep", "update")
    judged: list[tuple[BankEntry, str]] = [
        *zip(fresh, ("confirmed", "contradicted"), strict=False),
        *zip(stale, words, strict=False),
    ]
    said = [
        {"name": entry.title, "judgement": word, "words": "So it was in this feature."}
        for entry, word in judged
    ]
    found = read_reply(json.dumps({"retro_md": "# Retro\n", "entries": [], "judgements": said}))
    assert isinstance(found, Retro)
    return found


def _as_judged(before: RetroMaterial, after: Bank, said: Retro) -> bool:
    """Every judgement is in the bank, and says so in the entry it is about."""
    known = {(entry.kind, entry.key): entry for page in after.values() for entry in page.entries}
    old = {entry.title: entry for entry in before.entries}
    pairs = [(one.judgement.value, old[one.name]) for one in said.judged]
    return all(_fits(word, entry, known.get((entry.kind, entry.key))) for word, entry in pairs)


def _fits(judgement: str, old: BankEntry, new: BankEntry | None) -> bool:
    number = f"Feature #{NUMBER}"
    if judgement == "retire" or new is None:
        return judgement == "retire" and new is None
    seen, doubted = new.value("last observed") == number, new.value("challenged")
    return {
        "confirmed": seen and new.count == old.count + 1,
        "contradicted": doubted.startswith(number) and new.count == old.count,
        "keep": not new.is_stale and new.value("kept") == number and new.count == old.count,
        "update": not new.is_stale and seen and new.count == 1,
    }[judgement]


def _others(before: RetroMaterial, after: Bank, said: Retro) -> bool:
    """Entries nobody judged have the text they had once the stale ones were marked."""
    touched = {one.name for one in said.judged}
    kept = [e for page in before.marked.bank.values() for e in page.entries]
    now = [e for page in after.values() for e in page.entries]
    return [(e.title, e.text) for e in kept if e.title not in touched] == [
        (e.title, e.text) for e in now if e.title not in touched
    ]
