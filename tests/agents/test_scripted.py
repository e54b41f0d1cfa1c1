"""The scripted agent plays what its script says, and its bill is the double's, to the token.

Covers: E2, G1, G4
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparing.agents.backend import Access, AgentCall, AgentReply
from sparing.agents.scripted.backend import ScriptedBackend
from sparing.agents.scripted.conversation import CALL_SECONDS, TOOL_CALL_TOKENS
from sparing.agents.scripted.script import Script
from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.failure import Failure
from sparing.segment import Segment, Volatility, estimate_tokens
from sparing.usage import Origin, Usage
from sparing.workspace.sandbox.policy import ProcessLimits
from tests.agents.acts import Act
from tests.agents.backends import MODEL, Scripted, call, run, segments
from tests.agents.sandboxed import sandboxed

BASE = 3000


def play(
    tmp_path: Path, asked: AgentCall, *turns: Mapping[str, object], base: int = BASE
) -> AgentReply:
    script = Script.model_validate({"base_tokens": base, "turn": turns or ({},)})
    return run(ScriptedBackend(script, tmp_path / "sessions"), asked)


def bill(messages: list[list[tuple[str, int, bool]]], asked: AgentCall, base: int = BASE) -> Usage:
    """What the double asks for these calls, each given by all the messages it sends."""
    cache, usage = PromptCache(), Usage()
    mark = Life.FIVE_MINUTES
    for number, sent in enumerate(messages):
        blocks = [
            CacheBlock(RequestPart.TOOLS, "tools", base, mark),
            CacheBlock(RequestPart.SYSTEM, "system", estimate_tokens(asked.system), mark),
        ]
        for place, (name, tokens, marked) in enumerate(sent, 1):
            last = place == len(sent)
            blocks.append(
                CacheBlock(RequestPart.MESSAGES, name, tokens, mark if marked or last else None)
            )
        at = asked.at + number * CALL_SECONDS
        usage += cache.bill(CacheRequest(asked.model, tuple(blocks)), at, ready_at=at + 1)
    return usage


def test_one_call_is_billed_as_the_double_bills_it(tmp_path: Path, cwd: Path) -> None:
    """E2: prefix up to the last mark written, nothing read, and the answer as output."""
    asked = call(cwd)
    reply = play(tmp_path, asked, {"reply": "x" * 400})
    prompt = [(segment.name, segment.tokens, segment.mark) for segment in asked.prompt]
    assert reply.usage == bill([prompt], asked) + Usage(output=100)
    assert reply.origin is Origin.SIMULATED


def test_every_call_of_a_turn_is_billed(tmp_path: Path, cwd: Path) -> None:
    """E2: the answer to each call, and what its tools returned, are sent again with the next."""
    (cwd / "a.txt").write_text("y" * 4000)
    asked = call(cwd)
    edit = [{"path": "b.txt", "text": "z" * 800}]
    reply = play(tmp_path, asked, {"read": ["a.txt", "gone"], "edit": edit, "reply": "x" * 400})

    prompt = [(segment.name, segment.tokens, segment.mark) for segment in asked.prompt]
    reads = 2 * TOOL_CALL_TOKENS
    read = [*prompt, ("asks to read", reads, False), ("a", 1000, False), ("gone", 20, False)]
    writes = TOOL_CALL_TOKENS + 200
    wrote = [*read, ("asks to write", writes, False), ("written", 20, False)]
    expected = bill([prompt, read, wrote], asked) + Usage(output=reads + writes + 100)
    assert reply.usage == expected
    assert [made.output for made in reply.calls] == [reads, writes, 100]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    prompts=st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=3), min_size=1, max_size=3),
    sizes=st.lists(st.integers(0, 6000), max_size=2),
    base=st.sampled_from([0, 1, 2200]),
    system=st.sampled_from(["", "s", "You are careful. " * 40]),
)
def test_no_conversation_is_too_odd_to_be_billed(
    tmp_path_factory: pytest.TempPathFactory,
    prompts: list[list[str]],
    sizes: list[int],
    base: int,
    system: str,
) -> None:
    """E2: empty texts, empty files, no tools: the buckets still hold every token just once."""
    tmp_path = tmp_path_factory.mktemp("odd")
    for number, size in enumerate(sizes):
        (tmp_path / f"{number}.txt").write_text("f" * size)
    turn = {"read": [f"{number}.txt" for number in range(len(sizes))], "reply": ""}
    session, before = "", base + estimate_tokens(system)
    for number, texts in enumerate(prompts):
        prompt = tuple(Segment(f"s{n}", text, Volatility.ROLE) for n, text in enumerate(texts))
        asked = call(
            tmp_path, id=str(number), prompt=prompt, system=system, resume=session,
            at=1000.0 + 60 * number,
        )  # fmt: skip
        reply = play(tmp_path, asked, turn, base=base)
        assert reply.failure is None
        expected = 0
        for made in reply.calls:
            before += made.added
            expected += before
        assert reply.usage.input == expected
        before += reply.calls[-1].output
        assert reply.context_tokens == before
        session = reply.session


@pytest.mark.parametrize("failure", Failure)
def test_every_word_for_a_failure_can_be_played(
    tmp_path: Path, cwd: Path, failure: Failure
) -> None:
    """G1: as data, with its detail or at least its name; what it used is still counted."""
    reply = play(tmp_path, call(cwd), {"fail": failure.value})
    assert (reply.failure, reply.detail) == (failure, failure.value)
    told = play(tmp_path, call(cwd), {"fail": failure.value, "detail": "until 3 pm"})
    assert (told.failure, told.detail) == (failure, "until 3 pm")
    assert told.usage.total > 0


def test_the_last_words_of_a_crash(tmp_path: Path, cwd: Path) -> None:
    """G3: the end of stderr says why."""
    edit = [{"path": "gone.txt", "find": "a", "replace": "b"}]
    reply = play(tmp_path, call(cwd), {"edit": edit})
    assert reply.failure is Failure.CRASHED
    assert reply.detail.endswith("No such file or directory: 'gone.txt'")
    quiet = play(tmp_path, call(cwd), {"exit_code": 7})
    assert quiet.detail == "the client exited with code 7 and no result"


def test_a_turn_that_reaches_a_limit_says_which(tmp_path: Path, cwd: Path) -> None:
    """H6: a failure of its own, so that nobody takes it for a crash and tries again."""
    limits = ProcessLimits(disk_bytes=20 << 20)
    launch = sandboxed(cwd, tmp_path / "scratch", limits=limits)
    fill = "for n in $(seq 60); do head -c 1000000 /dev/zero > f$n; done; sleep 60"
    reply = play(tmp_path, call(cwd, launch=launch), {"run": [fill]})
    assert reply.failure is Failure.LIMIT
    assert reply.detail.startswith("its processes wrote ")
    assert reply.detail.endswith(" MB of files, 20 MB are allowed (workspace.disk_mb)")


def test_a_passage_is_replaced_once(tmp_path: Path, cwd: Path) -> None:
    (cwd / "a.py").write_text("one\none\n")
    edit = [{"path": "a.py", "find": "one", "replace": "two"}]
    assert play(tmp_path, call(cwd), {"edit": edit}).files_written == ("a.py",)
    assert (cwd / "a.py").read_text() == "two\none\n"
    missing = play(tmp_path, call(cwd), {"edit": [{**edit[0], "find": "three"}]})
    assert missing.failure is Failure.CRASHED
    assert missing.detail == "a.py: the passage to replace does not exist"


def test_the_folder_of_the_feature_is_put_in(tmp_path: Path, cwd: Path) -> None:
    edit = [{"path": "{folder}/spec.md", "text": "in {folder}"}]
    turn = {"edit": edit, "read": ["{folder}/spec.md"], "reply": "see {folder}"}
    reply = play(tmp_path, call(cwd, folder="docs/features/001-x"), turn)
    assert reply.text == "see docs/features/001-x"
    assert reply.files_written == ("docs/features/001-x/spec.md",)
    assert (cwd / "docs/features/001-x/spec.md").read_text() == "in docs/features/001-x"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"role": "spec-reviewer", "iteration": 1}, "not yet"),
        ({"role": "spec-reviewer", "iteration": 2}, "fine"),
        ({"role": "plan-reviewer", "iteration": 9}, "any reviewer"),
        ({"role": "implementer", "task": "1.2"}, "second task"),
        ({"role": "implementer", "task": "2.1"}, "any task of implement"),
    ],
)
def test_the_first_turn_that_fits_is_played(
    tmp_path: Path, cwd: Path, changes: dict[str, object], said: str
) -> None:
    turns: list[dict[str, object]] = [
        {"role": "spec-reviewer", "iteration": 1, "reply": "not yet"},
        {"role": "spec-reviewer", "reply": "fine"},
        {"role": "*-reviewer", "reply": "any reviewer"},
        {"task": "1.2", "reply": "second task"},
        {"stage": "implement", "reply": "any task of implement"},
    ]
    assert play(tmp_path, call(cwd, **changes), *turns).text == said


def test_a_call_that_the_script_does_not_know(tmp_path: Path, cwd: Path) -> None:
    """G1: said in words that lead to the missing turn, and nothing is billed."""
    reply = play(tmp_path, call(cwd), {"role": "nobody"})
    assert (reply.failure, reply.usage) == (Failure.GARBAGE, Usage())
    assert reply.detail == (
        "the script has no matching turn for role implementer, stage implement, iteration 1, "
        "task '1'"
    )


def test_sessions_are_closed_to_others(tmp_path: Path, cwd: Path) -> None:
    """H1"""
    run(Scripted(tmp_path / "sessions").make(Act()), call(cwd))
    folder = tmp_path / "sessions" / "sessions"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_transcript_holds_no_text(tmp_path: Path, cwd: Path) -> None:
    """H5: digests and sizes are enough for a bill."""
    secret = "a password in a prompt"
    run(
        Scripted(tmp_path / "sessions").make(Act(reply=secret)),
        call(cwd, prompt=segments(secret), access=Access.READ_ONLY, model=MODEL),
    )
    files = [path for path in (tmp_path / "sessions").rglob("*") if path.is_file()]
    assert files
    assert all(secret not in path.read_text() for path in files)


def test_a_second_turn_of_one_step_reads_what_the_first_has_written(tmp_path: Path) -> None:
    """E2, C14: a reply that is put right is asked for in the same step, at the same recorded time,
    and yet after the first has ended."""
    prompt = (Segment("turn", "w" * 8000, Volatility.ITERATION),)
    first = play(tmp_path, call(tmp_path, id="1", prompt=prompt, at=1000.0), {"reply": "no"})
    again = (Segment("turn", "once more", Volatility.ITERATION),)
    asked = call(tmp_path, id="2", prompt=again, resume=first.session, at=1000.0)
    second = play(tmp_path, asked, {"reply": "yes"})
    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.read >= first.usage.write_5m > 1000
