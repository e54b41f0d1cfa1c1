"""What lies between two commits: exact, small, and not to be hidden from a reader.

Covers: C5
"""

from __future__ import annotations

from pathlib import Path

from sparing.change import FileChange
from sparing.workspace.git.commit import changed_files, diff, read_file
from sparing.workspace.git.repository import Repository, find_repository
from tests.repositories import commit_files, git, make_repository

SPEC = "# Spec\n\n## Goals\n\nfirst\nsecond\nthird\n\n## Limits\n\nnone\n"


def two_commits(path: Path, old: dict[str, str | bytes], new: dict[str, str | bytes]) -> Repository:
    return find_repository(commit_files(make_repository(path, old), new, "next"))


def test_a_hunk_has_its_heading_and_no_context(tmp_path: Path) -> None:
    """C5: the heading of the section, which plain git does not show for markdown."""
    repo = two_commits(tmp_path / "r", {"spec.md": SPEC}, {"spec.md": SPEC.replace("third", "3")})
    text = diff(repo, "HEAD~1", "HEAD")
    assert text.splitlines()[4:] == ["@@ -7 +7 @@ ## Goals", "-third", "+3"]
    assert " second\n" in diff(repo, "HEAD~1", "HEAD", context=1)


def test_only_the_paths_asked_for(tmp_path: Path) -> None:
    repo = two_commits(tmp_path / "r", {"a": "1\n"}, {"a": "2\n", "d/b": "1\n", "*": "star\n"})
    assert "d/b" not in diff(repo, "HEAD~1", "HEAD", ["a"])
    assert "d/b" in diff(repo, "HEAD~1", "HEAD", ["d"])
    assert "b/a" not in diff(repo, "HEAD~1", "HEAD", ["*"])


def test_attributes_in_the_tree_cannot_hide_a_change(tmp_path: Path) -> None:
    old: dict[str, str | bytes] = {"a.py": "x = 1\n", ".gitattributes": "*.py -diff\n"}
    repo = two_commits(tmp_path / "r", old, {"a.py": "x = 2\n"})
    assert "+x = 2" in diff(repo, "HEAD~1", "HEAD")


def test_settings_of_the_user_do_not_change_the_text(tmp_path: Path) -> None:
    repo = two_commits(tmp_path / "r", {"a": "1\n2\n"}, {"a": "1\n3\n"})
    plain = diff(repo, "HEAD~1", "HEAD")
    for key, value in (
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
        ("diff.context", "9"),
        ("diff.algorithm", "patience"),
        ("core.quotePath", "true"),
    ):
        git(repo.checkout, "config", key, value)
    assert diff(repo, "HEAD~1", "HEAD") == plain


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    repo = two_commits(tmp_path / "r", {"a": b"x\0", "b": "b"}, {"a": b"y\0", "b": b"caf\xe9\n"})
    text = diff(repo, "HEAD~1", "HEAD")
    assert "Binary files a/a and b/a differ" in text
    assert "+caf\ufffd" in text


def test_changed_files_counts_lines(tmp_path: Path) -> None:
    repo = two_commits(
        tmp_path / "r",
        {"a": "1\n2\n", "gone": "x\n", "bin": b"\0"},
        {"a": "1\n3\n4\n", "d/é": "1\n", "bin": b"\0\0"},
    )
    git(repo.checkout, "rm", "--quiet", "gone")
    commit_files(repo.checkout, {}, "remove")
    assert changed_files(repo, "HEAD~2", "HEAD") == (
        FileChange("a", 2, 1),
        FileChange("bin", 0, 0),
        FileChange("d/é", 1, 0),
        FileChange("gone", 0, 1),
    )


def test_read_file(tmp_path: Path) -> None:
    repo = two_commits(tmp_path / "r", {"d/a": "old"}, {"d/a": b"new\n\0", "empty": ""})
    assert read_file(repo, "HEAD~1", "d/a") == b"old"
    assert read_file(repo, "HEAD", "./d/a") == b"new\n\0"
    assert read_file(repo, "HEAD", "empty") == b""
    for path in ("nothing", "d", "../d/a", "/d/a", "a\0b", "a\nb", ""):
        assert read_file(repo, "HEAD", path) is None
