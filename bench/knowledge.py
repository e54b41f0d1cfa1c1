"""Read a real knowledge bank and write it back: `python -m bench.knowledge FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from sparing.knowledge import changes
from sparing.knowledge.page import FILES, Kind, Page, read_page


def main() -> int:
    folder = Path(sys.argv[1]) / "knowledge-bank"
    failed = False
    for name, kind in FILES.items():
        text = (folder / name).read_bytes().decode()
        page = read_page(kind, text)
        alone = sum(_alone(page, number, kind) for number in range(len(page.entries)))
        same = page.text == text
        failed |= not same or alone != len(page.entries)
        print(
            f"{name:18} {len(page.entries):4} entries  unread and rewritten: "
            f"{'same bytes' if same else 'CHANGED'}  one confirmed, the others same bytes: "
            f"{alone} of {len(page.entries)}"
        )
    return int(failed)


def _alone(page: Page, number: int, kind: Kind) -> bool:
    """Whether a confirmation of one entry leaves every other line as it was."""
    entry = page.entries[number]
    after = changes.confirmed(page, entry, "999")
    grown = len(after.lines) - len(page.lines)
    before_it = after.lines[: entry.first] == page.lines[: entry.first]
    behind_it = after.lines[entry.end + grown :] == page.lines[entry.end :]
    return before_it and behind_it and len(read_page(kind, after.text).entries) == len(page.entries)


if __name__ == "__main__":
    sys.exit(main())
