"""What `gh` prints of a pull request, in its real forms; what it can't tell is said in two lines.

Covers: A10, K1
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.errors import RepositoryError
from sparing.finding import Severity
from sparing.pull_status import PullNote, PullState
from sparing.workspace.host.pull_reply import (
    read_line_comments,
    read_log,
    read_resolved,
    read_status,
)
from sparing.workspace.host.pull_request_status import pull_address, read_pull_status
from tests.upstream.host import GH, PULL, RECORDED, Host, requested

VIEW = (RECORDED / "pr_view.json").read_text()
THREADS = (RECORDED / "threads.json").read_text()
LINES = (RECORDED / "line_comments.json").read_text()
ASKS = frozenset({"grace"})


def threads(text: str) -> tuple[PullNote, ...]:
    found = read_line_comments(text, ASKS, "ada")
    assert found is not None
    return found


def test_what_was_recorded() -> None:
    """Reviews that were settled by an approval, and hidden comments, do not count."""
    found = read_status(VIEW)
    assert found is not None
    status = found.status
    assert (status.number, status.state, status.red) == (7, PullState.OPEN, ("CI / test",))
    assert (status.green, status.pending, found.asks, found.owner) == (2, 1, ASKS, "ada")
    assert [(one.author, one.severity, one.member) for one in status.notes] == [
        ("grace", Severity.BLOCKER, True),
        ("grace", Severity.WARNING, True),
        ("stranger", Severity.WARNING, False),
    ]
    (red,) = found.red
    assert (red.job, red.words) == ("2301", "failure")


def test_a_conversation_on_a_line_is_one_finding() -> None:
    """With the line it is about; a new reply makes it a new one, unless it is the owner's."""
    (one,) = threads(LINES)
    assert (one.path, one.line, one.quoted, one.key) == ("made.txt", 1, "made", "line-502")
    assert one.text.splitlines()[1] == "linus replies: And end with a full stop."
    rows = json.loads(LINES)
    own = {**rows[0], "id": 503, "in_reply_to_id": 501, "user": {"login": "ada"}, "body": "Done"}
    (after,) = threads(json.dumps([*rows, own]))
    assert after.key == "line-502"
    (more,) = threads(json.dumps([*rows, {**own, "user": {"login": "x"}}]))
    assert more.key == "line-503"


def test_which_conversations_are_resolved() -> None:
    """By their first comment, page after page; an odd shape resolves nothing."""
    (one,) = threads(LINES)
    assert one.thread == "501"
    assert read_resolved(THREADS) == frozenset()
    resolved = THREADS.replace('false, "comments', 'true, "comments')
    assert read_resolved(resolved) == {"501"}
    assert read_resolved(f"{resolved}\n{resolved.replace('501', '601')}") == {"501", "601"}
    first = '{"databaseId": 501}'
    replied = resolved.replace(first, f'{first}, {{"databaseId": 502}}')
    assert replied != resolved
    assert read_resolved(replied) == {"501"}
    for odd in ("", "no json", "[]", '{"data": null}', '{"errors": [{"type": "NOT_FOUND"}]}'):
        assert read_resolved(odd) == frozenset()


def test_several_pages_stand_one_after_the_other() -> None:
    first, second = json.loads(LINES)
    pages = json.dumps([first]) + json.dumps([{**second, "in_reply_to_id": None}])
    assert len(threads(pages)) == 2
    assert read_line_comments("[]", ASKS, "ada") == ()


@pytest.mark.parametrize("text", ["", "no json", "{}", "[1", "null", '{"message": "Not Found"}'])
def test_odd_shapes_are_refused(text: str) -> None:
    assert read_status(text) is None
    assert read_line_comments(text, ASKS, "") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.sampled_from(list(json.loads(VIEW))), JSON)
def test_a_field_of_any_shape_breaks_nothing(name: str, value: Any) -> None:
    read_status(json.dumps({**json.loads(VIEW), name: value}))


@given(st.sampled_from(list(json.loads(LINES)[0])), JSON)
def test_a_comment_of_any_shape_breaks_nothing(name: str, value: Any) -> None:
    found = read_line_comments(json.dumps([{**json.loads(LINES)[0], name: value}]), ASKS, "")
    assert found is not None


def test_a_log_without_what_gh_puts_before_it() -> None:
    text = (RECORDED / "log_failed.txt").read_text()
    assert read_log(text, 2) == (
        "make: *** [Makefile:2: test] Error 1\n##[error]Process completed with exit code 2."
    )


@pytest.mark.parametrize(
    ("name", "code", "said", "what", "repair"),
    [
        (
            "pr_view", 4, "To get started with GitHub CLI, please run:  gh auth login\n"
            "Alternatively, populate the GH_TOKEN environment variable with a token.",
            "To get started with GitHub CLI, please run:  gh auth login", "log in: gh auth login",
        ),
        (
            "pr_view", 1, "GraphQL: API rate limit exceeded for user ID 31.",
            "GraphQL: API rate limit exceeded for user ID 31.", "wait until the limit is over",
        ),
        (
            "line_comments", 1, "gh: API rate limit exceeded for user ID 31. (HTTP 403)",
            "gh: API rate limit exceeded", "wait until the limit is over",
        ),
        (
            "pr_view", 1, "GraphQL: Could not resolve to a PullRequest with the number of 7."
            " (repository.pullRequest)", "Could not resolve to a PullRequest",
            f"see whether it is still there: gh pr view {PULL}",
        ),
        (
            "pr_view", 1, "error connecting to example.com\ncheck your internet connection",
            "error connecting to example.com", "see that the host can be reached",
        ),
        ("pr_view", 1, "", "exit code 1", "see: gh auth status"),
    ],
)  # fmt: skip
def test_what_gh_complains_about(
    tmp_path: Path, name: str, code: int, said: str, what: str, repair: str
) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "bin").mkdir()
    gh = tmp_path / "bin" / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    (tmp_path / "host" / "pr_view").write_text(VIEW)
    (tmp_path / "host" / f"{name}.refused").write_text(f"{code}\n{said}")
    where = pull_address(PULL)
    assert where is not None
    with pytest.raises(RepositoryError) as refused:
        read_pull_status(where, {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    assert refused.value.what.startswith("gh can't read pull request #7: ")
    assert what in refused.value.what
    assert refused.value.repair.startswith(repair)
    assert "\n" not in refused.value.what + refused.value.repair


@pytest.mark.parametrize(
    "url", ["", "https://example.com/ada/gate", "../pull/7", "x --json/pull/1"]
)
def test_what_is_no_address(url: str) -> None:
    assert pull_address(url) is None


def test_bad_answers_lose_nothing(tmp_path: Path) -> None:
    """A10, K1: known findings stay, the feature stays where it is, a run says it and continues."""
    there: Host = requested(tmp_path)
    there.stands()
    assert there.sparing("run").code == 2
    before = there.sparing("status", "--json").json
    there.says("pr_view", '{"number": "seven"}')
    odd = there.sparing("fix", "1", "--yes")
    assert odd.complaint == (
        "error: gh can't read pull request #7: its answer has a form that Sparing does not know",
        f"fix: update gh, or look yourself: {PULL}",
    )
    (there.folder / "bin" / "gh").unlink()
    gone = there.sparing("run", PATH="/usr/bin:/bin")
    assert gone.err.startswith(
        "note: gh is not installed, so pull request #7 can't be read\n"
        f"  fix: install gh (https://cli.github.com), or look yourself: {PULL}\n"
    )
    assert there.sparing("status", "--json").json == before
