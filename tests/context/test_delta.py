"""The text of a delta. Covers: C5, C18."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sparing.context.documents.diff import FileStatus, parse_diff
from sparing.context.prompt.delta import change_delta, document_delta, stat_text

DOCUMENT = "# Spec\n\n## Goals\none\n2\n\n### Scope\nall\r\nlast"
CHANGE = """\
diff --git a/spec.md b/spec.md
index 1..2 100644
--- a/spec.md
+++ b/spec.md
@@ -5 +5 @@ one
-two
+2
@@ -8,2 +8,2 @@ two
-some\r
-end
+all\r
+last
\\ No newline at end of file
"""


def test_hunks_stand_under_their_heading_byte_for_byte() -> None:
    """C5: exact bytes, with the heading instead of git's guess."""
    delta = document_delta(CHANGE, "spec.md", DOCUMENT)
    assert delta.text == (
        "--- spec.md (+3 -3)\n"
        "@@ -5,1 +5,1 @@ ## Goals\n-two\n+2\n"
        "@@ -8,2 +8,2 @@ ### Scope\n-some\r\n-end\n+all\r\n+last\n\\ No newline at end of file\n"
    )


def test_a_change_has_stat_hunks_and_fix_summary() -> None:
    """C5."""
    delta = change_delta(CHANGE, {}, "  Clamped the range.\n")
    stat, file, summary = delta.text.split("\n\n")
    assert stat == "spec.md | +3 -3\n1 file changed, +3 -3"
    assert file.startswith("--- spec.md (+3 -3)\n@@ -5,1 +5,1 @@ one\n")
    assert summary == "Fix summary:\nClamped the range.\n"


def test_nothing_changed() -> None:
    """C5."""
    assert change_delta("", {}).empty
    assert change_delta("", {}).text == ""
    assert change_delta("", {}, "Answered only.").text == "Fix summary:\nAnswered only.\n"


def test_a_huge_file_is_named_with_its_lines() -> None:
    """C18: what is too big to send is named by a reference."""
    delta = change_delta(CHANGE, {"spec.md": DOCUMENT}, limit_chars=10)
    assert delta.left_out == ("spec.md",)
    assert "+2" not in delta.text
    assert "read lines 5-5, 8-9" in delta.text


def test_a_diff_inside_a_diff_is_content() -> None:
    """C5: hunks end where their counts say, not at the next odd line."""
    inner = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n"
    body = "".join(f"+{line}\n" for line in inner.splitlines())
    raw = (
        f"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,3 @@\n{body}"
    )
    (file,) = parse_diff(raw)
    assert file.hunks[0].body == body
    assert (file.path, file.status, file.added) == ("n", FileStatus.ADDED, 3)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a b.md").write_bytes("# T\n\n## Über\nx\n".encode())
    (tmp_path / "übung.txt").write_bytes(b"a\nb\n")
    (tmp_path / "image").write_bytes(b"\0\1")
    (tmp_path / "run.sh").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "old.txt").write_bytes(b"keep\nthis\n")
    (tmp_path / "gone.txt").write_bytes(b"bye\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.hooksPath=/none")
    result = subprocess.run(
        ("git", *settings, *arguments), cwd=folder, capture_output=True, check=True
    )
    return result.stdout.decode("utf-8", "surrogateescape")


def test_what_git_really_writes(repository: Path) -> None:
    """C5: binary files, renames, mode changes, odd names, deleted and empty files."""
    (repository / "a b.md").write_bytes("# T\n\n## Über\nx\ny".encode())
    (repository / "übung.txt").write_bytes(b"a\r\nc\n")
    (repository / "image").write_bytes(b"\0\2")
    (repository / "run.sh").chmod(0o755)
    (repository / "old.txt").rename(repository / "new.txt")
    (repository / "gone.txt").unlink()
    (repository / "empty").touch()
    git(repository, "add", "-A")
    raw = git(repository, "diff", "--cached", "-U0", "-M", "--no-color")
    texts = {"a b.md": (repository / "a b.md").read_bytes().decode()}
    delta = change_delta(raw, texts)
    assert stat_text(delta.files) == (
        "a b.md | +1 -0\n"
        "empty | added, +0 -0\n"
        "gone.txt | deleted, +0 -1\n"
        "image | binary\n"
        "old.txt => new.txt | renamed, +0 -0\n"
        "run.sh | mode 100644 => 100755, +0 -0\n"
        "übung.txt | +2 -2\n"
        "7 files changed, +3 -3\n"
    )
    assert "@@ -4,0 +5,1 @@ ## Über\n+y\n\\ No newline at end of file\n" in delta.text
    assert "-a\n-b\n+a\r\n+c\n" in delta.text


@pytest.mark.parametrize("context", ["-U0", "-U3"])
def test_the_hunks_together_are_the_whole_diff(repository: Path, context: str) -> None:
    """C5: no line of git's diff is lost or made up."""
    lines = [f"line {number}\n" for number in range(200)]
    (repository / "long").write_text("".join(lines))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "long")
    for number in (3, 4, 90, 199):
        lines[number] = f"changed {number}\n"
    del lines[50:55]
    (repository / "long").write_text("".join(lines))
    raw = git(repository, "diff", context, "--no-color")
    (file,) = parse_diff(raw)
    signed = [
        line for line in raw.splitlines() if line[:1] in "+- " and line[:3] not in ("+++", "---")
    ]
    assert "".join(hunk.body for hunk in file.hunks).splitlines() == signed
    assert (file.added, file.removed) == (4, 9)
