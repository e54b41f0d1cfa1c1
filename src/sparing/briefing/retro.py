"""The input of a retrospective.

The record of the feature as its commits and our rows have it: state, reviews, log, figures, git
summary, and those entries of the bank that it may have met. Long texts are cut; the facilitator
can open the files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sparing.artifact import META
from sparing.briefing.lessons import GIVEN, bank_at, made_features
from sparing.change import FileChange
from sparing.commits.review_history import NAME as HISTORY
from sparing.context.prompt.brief import Material
from sparing.context.prompt.shorten import compact
from sparing.knowledge.faults import faults
from sparing.knowledge.page import FILES, BankEntry
from sparing.knowledge.relevance import to_judge
from sparing.knowledge.retro import JUDGED_KINDS, Bank, Learned, with_marks
from sparing.money import dollars
from sparing.records import events, findings, totals
from sparing.records.totals import Tally
from sparing.review.tracking import Tracked
from sparing.runtime.source import Source
from sparing.turn import Turn

LOG = "implementation-log.md"
LONGEST = 60_000
MOST_COMMITS = 200
MOST_FILES = 200


class RetroMaterial(NamedTuple):
    """What a retrospective has to judge."""

    marked: Learned
    """The bank, with what has become stale marked."""
    entries: tuple[BankEntry, ...]
    faults: tuple[str, ...]
    """What of the bank could not be read, by file and line."""


def record(source: Source) -> tuple[Material, ...]:
    """The material for a retrospective; empty for any other turn."""
    if source.job.turn is not Turn.RETRO:
        return ()
    told = [
        Material("state", _state(source)),
        Material("figures", f"{figures(source)}- cost: {cost_of(source)}\n"),
        Material("review history", _file(source, HISTORY)),
        Material("implementation log", _file(source, LOG)),
        Material("commits and changed files", _summary(source)),
    ]
    entries = asked(source).entries
    bank = "\n".join(f"### {one.title}\nKind: {one.kind}\n{one.text}" for one in entries)
    clean = bank.encode("utf-8", "replace").decode()
    return (*told, Material("entries to judge", clean or "There are none.\n"))


def _state(source: Source) -> str:
    """The projection on one line, since its indentation only costs tokens."""
    text = source.text(f"{source.folder}/{META}")
    if not text:
        return "There is none.\n"
    try:
        return f"{compact(json.loads(text))}\n"
    except (ValueError, RecursionError):
        return text


def asked(source: Source) -> RetroMaterial:
    """Entries to judge: all of a small bank, of a large one those that overlap with the feature."""
    folder = source.around.settings(source.row).flow.knowledge_folder
    bank = bank_at(source.around.repository, source.job.head, folder)
    marked = with_marks(bank, made_features(source))
    judged = [entry for kind in JUDGED_KINDS for entry in marked.bank[kind].entries]
    return RetroMaterial(marked, to_judge(judged, _about(source)), _broken(bank))


def figures(source: Source) -> str:
    """Rounds, findings and lessons given, already counted. The same for equal work, so without
    cost: a turn repeated after a crash costs twice."""
    feature = source.row.feature.key
    with source.around.database.read() as connection:
        rows = findings.findings_of(connection, feature)
        told = events.since(connection, 0, feature)
    stages = dict.fromkeys(row.stage for row in rows)
    found = [_found(stage, [row for row in rows if row.stage == stage]) for stage in stages]
    return "\n".join((*(found or ["- no findings"]), *_given(told))) + "\n"


def cost_of(source: Source) -> str:
    with source.around.database.read() as connection:
        return cost_words(totals.get(connection, "feature", source.row.feature.key))


def cost_words(spent: Tally) -> str:
    """With the word for how it is known; unknown is never zero."""
    turns = f"{spent.turns} {'turn' if spent.turns == 1 else 'turns'}"
    kinds = [name for name in ("measured", "simulated", "estimated") if getattr(spent, name)]
    if not kinds:
        return "nothing was spent" if not spent.turns else f"unknown, {turns}"
    if spent.unpriced:
        return f"{spent.usage.total:,} tokens ({' and '.join(kinds)}), {turns}; a price is unknown"
    more = "at least " if spent.unknown else ""
    paid = ", at API prices" if spent.subscription else ""
    return f"{more}{dollars(spent.nano_usd)} ({' and '.join(kinds)}{paid}), {turns}"


def _found(stage: str, rows: Sequence[findings.FindingRow]) -> str:
    rounds = max(row.last for row in rows)
    tracked = [Tracked.load(json.loads(row.body)) for row in rows]
    counts = Counter((one.finding.severity.value, one.status.value) for one in tracked)
    told = ", ".join(
        f"{n} {severity}{'' if n == 1 else 's'} {status}"
        for (severity, status), n in counts.items()
    )
    return f"- {stage}: last finding in round {rounds}; {told}"


def _given(told: Sequence[events.Event]) -> list[str]:
    """Which lessons were given, and to whom."""
    readers: dict[str, dict[str, None]] = {}
    for one in told:
        if one.kind == GIVEN:
            for title in one.data["entries"]:
                readers.setdefault(title, {})[f"{one.role} ({one.stage})"] = None
    return [f"- given from the bank: {title}, to {', '.join(to)}" for title, to in readers.items()]


def _file(source: Source, name: str) -> str:
    text = source.text(f"{source.folder}/{name}")
    if text is None or not text.strip():
        return f"There is no {name}.\n"
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[{len(text) - LONGEST} more characters are in the file]\n"


def _summary(source: Source) -> str:
    base = source.row.feature.base_commit
    git = source.around.repository.git()
    span = f"{base}..{source.job.head}"
    flags = ("--reverse", "--no-decorate", f"--max-count={MOST_COMMITS}")
    subjects = git.text("log", "--format=%s", *flags, span)
    return f"{subjects}\n\n{stat(source.changed(base))}"


def _about(source: Source) -> str:
    """What the feature touched and heard: files, log, findings."""
    base = source.row.feature.base_commit
    files = [change.path for change in source.changed(base)]
    texts = [source.text(f"{source.folder}/{name}") or "" for name in (HISTORY, LOG)]
    return "\n".join((source.row.feature.title, *files, *texts))


def _broken(bank: Bank) -> tuple[str, ...]:
    names = {kind: name for name, kind in FILES.items()}
    return tuple(f"{names[kind]}, {one}" for kind, page in bank.items() for one in faults(page))


def stat(changed: Sequence[FileChange]) -> str:
    rows = [f"- {one.path} (+{one.added} -{one.removed})" for one in changed[:MOST_FILES]]
    more = len(changed) - len(rows)
    rows += [f"- and {more} more"] if more > 0 else []
    added, removed = sum(one.added for one in changed), sum(one.removed for one in changed)
    files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
    rows.append(f"- all: {files}, +{added} -{removed}")
    return "\n".join(rows) + "\n"
