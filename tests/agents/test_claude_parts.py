"""The parts of the Claude backend that need no client: rules, logins, outcomes, what is counted.

Covers: E2, G1, H5, H6
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.agents.backend import Access, AgentEvent, TurnOutcome
from sparing.agents.claude.client import InstalledClient
from sparing.agents.claude.login import Login, LoginKind, find_login
from sparing.agents.claude.options import Setup, argv, environment, hosts, needs
from sparing.agents.claude.outcome import outcome
from sparing.agents.claude.rules import judge, rules_of, tools_of
from sparing.agents.claude.stream import Watch, usage_of
from sparing.agents.reported_version import version_numbers
from sparing.failure import Failure
from sparing.usage import Usage
from tests.agents.backends import call

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("result", "failure"),
    [
        ({"subtype": "success", "is_error": False}, None),
        ({"subtype": "success", "is_error": True, "terminal_reason": "api_error"}, Failure.NETWORK),
        ({"subtype": "success", "is_error": True, "api_error_status": 529}, Failure.OVERLOADED),
        ({"subtype": "success", "is_error": True, "api_error_status": 503}, Failure.OVERLOADED),
        ({"subtype": "success", "is_error": True, "api_error_status": 401}, Failure.AUTH),
        ({"subtype": "success", "is_error": True, "api_error_status": 402}, Failure.QUOTA),
        ({"subtype": "success", "is_error": True, "stop_reason": "refusal"}, Failure.REFUSED),
        ({"subtype": "error_max_turns", "is_error": True}, Failure.BUDGET),
        ({"subtype": "error_max_structured_output_retries", "is_error": True}, Failure.GARBAGE),
        ({"subtype": "error_during_execution", "is_error": True}, Failure.CRASHED),
        ({"subtype": "error_of_tomorrow"}, Failure.CRASHED),
        ({}, Failure.CRASHED),
        (
            {"is_error": True, "errors": ["No conversation found with session ID: x"]},
            Failure.INVALID_SESSION,
        ),
        (
            {"is_error": True, "api_error_status": 400, "result": "Credit balance is too low"},
            Failure.QUOTA,
        ),
    ],
)
def test_every_end_has_a_word(result: dict[str, Any], failure: Failure | None) -> None:
    """G1: `success` alone is none."""
    found = outcome(result, resumed=False)
    assert found.failure is failure
    assert bool(found.detail) is (failure is not None)


def test_a_bad_request_depends_on_whose_it_is() -> None:
    """C8: in a session it is the transcript's fault, and a fresh one may help."""
    result = {"subtype": "success", "is_error": True, "api_error_status": 400, "result": "no"}
    assert outcome(result, resumed=True) == TurnOutcome(Failure.INVALID_SESSION, "no")
    assert outcome(result, resumed=False) == TurnOutcome(Failure.REFUSED, "no")


@settings(max_examples=15)
@given(st.dictionaries(st.sampled_from(["input_tokens", "cache_creation", "output_tokens"]), JSON))
def test_no_count_is_too_odd(fields: dict[str, Any]) -> None:
    """E2: what is no number of tokens counts as none."""
    assert usage_of(fields).total >= 0


def test_the_lives_of_what_is_written_are_kept_apart() -> None:
    """E2: the client says how much was written, and how much of it for an hour."""
    fields = {
        "input_tokens": 1,
        "cache_read_input_tokens": 2,
        "cache_creation_input_tokens": 10,
        "cache_creation": {"ephemeral_1h_input_tokens": 4, "ephemeral_5m_input_tokens": 6},
        "output_tokens": 5,
    }
    assert usage_of(fields) == Usage(1, 2, 6, 4, 5)
    del fields["cache_creation"]
    assert usage_of(fields) == Usage(1, 2, 10, 0, 5)


@settings(max_examples=15)
@given(st.lists(st.dictionaries(st.sampled_from(["type", "message", "event", "x"]), JSON)))
def test_no_message_is_too_odd(messages: list[dict[str, Any]]) -> None:
    """G1: what is not understood is left out."""
    seen: list[AgentEvent] = []
    watch = Watch(call(Path("/w")), Path("/w"), seen.append)
    for message in messages:
        watch.see(message)
    for kind in ("assistant", "user", "system", "result", "stream_event", "control_request"):
        for message in messages:
            watch.see({**message, "type": kind})
    assert watch.usage.total >= 0


@pytest.mark.parametrize(
    ("tool", "given_path", "allowed"),
    [
        ("Read", "{root}/a.txt", True),
        ("Read", "a.txt", True),
        ("Read", "../a.txt", False),
        ("Read", "/etc/passwd", False),
        ("Read", "{root}/../x", False),
        ("Read", "{root}-other/x", False),
        ("Read", "{root}/a\0b", False),
        ("Write", "{root}/a.txt", True),
        ("Task", "{root}/a.txt", False),
        ("WebFetch", "", False),
        ("StructuredOutput", "", True),
    ],
)
def test_the_look_at_every_call(tmp_path: Path, tool: str, given_path: str, allowed: bool) -> None:
    """H6"""
    root = tmp_path.resolve()
    answer = judge(tool, {"file_path": given_path.format(root=root)}, Access.WORKTREE, root)
    assert (answer.reason == "") is allowed
    assert bool(answer.output) is not allowed


