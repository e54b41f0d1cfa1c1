"""What the conformance suite found of each client: a pytest plugin that keeps it, and the page.

`make conformance` loads it with `-p scripts.conformance`. What passed and failed on a client goes
to `docs/generated/agents.json`, with the client's version; results of another version of it are
dropped, results of tests that were not run this time stay. `docs/generated/agents.md` is made of
that file alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

Json = dict[str, Any]
FILE = Path(__file__).resolve().parent.parent / "docs" / "generated" / "agents.json"
TITLES: Mapping[str, str] = {
    "claude": "Claude Code",
    "codex": "Codex",
    "api": "Anthropic's API, Pydantic AI",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
}
OWN_FILES = ("claude", "codex", "api")
"""Clients whose own tests are in files that are named after them."""
HOSTILE = "test_a_hostile_model_reaches_nothing"
ABILITIES: Mapping[str, tuple[str, ...]] = {
    "resume in a new process and in another worktree": (
        "test_a_resumed_session_knows_what_was_said",
        "test_a_session_goes_on_in_another_worktree",
    ),
    "resume check, V1 to V5": ("test_the_resume_check_passes",),
    "fork that leaves the original as it was": ("test_a_fork_leaves_the_original_untouched",),
    "keep-alive that leaves nothing behind": (
        "test_a_ping_keeps_a_session_warm_and_leaves_it_as_it_was",
    ),
    "one turn at a time in a session": ("test_a_session_takes_one_turn_at_a_time",),
    "killed in mid-turn, the session can be resumed": (
        "test_a_killed_turn_does_not_break_its_session",
    ),
    "a reply in the form that was asked for": ("test_a_verdict_has_the_form_that_was_asked_for",),
    "95 % of a shared trunk read in another worktree; turns, forks and keep-alives billed to the "
    "token": ("test_a_trunk_is_shared_over_worktrees_and_billed_to_the_token",),
    "usage for each request, equal to the provider's bill": (
        "test_the_bill_is_the_provider_s_to_the_token",
        "test_a_bill_has_no_token_twice",
    ),
    "stops at a turn's limit of tokens": ("test_a_turn_stops_at_its_limit_of_tokens",),
    "a reviewer can't write": ("test_a_reviewer_that_wants_to_write",),
    "crash, hang, garbage, half a JSON": ("test_a_client_that_is_broken",),
    "another session than the one asked for is noticed": (
        "test_a_client_that_opens_another_session",
    ),
    "a login that has vanished is told before any request": ("test_a_login_that_has_vanished",),
    "used-up quota, with and without a reset time": ("test_a_used_up_quota",),
    "network cut in mid-turn, provider not there": (
        "test_a_network_that_is_cut_in_mid_turn",
        "test_a_provider_that_nobody_answers_for",
    ),
    "the same feature leads to the same commits": ("test_the_same_feature_leads_to_the_same_tree",),
    "a hostile model reaches no key, login, port or file outside": (HOSTILE,),
}


NEVER: Mapping[tuple[str, str], str] = {
    ("api", "test_a_client_that_opens_another_session"): "sessions are Sparing's",
}
"""What can't happen, and why."""


class Ran(NamedTuple):
    client: str
    test: str


def ran_of(nodeid: str) -> Ran | None:
    """Which client a test ran on, by its parameters or by its file's name."""
    file, _, name = nodeid.partition("::")
    test, *given = re.split(r"[\[\],-]", name)
    for client in TITLES:
        if client in given:
            return Ran(client, test)
    own = next((one for one in OWN_FILES if f"test_{one}_turn" in file), "")
    return Ran(own, test) if own else None


class Results:
    """Of one run, by client."""

    def __init__(self) -> None:
        self.found: dict[str, Json] = {}

    def take(self, nodeid: str, outcome: str, told: Iterable[tuple[str, object]]) -> None:
        ran = ran_of(nodeid)
        if ran is None or outcome == "skipped":
            return
        one = self.found.setdefault(ran.client, {"tests": {}})
        tests = cast("dict[str, bool]", one["tests"])
        tests[ran.test] = tests.get(ran.test, True) and outcome == "passed"
        for name, value in told:
            self._told(one, name, value)

    def _told(self, one: Json, name: str, value: object) -> None:
        if name == "can":
            one.update(json.loads(str(value)))
        elif name == "hostile":
            row = json.loads(str(value))
            one.setdefault("hostile", {})[row["client"]] = row
        elif name.startswith("base-"):
            one[name] = value


