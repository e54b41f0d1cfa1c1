"""Searches for regular expressions in a process of its own: `python -I -S search_child.py`.

It reads root, files and patterns from its input and answers once on its output. An expression that
would run forever is ended with the process. Standard library and our path rules only.
"""

import json
import os
import re
import resource
import sys

if __name__ == "__main__":
    sys.path.append(__file__.removesuffix("/sparing/workspace/tools/search_child.py"))

from pathlib import Path

from sparing.errors import SparingError
from sparing.workspace.tools.confined_open import Beneath
from sparing.workspace.tools.search import MOST_HITS, lines_with, text_of

MEMORY_BYTES = 1 << 30
Places = dict[str, list[int]]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    asked = json.loads(sys.stdin.buffer.read())
    beneath = Beneath(Path(asked["root"]))
    data = json.dumps([_found(beneath, asked["files"], one) for one in asked["patterns"]]).encode()
    while data:
        data = data[os.write(1, data) :]


def _found(beneath: Beneath, files: list[str], pattern: str) -> Places | None:
    """Line numbers by file; None for an invalid expression."""
    try:
        matches = re.compile(pattern).search
    except (re.error, RecursionError, OverflowError):
        return None
    found: Places = {}
    for path in files:
        try:
            text = text_of(beneath.read(path))
        except (OSError, SparingError):
            continue
        numbers = lines_with(matches, text)
        if numbers:
            found[path] = numbers
        if sum(map(len, found.values())) > MOST_HITS:
            break
    return found


if __name__ == "__main__":
    main()