def test_rules_name_the_worktree_alone() -> None:
    """H6: two slashes begin an absolute path; one that rules can't say is left to the look."""
    assert rules_of(Access.READ_ONLY, Path("/w/t")) == (
        "Glob(//w/t/**)",
        "Grep(//w/t/**)",
        "Read(//w/t/**)",
    )
    assert "Bash" in rules_of(Access.WORKTREE, Path("/w/t"))
    editors = tools_of(Access.NO_SHELL)
    assert ("Write" in editors, "Bash" in editors) == (True, False)
    assert judge("Bash", {}, Access.NO_SHELL, Path("/w/t")).reason
    assert rules_of(Access.READ_ONLY, Path("/w (1)/t")) == tools_of(Access.READ_ONLY)


class TestLogin:
    """H5: which login is used, in words that hold no secret."""

    def test_the_first_there_is(self, tmp_path: Path) -> None:
        (tmp_path / ".claude").mkdir()
        (tmp_path / ".claude" / ".credentials.json").touch()
        both = {"ANTHROPIC_API_KEY": "sk-key", "CLAUDE_CODE_OAUTH_TOKEN": "sk-token"}
        token = {"CLAUDE_CODE_OAUTH_TOKEN": "sk-token"}
        found = [find_login(given, tmp_path) for given in (both, token, {})]
        assert [login and login.kind for login in found] == list(LoginKind)
        for login in found:
            assert login is not None
            assert "sk-" not in f"{login!r} {login.words}"

    def test_the_one_that_is_wanted(self, tmp_path: Path) -> None:
        both = {"ANTHROPIC_API_KEY": "sk-key", "CLAUDE_CODE_OAUTH_TOKEN": "sk-token"}
        login = find_login(both, tmp_path, LoginKind.TOKEN)
        assert login is not None
        assert login.secret == "sk-token"
        assert find_login(both, tmp_path, LoginKind.OWN) is None

    def test_nobody_is_logged_in(self, tmp_path: Path) -> None:
        assert find_login({"ANTHROPIC_API_KEY": "  "}, tmp_path) is None
        assert find_login({}, None) is None

    def test_what_a_secret_needs(self, tmp_path: Path) -> None:
        """Its name is told, so that commands do not inherit it; it stands in no argument."""
        setup = Setup(Path("/bin/claude"), "2", tmp_path, Login(LoginKind.API_KEY, "sk-key"))
        wanted = needs(setup, call(tmp_path))
        assert wanted.secrets == {"ANTHROPIC_API_KEY"}
        assert wanted.environment["ANTHROPIC_API_KEY"] == "sk-key"
        assert "sk-key" not in " ".join(argv(setup, call(tmp_path)))

    def test_the_own_folder_is_writable_and_renewed_over_the_network(self, tmp_path: Path) -> None:
        setup = Setup(Path("/c"), "2", tmp_path / "c", Login(LoginKind.OWN, folder=tmp_path))
        assert needs(setup, call(tmp_path)).state == (tmp_path / "c", tmp_path)
        assert {host.name for host in hosts(setup)} == {"api.anthropic.com", "platform.claude.com"}


def test_an_argument_is_no_flag(tmp_path: Path) -> None:
    """H6: whatever a model's name or a session looks like."""
    setup = Setup(Path("/c"), "2", tmp_path, Login(LoginKind.API_KEY, "k"))
    line = argv(setup, call(tmp_path, model="--bare", resume="--continue", system="--debug"))
    assert {"--model=--bare", "--resume=--continue", "--system-prompt=--debug"} <= set(line)
    assert not {"--bare", "--continue", "--debug"} & set(line)


def test_one_way_to_the_provider(tmp_path: Path) -> None:
    """G4: a port of this machine: the provider's own, or that of the tunnel."""
    login = Login(LoginKind.API_KEY, "k")
    here = Setup(Path("/c"), "2", tmp_path, login, "http://127.0.0.1:8123")
    out = Setup(Path("/c"), "2", tmp_path, login, proxy="http://127.0.0.1:9000")
    assert [needs(one, call(tmp_path)).ports for one in (here, out)] == [{8123}, {9000}]
    assert hosts(here) == set()
    assert environment(out, call(tmp_path))["HTTPS_PROXY"] == "http://127.0.0.1:9000"


def test_versions() -> None:
    assert version_numbers("2.1.325 (Claude Code)") == (2, 1, 325)
    usable = [
        InstalledClient(Path("/c"), version, bundled=False).usable
        for version in ("2.1.325", "2.0.9", "")
    ]
    assert usable == [True, False, False]
