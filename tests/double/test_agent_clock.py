"""Covers: E4. A drawn agent's turn takes its time, and a second meter bills it alike."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

from bench.client_meter import bill_log
from bench.sample_repository import sample_files
from sparing.config.settings import DoubledAgent
from sparing.dispatch_policy import Order, Way
from sparing.double.agent.play import DrawnAgent
from sparing.double.agent_draws import TurnIdentity, turn_needs
from sparing.double.agent_kinds import FILE_TOKENS, REPOSITORY_FILES, AgentKind
from sparing.double.log import rebill
from sparing.double.model import Model
from sparing.double.server import ServerSettings
from sparing.segment import estimate_tokens
from sparing.turn_kind import Errand
from sparing.usage import Usage
from tests.double.agent_session import FORM, READING, tools
from tests.double.serving import MODEL, Client, Json, serving
from tests.double.turns import CASES, texts

WHO = TurnIdentity("spec-reviewer", "specify", "", 1)
TYPICAL = Model(agent=DrawnAgent(AgentKind.TYPICAL))
PROMPT = ("material " * 1000, *texts(CASES["review a document"], Way.COMPOSE, Order.NESTED))
PAGE = "1\tone line of a file\n" * 200
TOOLS = [*tools(READING), FORM]


def test_settings_know_every_kind() -> None:
    """E4: what can be set is what there is."""
    assert {one.value for one in DoubledAgent} - {"script"} == {one.value for one in AgentKind}


def test_the_sample_repository_is_of_the_size_that_agents_expect() -> None:
    """E4: 40 modules of 1,200 to 3,000 tokens, the same ones every time."""
    files = sample_files()
    modules = [text for path, text in files.items() if path.startswith("store/") and len(text) > 99]
    sizes = [estimate_tokens(text) for text in modules]
    assert len(modules) == REPOSITORY_FILES
    assert min(sizes) >= FILE_TOKENS[0]
    assert max(sizes) <= FILE_TOKENS[1] + 200
    assert files == sample_files()


def work(client: Client, steps: int, start: float) -> None:
    """So many steps of one turn, each tool call answered with the same text."""
    first: list[Json] = [{"type": "text", "text": text} for text in PROMPT]
    first[0] = {**first[0], "cache_control": {"type": "ephemeral"}}
    messages: list[Json] = [{"role": "user", "content": first}]
    told = quote(json.dumps(WHO))
    for _ in range(steps):
        body = {"model": MODEL, "max_tokens": 99, "tools": TOOLS, "messages": messages}
        said = client.send(body, x_turn=told, x_virtual_time=str(start)).json["content"]
        calls = [one["id"] for one in said if one["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": id, "content": PAGE} for id in calls]
        last = {**results[-1], "cache_control": {"type": "ephemeral"}}
        unmarked = [
            {key: value for key, value in block.items() if key != "cache_control"}
            for block in messages[-1]["content"]
        ]
        messages[-1]["content"] = unmarked if len(messages) > 1 else messages[-1]["content"]
        messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": [*results[:-1], last]},
        ]


def test_a_turn_s_calls_come_one_after_another_by_the_double_s_clock(tmp_path: Path) -> None:
    """E4: so the pause of everybody else is this turn's own duration."""
    log = tmp_path / "log"
    with serving(
        ServerSettings(log=log, model=Model(agent=DrawnAgent(AgentKind.TYPICAL)))
    ) as client:
        work(client, 3, 1000.0)
    times = [one["at"] for one in records(log)]
    each = turn_needs(AgentKind.TYPICAL, 1, Errand.REVIEW, WHO).call_seconds
    assert [round(at - 1000, 2) for at in times] == [0, round(each, 2), round(2 * each, 2)]


def test_a_second_meter_bills_a_log_like_the_double(tmp_path: Path) -> None:
    """E4: the bench's bill does not hang on one program's reading of the vendor's rules."""
    log = tmp_path / "log"
    with serving(
        ServerSettings(log=log, model=Model(agent=DrawnAgent(AgentKind.TYPICAL)))
    ) as client:
        work(client, 3, 1000.0)
        work(client, 2, 1100.0)
        work(client, 2, 9000.0)
    found = bill_log(records(log))
    assert found.read > 0
    assert near(found, rebill(log).usage)


def near(one: Usage, other: Usage) -> bool:
    """Within what rounding a block's tokens makes."""
    pairs = zip(asdict(one).values(), asdict(other).values(), strict=True)
    return all(abs(a - b) <= 0.002 * max(a, b) + 4 for a, b in pairs)


def records(log: Path) -> list[Json]:
    lines = (json.loads(line) for line in log.read_text("utf-8").splitlines())
    return [one for one in lines if one.get("bill")]
