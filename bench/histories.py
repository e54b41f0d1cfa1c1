"""The history reader, finding identity and the governor on a folder of real review histories.

    python -m bench.histories FOLDER [--parts train,hold-out] [--out FOLDER]

Prints how many lines with a severity are read, how well findings are told apart on the pairs
labelled by hand (`tests/review/pairs.json` holds places and labels, no sentences), and how the
governor would have ended the recorded loops. The folder is laid out as
`features/<id-slug>/.review-history.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.history_reader import SEVERITIES, read_history
from bench.literal import read
from sparing.finding import Severity, Verdict
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.governor import DEFAULT_CAP, ReviewState, SeenVerdict, SinceLastLook, govern
from sparing.review.history import HistoryEntry
from sparing.review.identity import match
from sparing.review.loop import Loop, LoopDecision

Json = dict[str, Any]
OUT = Path(__file__).parent / "out"
PAIRS = Path(__file__).parent.parent / "tests" / "review" / "pairs.json"
NEAR = "near"
"""Pairs about the same place and another matter: what words alone hardly tell apart."""
PARTS = ("train", "hold-out", "further", NEAR)
"""`train` and `hold-out` are the hundred; `further` were labelled with them and tuned on."""
HUNDRED = PARTS[:2]
EVERY = 3
"""One feature in so many is held out as a whole: no miss of its pairs was looked at when the rules
were revised. (The numbers needed were chosen before, on the pairs of `train` and `further`.)"""


class Pair(NamedTuple):
    part: str
    feature: str
    line: int
    later_line: int
    digest: str
    later_digest: str
    label: str


def load(folder: Path) -> dict[str, str]:
    """The histories by feature."""
    paths = sorted((folder / "features").glob("*/.review-history.md"))
    return {path.parent.name: read(path) or "" for path in paths}


def severity_lines(text: str) -> Iterator[int]:
    """Lines that begin like a finding, counted without the reader."""
    for number, line in enumerate(text.split("\n"), start=1):
        start = line.strip().lower()[:24]
        if any(start.startswith((f"- [{word}", f"* [{word}")) for word in SEVERITIES):
            yield number


def reading(histories: dict[str, str]) -> Json:
    total = taken = findings = 0
    for text in histories.values():
        history = read_history(text)
        wanted = set(severity_lines(text))
        total += len(wanted)
        taken += len(wanted & history.lines)
        findings += sum(len(entry.findings) for entry in history.entries)
    share = round(taken / total, 4) if total else None
    return {"severity_lines": total, "read": taken, "share": share, "findings": findings}


def identity(histories: dict[str, str], parts: Sequence[str]) -> Json:
    """Per part, each pair decided among all findings of its two entries."""
    rows = [Pair(*row) for row in json.loads(PAIRS.read_text("utf-8"))["pairs"]]
    entries = {name: _by_line(text) for name, text in histories.items()}
    table: Json = {}
    together: Counter[tuple[str, bool]] = Counter()
    for part in parts:
        chosen = [row for row in rows if row.part == part]
        usable = [row for row in chosen if _is_there(row, histories)]
        counts = Counter((row.label, _is_linked(row, entries[row.feature])) for row in usable)
        together += counts if part != NEAR else Counter()
        table[part] = {"pairs": len(chosen), "usable": len(usable), **_figures(counts)}
    hundred = [row for row in rows if row.part in HUNDRED and _is_there(row, histories)]
    table |= {
        "hundred": _decided(hundred, entries),
        "hundred, features looked at": _decided(_held(hundred, out=False), entries),
        "hundred, features held out": _decided(_held(hundred, out=True), entries),
    }
    return {**table, "all but near": {"usable": together.total(), **_figures(together)}}


def _decided(rows: Sequence[Pair], entries: dict[str, dict[int, HistoryEntry]]) -> Json:
    counts = Counter((row.label, _is_linked(row, entries[row.feature])) for row in rows)
    return {"usable": len(rows), **_figures(counts)}


def _held(rows: Sequence[Pair], *, out: bool) -> list[Pair]:
    def digest(feature: str) -> int:
        return int(hashlib.sha256(feature.encode()).hexdigest(), 16)

    return [row for row in rows if (digest(row.feature) % EVERY == 0) == out]


def _figures(counts: Counter[tuple[str, bool]]) -> Json:
    labels = ("same", "split", "merged")
    positive = sum(counts[label, found] for label in labels for found in (True, False))
    right = sum(counts[label, True] for label in labels)
    wrong, apart = counts["different", True], counts["different", False]
    found = {label: f"{counts[label, True]} of {_of(counts, label)}" for label in labels}
    return {
        "recall": round(right / positive, 3) if positive else None,
        "precision": round(right / (right + wrong), 3) if right else None,
        "told_apart": f"{apart} of {wrong + apart}",
        "found": found,
    }


def _of(counts: Counter[tuple[str, bool]], label: str) -> int:
    return counts[label, True] + counts[label, False]


def _by_line(text: str) -> dict[int, HistoryEntry]:
    return {one.line: entry for entry in read_history(text).entries for one in entry.findings}


def _is_there(pair: Pair, histories: dict[str, str]) -> bool:
    """Whether the lines are still those that were labelled."""
    lines = histories.get(pair.feature, "").split("\n")
    wanted = ((pair.line, pair.digest), (pair.later_line, pair.later_digest))
    return all(
        number <= len(lines)
        and hashlib.sha256(lines[number - 1].strip().encode()).hexdigest()[:10] == digest
        for number, digest in wanted
    )


def _is_linked(pair: Pair, entries: dict[int, HistoryEntry]) -> bool:
    earlier, later = entries[pair.line].findings, entries[pair.later_line].findings
    links = match([one.finding for one in earlier], [one.finding for one in later])
    return any(
        earlier[link.earlier].line == pair.line and later[link.later].line == pair.later_line
        for link in links
    )


def loops(text: str) -> list[list[HistoryEntry]]:
    """Entries of one reviewer with rising iterations."""
    entries = list(read_history(text).entries)
    steps = [b.iteration - a.iteration for a, b in zip(entries, entries[1:], strict=False)]
    if sum(step < 0 for step in steps) > sum(step > 0 for step in steps):
        entries.reverse()
    found: dict[str, list[list[HistoryEntry]]] = {}
    for entry in entries:
        runs = found.setdefault(entry.stage.lower(), [])
        if not runs or runs[-1][-1].iteration >= entry.iteration:
            runs.append([])
        runs[-1].append(entry)
    return [run for runs in found.values() for run in runs]


class Ending(NamedTuple):
    decision: str
    recorded: int
    used: int
    dropped: int
    """Open blockers in what was accepted: must be none."""
    later: int
    """Blockers that the recorded loop raised after the governor had ended it."""


def replay(run: Sequence[HistoryEntry]) -> Ending:
    """The recorded verdicts, an author who says that all is changed, and no quotes."""
    state = ReviewState(Loop((("reviewer",),), DEFAULT_CAP))
    for number, entry in enumerate(run, start=1):
        found = tuple(one.finding for one in entry.findings)
        heavy = any(finding.severity is not Severity.SUGGESTION for finding in found)
        seen = [SeenVerdict(Verdict("reviewer", approved=not heavy, findings=found))]
        answers = [
            AuthorAnswer(one.id, AnswerKind.CHANGED, "") for one in state.tracked if one.open
        ]
        ruled = govern(state, seen, SinceLastLook(answers))
        state = ruled.state
        if ruled.decision is not LoopDecision.REVISE:
            accepted = ruled.decision is LoopDecision.ACCEPT
            dropped = sum(_blocks(one.finding.severity) for one in ruled.open) if accepted else 0
            later = sum(
                _blocks(one.finding.severity) for rest in run[number:] for one in rest.findings
            )
            words = "accepted" if accepted else "to a human"
            return Ending(words, len(run), number, dropped, later if accepted else 0)
    return Ending("still open", len(run), len(run), 0, 0)


def _blocks(severity: Severity) -> bool:
    return severity is Severity.BLOCKER


def governor(histories: dict[str, str]) -> Json:
    rows: Json = {}
    total: Counter[str] = Counter()
    for name, text in histories.items():
        endings = [replay(run) for run in loops(text)]
        saved = sum(ending.recorded - ending.used for ending in endings)
        counts = Counter(ending.decision for ending in endings)
        figures = {
            "loops": len(endings),
            "iterations": sum(ending.recorded for ending in endings),
            "saved": saved,
            "blockers_dropped": sum(ending.dropped for ending in endings),
            "blockers_raised_after_an_accept": sum(ending.later for ending in endings),
            **{key: counts[key] for key in ("accepted", "to a human", "still open")},
        }
        total.update(figures)
        rows[name] = figures
    return {"features": rows, "total": dict(total)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.histories")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    histories = load(options.folder)
    summary = {
        "histories": len(histories),
        "reading": reading(histories),
        "identity": identity(histories, options.parts.split(",")),
        "governor": governor(histories),
    }
    options.out.mkdir(exist_ok=True)
    shown = json.dumps(summary, indent=1, ensure_ascii=False)
    (options.out / "histories.json").write_text(shown, "utf-8")
    print(shown)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
