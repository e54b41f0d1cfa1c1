"""The history reader, finding identity and the governor on a folder of real review histories.

    python -m bench.histories FOLDER [--parts train,hold-out] [--out FOLDER]

Prints how many lines with a severity are read, how well findings are told apart on the pairs
labelled by hand (`bench/finding_pairs.py`), and how the
governor would have ended the recorded loops. The folder is laid out as
`features/<id-slug>/.review-history.md`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.finding_pairs import PARTS, halves, identity
from bench.history_reader import SEVERITIES, read_history
from bench.literal import read
from sparing.finding import Severity, Verdict
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.governor import DEFAULT_CAP, ReviewState, SeenVerdict, SinceLastLook, govern
from sparing.review.history import HistoryEntry
from sparing.review.loop import Loop, LoopDecision

Json = dict[str, Any]
OUT = Path(__file__).parent / "out"


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
        "identity by halves": halves(histories),
        "governor": governor(histories),
    }
    options.out.mkdir(exist_ok=True)
    shown = json.dumps(summary, indent=1, ensure_ascii=False)
    (options.out / "histories.json").write_text(shown, "utf-8")
    print(shown)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