def merged(before: Mapping[str, Json], found: Mapping[str, Json]) -> dict[str, Json]:
    """New results over old ones of the same version."""
    clients = dict(before)
    for name, new in found.items():
        old: Json = clients.get(name, {})
        version = new.get("version", old.get("version"))
        kept: Json = old if old.get("version") == version else {}
        both: Json = {**kept, **new}
        for part in ("tests", "hostile"):
            both[part] = dict(sorted({**kept.get(part, {}), **new.get(part, {})}.items()))
        clients[name] = dict(sorted(both.items()))
    return dict(sorted(clients.items()))


def stored(path: Path = FILE) -> dict[str, Json]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


_results = Results()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.failed:
        _results.take(report.nodeid, report.outcome, report.user_properties)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput") or not _results.found:
        return
    text = json.dumps(merged(stored(), _results.found), indent=1) + "\n"
    FILE.write_text(text, "utf-8")


def page(results: Mapping[str, Json]) -> str:
    """The generated page."""
    names = [name for name in TITLES if name in results]
    rows = [
        _row("ability", [f"{TITLES[one]} {results[one].get('version', '')}" for one in names]),
        _row("---", ["---"] * len(names)),
        *(
            _row(words, [_cell(one, results[one]["tests"], tests) for one in names])
            for words, tests in ABILITIES.items()
        ),
        *(_row(words, [_fact(results[one], key) for one in names]) for words, key in FACTS),
        _row("tests passed", [_passed(results[one]["tests"]) for one in names]),
    ]
    return "\n".join((*HEAD, *rows, "", *_hostile(results, names))) + "\n"


HEAD = (
    "# What each client can do",
    "",
    "Made from what `make conformance` and `make nightly` found (`agents.json`, by version).",
    "Every client is the real one, its model a double on this machine; tokens are as the double",
    "counts them (simulated). `no` is a test that failed, `not run` one that has not been run on",
    "this version. Logins, settings and what differs in use: [agents.md](../agents.md).",
    "",
)
HOSTILE_HEAD = (
    "## A hostile model behind each client",
    "",
    "Every attempt is made by the real client in its sandbox, and counts by what is found after",
    "it: in the worktree, in what the model was told, outside, at a server on this machine.",
    "`python -m bench.hostile --clients` prints the same for the clients that are installed.",
    "",
)
FACTS = (
    ("form enforced by the client (else asked for in words)", "schema"),
    ("cache marks that Sparing sets", "marks"),
    ("cache entries that last an hour", "hour"),
    ("web search by the provider", "searches"),
    ("Sparing's tools in place of the client's", "own tools"),
    ("tokens before any prompt, readers", "base-read-only"),
    ("tokens before any prompt, authors", "base-worktree"),
)


def _row(first: str, cells: Iterable[str]) -> str:
    return f"| {' | '.join((first, *cells))} |"


def _cell(client: str, tests: Mapping[str, bool], wanted: tuple[str, ...]) -> str:
    if (client, wanted[0]) in NEVER:
        return NEVER[client, wanted[0]]
    found = [tests[one] for one in wanted if one in tests]
    if False in found:
        return "**no**"
    return "yes" if len(found) == len(wanted) else "not run"


def _fact(result: Json, key: str) -> str:
    value = result.get(key)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not run" if value is None else str(value)


def _passed(tests: Mapping[str, bool]) -> str:
    return f"{sum(tests.values())} of {len(tests)}"


def _hostile(results: Mapping[str, Json], names: Iterable[str]) -> Iterable[str]:
    yield from HOSTILE_HEAD
    columns = ("keys", "logins", "ports", "read", "written", "forged")
    yield _row("client", ("attempts", "commands run", *COLUMN_WORDS))
    yield _row("---", ["---"] * (len(columns) + 2))
    for name in names:
        for row in results[name].get("hostile", {}).values():
            figures = [row["attempts"], row["ran"], *(row[one] for one in columns)]
            yield _row(row["client"], map(str, figures))


COLUMN_WORDS = (
    *("keys", "logins", "ports reached", "files read outside", "files written outside"),
    "results forged",
)
