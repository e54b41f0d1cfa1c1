"""Which lines of the new files a unified diff touches."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from sparing.workspace.tools.pages import Span
from sparing.workspace.tools.seen_files import merged

AROUND = 3
"""Lines beside a removal, which has no line of its own in the new file."""
_FILE = re.compile(r'^\+\+\+ (?:"?b/(?P<path>[^\t\n"]+)"?|\S+)', re.MULTILINE)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(?P<first>\d+)(?:,(?P<count>\d+))? @@", re.MULTILINE)


def touched(text: str) -> Mapping[str, tuple[Span, ...]]:
    """Touched lines by path. The text may have other content around the diff, or no diff at all."""
    found: defaultdict[str, list[Span]] = defaultdict(list)
    files = list(_FILE.finditer(text))
    for place, file in enumerate(files):
        if not file["path"]:
            continue
        end = files[place + 1].start() if place + 1 < len(files) else len(text)
        for hunk in _HUNK.finditer(text, file.end(), end):
            first, count = int(hunk["first"]), int(hunk["count"] or 1)
            wide = 0 if count else AROUND
            found[file["path"]].append(Span(max(1, first - wide), max(1, first + count - 1 + wide)))
    return {path: merged(spans) for path, spans in found.items()}
