"""What a killed turn of Claude Code has used, from the transcript that the client keeps.

Covers: E2, I3
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparing.agents.backend import Access, AgentCall
from sparing.agents.claude.transcript import MOST_NOTES, TurnNote, spent
from sparing.usage import Usage

SESSION = "11111111-2222-3333-4444-555555555555"
FORKED = "99999999-2222-3333-4444-555555555555"
CALL = AgentCall(
    id="f.g0.0.1.1", role="builder", stage="plan", iteration=1, task="", system="", prompt=(),
    cwd=Path("/"), folder="", access=Access.READ_ONLY, model="m", at=0.0, limit_seconds=1.0,
)  # fmt: skip


def line(id: str, output: int, ending: str | None = "tool_use", read: int = 0) -> dict[str, Any]:
    usage = {"input_tokens": 10, "cache_read_input_tokens": read, "output_tokens": output}
    return {"type": "assistant", "message": {"id": id, "usage": usage, "stop_reason": ending}}


def write(config: Path, session: str, *lines: object) -> None:
    path = config / "projects" / "-tmp" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(f"{json.dumps(one)}\n" for one in lines)


def test_a_new_session_s_calls_are_added_up_and_the_one_under_way_is_too(tmp_path: Path) -> None:
    """E2: the next request would have sent what the last one had, and its answer."""
    note = TurnNote(tmp_path, CALL)
    note.begin()
    note.name(SESSION)
    write(tmp_path, SESSION, {"type": "user"}, line("a", 1), line("a", 5), line("b", 7, read=20))
    assert spent(tmp_path, CALL.id) == Usage(uncached=20 + 7, read=20 + 30, output=12)


def test_after_the_last_answer_nothing_is_under_way(tmp_path: Path) -> None:
    note = TurnNote(tmp_path, CALL)
    note.begin()
    note.name(SESSION)
    write(tmp_path, SESSION, line("a", 5, "end_turn"))
    assert spent(tmp_path, CALL.id) == Usage(uncached=10, output=5)


def test_of_a_session_that_goes_on_only_the_turn_s_own_part_counts(tmp_path: Path) -> None:
    write(tmp_path, SESSION, line("old", 1_000, "end_turn"))
    resumed = replace(CALL, resume=SESSION)
    note = TurnNote(tmp_path, resumed)
    note.begin()
    note.name(SESSION)
    write(tmp_path, SESSION, line("new", 3, "end_turn"))
    assert spent(tmp_path, CALL.id) == Usage(uncached=10, output=3)


def test_of_a_fork_what_was_copied_from_its_session_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, SESSION, line("old", 1_000, "end_turn"))
    note = TurnNote(tmp_path, replace(CALL, resume=SESSION, fork=True))
    note.begin()
    note.name(FORKED)
    write(tmp_path, FORKED, line("old", 1_000, "end_turn"), line("new", 3, "end_turn"))
    assert spent(tmp_path, CALL.id) == Usage(uncached=10, output=3)


def test_odd_lines_and_names_are_nothing(tmp_path: Path) -> None:
    """I3: a transcript is foreign text, and half a line may be its last."""
    assert spent(tmp_path, CALL.id) == Usage()
    note = TurnNote(tmp_path, CALL)
    note.begin()
    note.name("../../etc/passwd")
    assert spent(tmp_path, CALL.id) == Usage()
    note.name(SESSION)
    odd: list[object] = [
        1, [], {"type": "assistant"}, {"type": "assistant", "message": 3},
        {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"output_tokens": 9}}},
        {"type": "assistant", "message": {"id": "x", "usage": {"output_tokens": 2**70}}},
    ]  # fmt: skip
    write(tmp_path, SESSION, *odd)
    with (tmp_path / "projects" / "-tmp" / f"{SESSION}.jsonl").open("a") as file:
        file.write('{"type": "assis')
    assert spent(tmp_path, CALL.id) == Usage()


def test_notes_do_not_pile_up(tmp_path: Path) -> None:
    for number in range(MOST_NOTES + 10):
        TurnNote(tmp_path, replace(CALL, id=f"call {number}")).begin()
    assert len(list((tmp_path / "turns").iterdir())) <= MOST_NOTES
