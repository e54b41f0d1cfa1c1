"""A run kept as one file: played again to the same files and bill, priced otherwise, never believed
when it was changed. Covers: K7, G1, H8.
"""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cassette import (
    MADE_BY,
    MARK,
    Cassette,
    FileState,
    Tape,
    read_cassette,
    sha256,
    write_cassette,
)
from sparing.errors import UsageError
from sparing.workspace.project.commit_files import GITLINK, LINK, lay_down
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

FILES = {
    "README.md": "# Sample\n",
    "deploy.sh": "#!/bin/sh\necho deployed\n",
    "notes/key.txt": "token = " + "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fR5bL3\n",
}


MORE = "say more about the file"
AGAIN = (
    SCRIPT[: SCRIPT.index("[[turn]]", 20)]
    .replace("iteration = 1", f'prompt = "{MORE}"')
    .replace("1. Write the file.", "1. Write the file, which has one line.")
)
"""What the author does after the rejection."""


class Recorded:
    """A feature of the smallest tier, rejected once, edited by hand, merged and recorded."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.repository, self.folder = repository, folder
        self.file = folder / "run.cassette"
        script = folder / "script.toml"
        script.write_text(AGAIN + SCRIPT)
        self.environ = {
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(script),
            "SPARING_WORKSPACE__HAND_OVER": "merge",
            "SPARING_ENGINE__CLOCK": "counted",
        }

    def say(self, *words: str, **more: str) -> Said:
        return sparing(self.repository, *words, environ={**self.environ, **more})

    def run(self) -> None:
        assert self.say("start", "Make a file", "--flow", "L1").code == 0
        assert self.say("run", "1").code == 2
        assert self.say("reject", "1", MORE).code == 0
        assert self.say("run", "1").code == 2
        editor = self.folder / "editor"
        editor.write_text("#!/bin/sh\necho 'Added by hand.' >> \"$1\"\n")
        editor.chmod(0o755)
        edited = self.say("edit", "1", EDITOR=str(editor), VISUAL=str(editor))
        assert edited.code == 0, edited.err
        done = self.say("run", "1", "--yes")
        assert done.code == 0, done.err

    def record(self, *words: str) -> Said:
        return self.say("record", "1", str(self.file), *words)


def test_a_run_is_played_again_and_priced_otherwise(tmp_path: Path) -> None:
    """K7: a rejection, an edit by hand and a merge come out the same, from the file alone; H8: a
    file with a secret is not in it."""
    recorded = Recorded(make_repository(tmp_path / "mine", FILES), tmp_path)
    recorded.run()
    said = recorded.record()
    assert said.code == 0, said.err
    assert "left out: notes/key.txt, line 1: " in said.out
    assert b"ghp_" not in b"".join(read_cassette(recorded.file).texts.values())
    assert str(recorded.repository) not in json.dumps(read_cassette(recorded.file).records)

    empty = {"SPARING_AGENT__BACKEND": "auto", "SPARING_STATE__FOLDER": str(tmp_path / "elsewhere")}
    played = sparing(
        tmp_path, "replay", str(recorded.file), "--keep", "again", "--json", environ=empty
    )
    assert played.code == 0, played.err[-2000:]
    found = played.json
    assert (found["same_tree"], found["times_only"]) in ((True, False), (False, True))
    assert found["same_bill"]
    assert found["nano_usd"] == found["recorded_nano_usd"] > 0
    assert found["prompts"] == found["same_prompts"] == 4
    assert (found["unplayed"], found["unknown"], found["status"]) == ([], [], "completed")
    place = tmp_path / "again" / "repository"
    assert (place / "made.txt").read_text() == "made"
    plan = git(place, "show", "main:docs/features/001-make-a-file/plan.md")
    assert "Added by hand." in plan
    assert not (tmp_path / "elsewhere").exists()

    _priced(recorded, tmp_path)
    _left_out(recorded, tmp_path)


def _priced(recorded: Recorded, tmp_path: Path) -> None:
    for policy, more in (("naive", ()), ("fresh", ("--models", "claude-haiku-4-5"))):
        words = ("what-if", str(recorded.file), "--policy", policy, *more, "--json")
        priced = sparing(tmp_path, *words).json
        billed, paper, other = (one["cost_usd"] for one in priced["ways"])
        assert billed == pytest.approx(paper, rel=1e-6)
        assert other != pytest.approx(paper, rel=1e-3)
        assert [one["origin"] for one in priced["ways"]] == ["simulated", "simulated", "estimated"]
        assert priced["known"]
        assert any("same calls" in line for line in priced["assumed"]) == bool(more)
    unknown = sparing(tmp_path, "what-if", str(recorded.file), "--models", "nobody=claude-opus-4-5")
    assert unknown.complaint[0] == "error: this run has no class, role or model 'nobody'"


def _left_out(recorded: Recorded, tmp_path: Path) -> None:
    again = recorded.record()
    assert again.complaint == (f"error: {recorded.file} already exists", "fix: name another file")
    bare = tmp_path / "bare.cassette"
    assert recorded.say("record", "1", str(bare), "--no-files").code == 0
    assert b"echo deployed" not in b"".join(read_cassette(bare).texts.values())
    assert sparing(tmp_path, "what-if", str(bare)).code == 0
    assert sparing(tmp_path, "replay", str(bare)).complaint == (
        f"error: {bare} was recorded without the repository's files: it can be "
        "repriced, but not replayed",
        f"fix: sparing what-if {bare}",
    )


def changed(path: Path, member: str, data: bytes, *, sums: bool = False) -> None:
    """The file with another member; with `sums`, by somebody who also corrects the list."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
        comment = archive.comment
    members[member] = data
    if sums:
        listed = json.loads(members["sums.json"])
        members["sums.json"] = json.dumps({**listed, member: sha256(data)}).encode()
    path.unlink()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = comment


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """K7: whichever member was changed, added or cut, in two lines and before anything is run."""
    file = tmp_path / "run.cassette"
    tape, data = Tape("0.1.0", {"key": "k-001"}), b"a reply"
    write_cassette(Cassette(tape, {"ledger": []}, {sha256(data): data}), file)
    assert read_cassette(file).texts == {sha256(data): data}
    whole, text = file.read_bytes(), f"texts/{sha256(data)}"
    for member, other, sums in (
        ("records.json", b"{}", False), ("cassette.json", b"{}", True), (text, b"x", False),
        ("extra", b"x", False), (text, b"x", True),
    ):  # fmt: skip
        file.write_bytes(whole)
        changed(file, member, other, sums=sums)
        for command in ("replay", "what-if"):
            said = sparing(tmp_path, command, str(file))
            assert (said.code, len(said.complaint)) == (64, 2), said.err
            assert "was changed or damaged after it was recorded" in said.complaint[0]
            assert said.complaint[1].startswith("fix: ask whoever recorded it")
    for broken in (whole[: len(whole) // 2], b"", whole.replace(MARK, b"another archive.   ")):
        file.write_bytes(broken)
        said = sparing(tmp_path, "replay", str(file))
        assert said.complaint == (f"error: {file} is not a cassette", f"fix: {MADE_BY}")
    file.unlink()
    assert sparing(tmp_path, "what-if", str(file)).complaint[0] == f"error: {file} does not exist"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_makes_no_run_is_refused(tmp_path: Path) -> None:
    """K7, H8: hashes that fit say nothing about the rest; nothing is written outside its folder."""
    file, text = tmp_path / "run.cassette", b"text"
    told: dict[str, object] = {
        "key": "k-001", "number": 1, "slug": "../../out", "title": "T", "flow": "L1",
        "created": 1.0, "description": "", "source": "", "priority": "normal",
    }  # fmt: skip
    outside = (FileState("../../out", "100644", sha256(text)),)
    nowhere = (FileState("a", "100644", "0" * 64),)
    for tape in (
        Tape("0.1.0", {}), Tape("0.1.0", told), Tape("0.1.0", told, base=nowhere),
        Tape("0.1.0", told, base=outside),
    ):  # fmt: skip
        write_cassette(Cassette(tape, {}, {sha256(text): text}), file)
        for command in ("replay", "what-if"):
            said = sparing(tmp_path, command, str(file))
            assert (said.code > 0, len(said.complaint)) == (True, 2), said.err
        file.unlink()
    assert list(tmp_path.iterdir()) == []


def test_links_that_lead_out_together_make_no_folder_outside(tmp_path: Path) -> None:
    """H8: each of them stays inside as text, and a submodule behind them would not."""
    root, texts = tmp_path / "a" / "root", {"up": b"..", "out": b"d/x/.."}
    root.mkdir(parents=True)
    links = (FileState("d/x", LINK, "up"), FileState("p", LINK, "out"))
    lay_down(root, (*links, FileState("p/made", GITLINK, "0" * 40)), texts)
    assert (root / "p").resolve() == root.parent
    assert [one.name for one in root.parent.iterdir()] == ["root"]


@given(st.data())
def test_a_flipped_bit_is_seen(data: st.DataObject) -> None:
    """K7: what can still be read is what was recorded."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "run"
        recorded = Cassette(Tape("0.1.0", {"key": "k-001"}), {"ledger": []}, {})
        write_cassette(recorded, file)
        whole = bytearray(file.read_bytes())
        place = data.draw(st.integers(0, len(whole) * 8 - 1))
        whole[place // 8] ^= 1 << place % 8
        file.write_bytes(whole)
        with suppress(UsageError):
            assert read_cassette(file) == recorded


@pytest.mark.long
def test_the_demo_is_played_again_to_the_byte(tmp_path: Path) -> None:
    """K7: the same commit, the same bill, and every prompt the same bytes."""
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert sparing(tmp_path, "demo", "--keep", "here", "--json", environ=state).code == 0
    where = tmp_path / "here" / "wordtally"
    assert sparing(where, "record", "1", str(tmp_path / "run"), environ=state).code == 0
    played = sparing(tmp_path, "replay", "run", "--json")
    assert played.code == 0, played.err[-2000:]
    found = played.json
    assert (found["same_tree"], found["same_bill"]) == (True, True)
    assert found["head"] == found["recorded_head"]
    assert found["prompts"] == found["same_prompts"] > 20
