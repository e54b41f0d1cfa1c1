"""Reading replies and histories in linear time, whatever stands in them.

    python -m bench.replies [--out FOLDER]

Every shape is read at 100 KB and at 1 MB (a verdict is refused at 400 KB before it is read; that
limit is lifted here). Ten times the text should take about ten times as long; a reader that goes
back over what it has read takes a hundred times. Measured: processor time, the best of three.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.history_reader import read_history
from sparing.review.answers import read_answers
from sparing.review.prose import retraction
from sparing.review.reply import find_answer
from sparing.review.verdict import KEYS

Json = dict[str, Any]
OUT = Path(__file__).parent / "out"
LARGE = 1_000_000
ROUNDS = 3
LINEAR = 20.0
"""A ratio below this is no more than noise around ten."""
GOOD = '{"approved": true, "findings": []}'
REPLIES = {
    "open braces": "{",
    "open lists": "[{",
    "open objects": '{"a": ',
    "empty objects": "{}",
    "quotation marks": '"',
    "escaped quotation marks": '{"a": "\\"',
    "backslashes": '{"a": "' + "\\" * 97,
    "strings that end in backslashes": '{"a":"\\\\\\\\"}',
    "verdicts": GOOD,
    "verdicts with blanks between": GOOD + " " * 100,
    "verdicts cut off": '{"approved": true, ',
    "objects of other things": '{"a": 1, "b": [2, 3]} ',
    "objects with escapes": '{"\\u0061": 1} ',
    "fences": "```json\n{}\n```\n",
    "prose": "I looked at section 2 and found nothing to say. ",
    "code": "def f(x): return {x: [x]}\n",
}
HISTORIES = {
    "entries": "## Design Review - Iteration 1 - 2031-02-03\n- [blocker] [x] No owner (at: C2)\n",
    "findings": "- [warning] [consistency] C4 names the store twice (at: C4)\n",
    "one line of iterations": "iteration 1 - ",
    "one line of headings": "## a — iteration ",
    "one line of findings": "- [blocker] ",
    "blanks": " ",
    "empty lines": "\n",
    "fences": "```\n",
    "backslashes": "\\",
}
AROUND = {
    "neutral words": "I looked at section 2 and found nothing to say. ",
    "refusals": "I do not approve. ",
    "one sentence": "not approved and ",
    "empty lines": "\n",
    "blanks after fences": "```" + " " * 97,
    "fences": "```json\n",
    "tags": "<answer>",
    "open tags": "<a",
    "apostrophes": "don’t ",
    "list marks": "\n - ",
}
"""What stands before and behind an approving object."""
ANSWERS = {
    "answers": "- F1: changed, the count is set first\n",
    "dashes": "- " * 40 + "\n",
    "one line": "F1: changed ",
}


def _asked(text: str) -> object:
    return read_answers(text, ["F1", "F2"])


def _found(text: str) -> object:
    return find_answer(text, KEYS, limit=2 * LARGE)


def _around(text: str) -> object:
    return retraction(text, text)


READERS: dict[str, tuple[Callable[[str], object], dict[str, str]]] = {
    "reply": (_found, REPLIES),
    "history": (read_history, HISTORIES),
    "answers": (_asked, ANSWERS),
    "words around": (_around, AROUND),
}


def seconds(read: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        read(text)
        best = min(best, time.process_time() - begun)
    return best


def ratio(read: Callable[[str], object], block: str, large: int = LARGE) -> Json:
    """Of equal texts of two sizes; what takes no time at all has no ratio."""
    small, big = (block * (size // len(block)) for size in (large // 10, large))
    short, long = seconds(read, small), seconds(read, big)
    found = round(long / short, 1) if short > 0.0005 else None
    return {"small_seconds": round(short, 4), "large_seconds": round(long, 4), "ratio": found}


def measure(large: int = LARGE) -> Json:
    rows = {
        f"{name}: {shape}": ratio(read, block, large)
        for name, (read, shapes) in READERS.items()
        for shape, block in shapes.items()
    }
    known = [row["ratio"] for row in rows.values() if row["ratio"] is not None]
    return {"origin": "measured", "rows": rows, "worst_ratio": max(known, default=None)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.replies")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--large", type=int, default=LARGE)
    options = parser.parse_args(arguments)
    found = measure(options.large)
    options.out.mkdir(exist_ok=True)
    shown = json.dumps(found, indent=1)
    (options.out / "replies.json").write_text(shown, "utf-8")
    print(shown)
    return 0 if (found["worst_ratio"] or 0) < LINEAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
