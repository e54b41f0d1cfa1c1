"""A real knowledge bank: read and written back, given to prompts, judged by a retrospective.

    python -m bench.knowledge FOLDER

The folder is laid out as `knowledge-bank/*.md` and `features/<id-slug>/`. Who judges is a few
lines in `bench.knowledge_retro`, not a model: what is measured is the program's part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench.knowledge_retro import retrospective
from sparing.config.flow import FlowSettings
from sparing.knowledge import changes
from sparing.knowledge.faults import faults
from sparing.knowledge.page import FILES, EntryKind, Page, read_page
from sparing.knowledge.selection import Audience, give
from sparing.segment import estimate_tokens

Json = dict[str, Any]
OUT = Path(__file__).parent / "out"


def load(folder: Path) -> dict[EntryKind, Page]:
    return {
        kind: read_page(kind, (folder / "knowledge-bank" / name).read_bytes().decode())
        for name, kind in FILES.items()
    }


def round_trips(folder: Path, bank: dict[EntryKind, Page]) -> Json:
    """Unread, and with one entry confirmed at a time: how many leave all others to the byte."""
    found: Json = {}
    for name, kind in FILES.items():
        page = bank[kind]
        same = page.text.encode() == (folder / "knowledge-bank" / name).read_bytes()
        alone = sum(_alone(page, number) for number in range(len(page.entries)))
        found[name] = {
            "entries": len(page.entries),
            "same_bytes": same,
            "others_same_bytes": alone,
            "named_as_broken": len(faults(page)),
        }
    return found


def _alone(page: Page, number: int) -> bool:
    """Whether a confirmation of one entry leaves every other line as it was."""
    entry = page.entries[number]
    after = changes.confirmed(page, entry, "999")
    grown = len(after.lines) - len(page.lines)
    before_it = after.lines[: entry.first] == page.lines[: entry.first]
    behind_it = after.lines[entry.end + grown :] == page.lines[entry.end :]
    return before_it and behind_it and len(after.entries) == len(page.entries)


def giving(folder: Path, bank: dict[EntryKind, Page]) -> Json:
    """What each feature's prompts would be given, by its title alone."""
    limit = FlowSettings().knowledge_tokens
    slugs = [path.name.partition("-")[2] for path in sorted((folder / "features").iterdir())]
    found: Json = {"limit_tokens": limit, "features": len(slugs)}
    for audience in Audience:
        given = [give(bank, slug.replace("-", " "), audience, limit) for slug in slugs]
        sizes = [estimate_tokens(one.text) for one in given]
        found[audience.value] = {
            "median_entries": median(len(one.entries) for one in given),
            "median_tokens": median(sizes),
            "most_tokens": max(sizes),
            "different_choices": len({one.text for one in given}),
        }
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.knowledge")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    bank = load(options.folder)
    trips = round_trips(options.folder, bank)
    told = retrospective(options.folder)
    summary = {"round_trips": trips, "given": giving(options.folder, bank), "retrospective": told}
    options.out.mkdir(exist_ok=True)
    shown = json.dumps(summary, indent=1, ensure_ascii=False)
    (options.out / "knowledge.json").write_text(shown, "utf-8")
    print(shown)
    whole = all(one["same_bytes"] for one in trips.values())
    alone = all(one["others_same_bytes"] == one["entries"] for one in trips.values())
    return int(not (whole and alone and told["as_judged"] and told["others_same_bytes"]))


if __name__ == "__main__":
    raise SystemExit(main())
