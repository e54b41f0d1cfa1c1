"""Where limits of tools, checks and links begin to hold.

Covers: H7, H8
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from sparing.workspace.checks.output import READ_LIMIT, printed
from sparing.workspace.checks.run import trim
from sparing.workspace.git.direct.tree import code_files
from sparing.workspace.git.snapshot import MOST_LINKS
from sparing.workspace.tools.arguments import MOST_EDITS, MOST_PARTS, ToolMistake, edits, looking
from sparing.workspace.tools.outline import MOST_ENTRIES, Entry, rendered
from tests.repositories import git, make_repository
from tests.workspace.features import snapshot


def test_as_many_edits_as_may_be_and_one_more() -> None:
    one = {"path": "a.py", "append": "b"}
    assert len(edits({"edits": [one] * MOST_EDITS})) == MOST_EDITS
    with pytest.raises(ToolMistake, match=f"1 to {MOST_EDITS}"):
        edits({"edits": [one] * (MOST_EDITS + 1)})


def test_as_many_paths_as_may_be_and_one_more() -> None:
    names = [f"{number}.py" for number in range(MOST_PARTS + 1)]
    assert len(looking({"read": names[:-1]}).read) == MOST_PARTS
    with pytest.raises(ToolMistake, match=f"{MOST_PARTS} entries"):
        looking({"read": names})


@pytest.mark.parametrize(("more", "cut"), [(0, False), (1, True)])
def test_output_is_kept_whole_up_to_its_limit(more: int, cut: bool) -> None:
    """H7: a gap is named with what it leaves out, and only where there is one."""
    text = printed(BytesIO(b"x" * (READ_LIMIT + more)))
    assert ("1 bytes left out" in text) is cut
    assert ("left out" in text) is cut


def test_an_outline_says_how_much_it_leaves_out() -> None:
    entries = [Entry(n, n, f"def f{n}()") for n in range(1, MOST_ENTRIES + 3)]
    assert rendered("a.py", entries, 999).endswith("\n[2 more definitions are not shown]")
    assert "not shown" not in rendered("a.py", entries[:MOST_ENTRIES], 999)


def test_output_that_just_fits_stays_whole() -> None:
    lines = "\n".join(f"line {n}" for n in range(300))
    shown = trim(lines, 1_000)
    assert trim(lines, len(shown)) == shown or "…" in shown
    assert trim("x" * 100, 100) == "x" * 100
    assert trim("x" * 101, 100) == f"{'x' * 50}\n…\n{'x' * 50}"


def test_an_empty_file_is_not_looked_through_and_one_byte_is() -> None:
    assert code_files({"a.py": 0, "b.py": 1, "c.py": 10, "d.py": 11, "e.bin": 5}, 10) == [
        "b.py",
        "c.py",
    ]


@pytest.mark.parametrize(("links", "found"), [(MOST_LINKS, "end.txt"), (MOST_LINKS + 1, "1")])
def test_links_are_followed_so_far_and_no_further(tmp_path: Path, links: int, found: str) -> None:
    """H7: a chain of them is cut, where it ends or not."""
    root = make_repository(tmp_path / "r", {"end.txt": "here"})
    for number in range(1, links + 1):
        (root / str(number)).symlink_to("end.txt" if number == 1 else str(number - 1))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "links")
    assert snapshot(root).follow(str(links))[-1] == found
