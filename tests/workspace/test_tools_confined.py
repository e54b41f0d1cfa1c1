"""Our own tools run outside of the sandbox, so their confinement is code: every way out is tried.

Covers: E7, H4, H5, H6
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sparing.errors import SparingError
from sparing.redact import Redactor
from sparing.workspace.project.paths import PathRefused
from sparing.workspace.tools.confined_open import Beneath, has_openat2
from tests.workspace.escapes import CLASSES, exchange
from tests.workspace.grounds import SECRET, Grounds
from tests.workspace.toolsets import Tools, change, look, tools_at

KEY = "correct-horse-battery-staple"
DASHES = "-" * 5  # put together here, so that our own source holds no private key
PRIVATE = (
    f"{DASHES}BEGIN OPENSSH PRIVATE KEY{DASHES}\nb3BlbnNzaC1rZXktdjEAAAAABG5v\nbmUAAAAEbm9uZQ\n"
    f"{DASHES}END OPENSSH PRIVATE KEY{DASHES}"
)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return tools_at(tmp_path, KEY)


@pytest.mark.parametrize("kernel", [True, False])
@pytest.mark.parametrize("name", CLASSES)
def test_no_name_leads_out(tmp_path: Path, name: str, kernel: bool) -> None:
    """H4: with the kernel's help and without: nothing outside is read, nothing waits for ever."""
    grounds = Grounds(tmp_path)
    names = list(CLASSES[name](grounds))
    beneath = Beneath(grounds.inside, kernel)
    for one in names:
        try:
            assert beneath.read(one) == b"fine", one
        except (FileNotFoundError, PathRefused):
            continue


@pytest.mark.parametrize("name", CLASSES)
def test_no_tool_leads_out(tmp_path: Path, name: str) -> None:
    """E7, H6: neither by reading nor by writing, and the answers tell nothing of what is there."""
    grounds = Grounds(tmp_path)
    names = [one for one in CLASSES[name](grounds) if one.strip()][::3]
    made = Tools(grounds.inside, tools_at(tmp_path / "x").store).turn()
    before = grounds.state()
    for one in names:
        answers = (
            look(made, read=[one]),
            look(made, outline=[one]),
            change(made, {"path": one, "create": "x"}),
            change(made, {"path": one, "append": "x"}),
            change(made, {"path": one, "find": SECRET, "replace": "x"}),
        )
        assert SECRET not in "".join(answer.text for answer in answers)
    assert SECRET not in look(made, search=[SECRET, "outside.the"]).text.replace(repr(SECRET), "")
    assert grounds.state() == before


@pytest.mark.skipif(not has_openat2(), reason="this kernel has no openat2")
def test_links_that_stay_inside_are_followed(tools: Tools) -> None:
    """H4: for reading alone; what they lead to must be a name that may be said."""
    tools.put("AGENTS.md", "rules\n")
    tools.put(".git", "gitdir: /elsewhere\n")
    (tools.root / "CLAUDE.md").symlink_to("AGENTS.md")
    (tools.root / "hidden").symlink_to(".git")
    turn = tools.turn()
    assert "1\trules" in look(turn, read=["CLAUDE.md"]).text
    refused = look(turn, read=["hidden", ".git"])
    assert (refused.failed, refused.refused) == (True, ("hidden", ".git"))
    assert "elsewhere" not in refused.text
    assert "it is a link" in change(turn, {"path": "CLAUDE.md", "append": "x"}).text


def test_absolute_paths_inside_are_understood(tools: Tools) -> None:
    """E7: prompts name files by their full path; outside of the folder they stay refused."""
    tools.put("a.py", "one\n")
    assert "1\tone" in look(tools.turn(), read=[f"{tools.root}/a.py"]).text
    assert look(tools.turn(), read=["/etc/passwd"]).refused == ("/etc/passwd",)
    assert look(tools.turn(), read=[f"{tools.root}/../x"]).refused


def test_a_folder_swapped_for_a_link_between_and_during_calls(tmp_path: Path) -> None:
    """H4: 2,000 reads while folder and link change places; none comes from outside."""
    grounds = Grounds(tmp_path)
    place, link = grounds.inside / "place", grounds.inside / "link"
    place.mkdir()
    (place / "secret").write_text("fine")
    link.symlink_to(grounds.outside)
    beneath, stop = Beneath(grounds.inside), threading.Event()

    def swap() -> None:
        while not stop.is_set():
            exchange(place, link)

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[bytes] = set()
    try:
        for _ in range(2_000):
            try:
                seen.add(beneath.read("place/secret"))
            except (FileNotFoundError, SparingError):
                seen.add(b"refused")
    finally:
        stop.set()
        thread.join()
    assert seen == {b"fine", b"refused"}


def test_sizes_have_a_limit(tools: Tools) -> None:
    tools.put("big", b"x" * 4_000_001)
    found = look(tools.turn(), read=["big"])
    assert (found.failed, "larger than 4000000 bytes" in found.text) == (True, True)


def test_secrets_do_not_reach_the_model(tools: Tools) -> None:
    """H5: known values and known forms; line numbers stay right behind a key of four lines."""
    tools.put("a.env", f"first\nTOKEN={KEY}\n{PRIVATE}\nlast\n")
    turn = tools.turn()
    shown = look(turn, read=["a.env"]).text
    assert shown == (
        "== a.env, 7 lines\n1\tfirst\nTOKEN=[redacted]\n3\t[redacted]\n\n5\t\n\n7\tlast"
    )
    assert "no line matches" in look(turn, search=[KEY]).text, "nor is it told that it is there"
    assert "no line matches" in look(turn, search=["TOKEN=corr.*"]).text
    assert "[redacted]" in change(turn, {"path": "a.env", "find": f"x{KEY}", "replace": ""}).text
    anew = change(turn, {"path": "a.env", "create": "TOKEN=[redacted]\n"})
    assert (anew.failed, "parts are not shown to you" in anew.text) == (True, True)
    assert KEY in tools.text("a.env")
    ran = turn.answer("run", {"command": f"cat a.env; echo {KEY} | rev | rev"})
    assert KEY not in ran.text


def test_redacted_texts_keep_their_lines() -> None:
    """H5: wherever the secret is broken."""
    text = f"a\n{KEY[:9]}\n  {KEY[9:]}\nb\n{PRIVATE}\nc"
    clean = Redactor([KEY]).clean_lines(text)
    assert clean.count("\n") == text.count("\n")
    assert (clean.split("\n")[3], clean.split("\n")[-1]) == ("b", "c")
    assert KEY[:9] not in clean


def test_other_than_utf_8(tools: Tools) -> None:
    """E7: shown with marks for what can't be read; an edit beside it leaves the bytes alone."""
    tools.put("latin.txt", b"caf\xe9\nplain\r\n")
    turn = tools.turn()
    assert "1\tcaf\ufffd\n2\tplain" in look(turn, read=["latin.txt"]).text
    assert not change(turn, {"path": "latin.txt", "find": "plain", "replace": "better"}).failed
    assert (tools.root / "latin.txt").read_bytes() == b"caf\xe9\nbetter\r\n"
