"""`sparing doctor --resume` with the real client, in the sandbox, and the double as its model.

Covers: C15
"""

from __future__ import annotations

from pathlib import Path

from tests.conftest import UserRepository
from tests.terminal import sparing


def test_the_six_answers(user_repository: UserRepository, tmp_path: Path) -> None:
    """C15, E9: V1 to V6 and the price on one page, kept for this backend and version; before V6
    nothing is sent ahead, and the doctor says so."""
    script = tmp_path / "script.toml"
    script.write_text("")
    around = {"SPARING_AGENT__BACKEND": "claude-double", "SPARING_AGENT__SCRIPT": str(script)}
    path = user_repository()
    before = sparing(path, "doctor", "--json", environ=around)
    assert "primer (not checked yet: sparing doctor --resume)" in before.out
    said = sparing(path, "doctor", "--resume", "--json", environ=around)
    found = {finding["name"]: finding for finding in said.json["findings"]}
    asked = [found[name] for name in ("V1", "V2", "V3", "V4", "V5", "V6", "resume")]
    assert [finding["good"] for finding in asked] == [True] * 7
    assert found["V6"]["words"] == "five-minute requests read one-hour cache entries"
    assert found["V5"]["words"].endswith("100 % of it read from cache")
    assert found["resume"]["words"].startswith("on, for claude-double ")
    assert "5 short turns" in said.err
    assert "primer" not in sparing(path, "doctor", "--json", environ=around).out


def test_the_five_tasks(user_repository: UserRepository, tmp_path: Path) -> None:
    """E7: a model that does nothing fails the first; its writers keep the client's tools."""
    script = tmp_path / "script.toml"
    script.write_text("")
    around = {"SPARING_AGENT__BACKEND": "claude-double", "SPARING_AGENT__SCRIPT": str(script)}
    path = user_repository()
    said = sparing(path, "doctor", "--tools", "--json", environ=around)
    tasks = [finding for finding in said.json["findings"] if finding["name"] == "T1"]
    assert [task["good"] for task in tasks] == [False] * 3, "once a model"
    assert tasks[0]["words"].startswith("one exact edit: not as asked in settings.txt (claude-")
    found = {finding["name"]: finding for finding in said.json["findings"]}
    assert found["tools"]["words"].startswith(
        "writers with claude-haiku-4-5 have the client's tools"
    )
    assert "(simulated)" in found["tools"]["words"]
    assert said.err.count("5 short turns") == 3
    again = sparing(path, "doctor", "--json", environ=around)
    words = {finding["name"]: finding["words"] for finding in again.json["findings"]}["tools"]
    not_yet = "their models have not passed sparing doctor --tools"
    assert words == f"Sparing's for readers; other writers have the client's: {not_yet}"


def test_both_sets_of_tools_are_tried_on_coding_tasks(
    user_repository: UserRepository, tmp_path: Path
) -> None:
    """E7: with the real client; a model that does nothing passes nothing, and both are billed."""
    script = tmp_path / "script.toml"
    script.write_text("")
    around = {"SPARING_AGENT__BACKEND": "claude-double", "SPARING_AGENT__SCRIPT": str(script)}
    words = ("eval", "--coding", "--cases", "2", "--yes", "--json")
    said = sparing(user_repository(), *words, environ=around)
    assert said.code == 0, said.err
    rows = {row["tools"]: row for row in said.json["tools"]}
    assert [(name, row["tasks"], row["passed"]) for name, row in rows.items()] == [
        ("own", 2, 0), ("client", 2, 0),
    ]  # fmt: skip
    assert {row["origin"] for row in rows.values()} == {"simulated"}
    assert 0 < rows["own"]["tokens"] < rows["client"]["tokens"]
