"""Links of a recorded run are made again, inside of its folder. Covers: K7, H8."""

from __future__ import annotations

from pathlib import Path

from sparing.workspace.project.commit_files import LINK, FileState, lay_down


def test_a_link_is_made_with_its_folders_and_replaces_a_file(tmp_path: Path) -> None:
    texts = {"a": b"../a.txt", "text": b"a", "out": b"../../out", "root": b"/etc"}
    (tmp_path / "old").write_text("old")
    files = (
        FileState("a.txt", "100644", "text"), FileState("deep/link", LINK, "a"),
        FileState("old", LINK, "text"), FileState("deep/out", LINK, "out"),
        FileState("deep/root", LINK, "root"),
    )  # fmt: skip
    lay_down(tmp_path, files, texts)
    assert (tmp_path / "deep" / "link").read_text() == "a"
    assert (tmp_path / "old").readlink() == Path("a")
    assert sorted(one.name for one in (tmp_path / "deep").iterdir()) == ["link"]
