"""How many files of ours take part in one resumed review: what a reader of it has to follow.

`python -m bench.review_files`: the demo runs here. From the moment at which a reviewer of the
second iteration is dispatched, every file is noted in which a function is called on its behalf, in
whatever task or thread, until the next decision. What runs beside it (the terminal, the mailbox)
does not count, nor does importing. `--list` names the files.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any

from sparing.cli.main import main as sparing
from sparing.job import Job
from sparing.turn import TURNS
from sparing.turn_kind import ReplyForm

AIM = 80
PACKAGE = Path(__file__).parents[1] / "src" / "sparing"
DISPATCH = ("engine/dispatch.py", "dispatch")
DECIDE = ("engine/decision.py", "decide")
WITHIN: ContextVar[bool] = ContextVar("within", default=False)
"""Set in the task of the dispatch; the tasks and threads that it starts inherit it."""


class Trace:
    def __init__(self) -> None:
        self.files: set[str] = set()
        self.noting = False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        _ = arg
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event != "call" or name == "<module>" or not file.startswith(str(PACKAGE)):
            return
        called = (file.removeprefix(f"{PACKAGE}/"), name)
        if called == DISPATCH and not self.files and _is_resumed_review(frame.f_locals["job"]):
            self.noting = True
            WITHIN.set(True)
        elif called == DECIDE:
            self.noting = False
        if self.noting and WITHIN.get():
            self.files.add(called[0])


def _is_resumed_review(job: Job) -> bool:
    return TURNS[job.turn].form is ReplyForm.VERDICT and job.iteration == 2


def main() -> int:
    trace = Trace()
    threading.setprofile(trace)
    sys.setprofile(trace)
    code = sparing(["demo", "--json"])
    sys.setprofile(None)
    threading.setprofile(None)  # pyright: ignore[reportArgumentType]
    rooms = Counter(name.split("/")[0] if "/" in name else "nouns" for name in trace.files)
    for room, count in rooms.most_common():
        print(f"{count:4d} {room}", file=sys.stderr)
    if "--list" in sys.argv:
        print(*sorted(trace.files), sep="\n", file=sys.stderr)
    many = len(trace.files)
    word = "met" if many <= AIM else "missed"
    print(f"{many} files in one resumed review; aim ≤ {AIM} ({word})", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
