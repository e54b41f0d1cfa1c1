"""How many files of ours take part in one resumed review: what a reader of it has to follow.

`python -m bench.review_files`: the demo runs here, and from the moment at which a reviewer of the
second iteration is dispatched to the next decision every file is noted in which a function is
called, in any thread. Listed by room; terminal and progress included, imports not.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from sparing.cli.main import main as sparing
from sparing.job import Job
from sparing.turn import TURNS
from sparing.turn_kind import ReplyForm

AIM = 80
PACKAGE = Path(__file__).parents[1] / "src" / "sparing"


class Trace:
    def __init__(self) -> None:
        self.files: set[str] = set()
        self.noting = False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        _ = arg
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(str(PACKAGE)):
            return
        name = (file.removeprefix(f"{PACKAGE}/"), frame.f_code.co_name)
        if name == ("engine/dispatch.py", "dispatch") and not self.files:
            self.noting = _is_resumed_review(frame.f_locals["job"])
        elif name == ("engine/decision.py", "decide"):
            self.noting = False
        if self.noting:
            self.files.add(name[0])


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
    many = len(trace.files)
    word = "met" if many <= AIM else "missed"
    print(f"{many} files in one resumed review; aim ≤ {AIM} ({word})", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
