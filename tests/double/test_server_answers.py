"""Answers of the double: streams, siblings, limits, counts. Covers: G2."""

from __future__ import annotations

import json
import threading

from tests.double.serving import Client, Json, Reply
from tests.double.wired import ASKED, BASE, Bill, agent, bill, body, call, result, talk, user


def test_results_of_neighbouring_messages_and_reminders_between_are_fine(client: Client) -> None:
    """G2: what the real client sends: results one by one, a reminder of the system between."""
    reminder: Json = {"role": "system", "content": "a reminder"}
    answered = talk(
        ASKED, agent("so"), agent(call(1), call(2)), reminder, user(result(2)), user(result(1))
    )
    assert client.send(body("", **answered)).status == 200


def test_siblings_sent_before_the_first_answer_begins_each_pay(client: Client) -> None:
    """G2: an entry is there when its answer begins, and not before."""
    client.control(plan=[{"hold": True, "text": "late"}])
    replies: list[Reply] = []
    first = threading.Thread(target=lambda: replies.append(client.send(body(BASE))))
    first.start()
    client.until_waiting(1)
    sibling = client.send(body("T:2000* S:1000* Msibling:400*"))
    client.control(release=True)
    first.join()
    later = client.send(body("T:2000* S:1000* Mlater:300*"))
    assert [bill(replies[0]), bill(sibling), bill(later)] == [
        Bill(write_5m=3500),
        Bill(write_5m=3400),
        Bill(read=3000, write_5m=300),
    ]


def test_a_client_that_names_one_time_for_a_whole_turn_reads_what_it_wrote(client: Client) -> None:
    """G2: the real client sends the same headers with every call of a turn."""
    now = client.state()["now"] + 10
    client.at(now, body(BASE))
    assert bill(client.at(now, body(BASE + " Mmore:10*"))) == Bill(read=3500, write_5m=10)


def test_a_stream_is_billed_and_says_as_much_as_one_message(client: Client) -> None:
    """G2: streaming equals non-streaming, to the token and to the letter."""
    step = {
        "thinking": "hm",
        "text": "ä" * 5000,
        "tool_use": [{"name": "Read", "input": {"a": "b"}}],
    }
    client.control(plan=[{**step, "times": 2}])
    plain = client.send(body(BASE)).json
    client.control(reset_cache=True)
    reply = client.send(body(BASE, stream=True))
    assert reply.headers["content-type"].startswith("text/event-stream")
    names = [event["type"] for event in reply.events]
    assert (names[0], names[1], names[-2:]) == (
        "message_start", "ping", ["message_delta", "message_stop"])  # fmt: skip
    start, end = reply.events[0]["message"], reply.events[-2]
    assert start["content"] == []
    assert {**start["usage"], "output_tokens": 0} == {**plain["usage"], "output_tokens": 0}
    assert (start["usage"]["output_tokens"], end["usage"]) == (1, plain["usage"])
    assert end["delta"]["stop_reason"] == plain["stop_reason"] == "tool_use"
    said = [{key: one[key] for key in one if key != "id"} for one in plain["content"]]
    assert put_together(reply.events) == said


def put_together(events: list[Json]) -> list[Json]:
    """The content that a stream's deltas add up to, without ids."""
    blocks: list[Json] = []
    for event in events:
        if event["type"] == "content_block_start":
            assert event["index"] == len(blocks)
            blocks.append({**event["content_block"], "partial": ""})
            blocks[-1].pop("id", None)
        elif event["type"] == "content_block_delta":
            for key, piece in event["delta"].items():
                name = "partial" if key == "partial_json" else key
                blocks[event["index"]][name] += piece if key != "type" else ""
    for block in blocks:
        partial = block.pop("partial")
        if block["type"] == "tool_use":
            block["input"] = json.loads(partial)
    return blocks


def test_counting_tokens_agrees_with_the_bill_and_writes_nothing(client: Client) -> None:
    counted = client.send(body(BASE, max_tokens=None), "/v1/messages/count_tokens")
    assert counted.json == {"input_tokens": 3500}
    assert bill(client.send(body(BASE))) == Bill(write_5m=3500)


def test_a_request_for_no_token_warms_the_cache(client: Client) -> None:
    warmed = client.send(body(BASE, max_tokens=0)).json
    assert (warmed["content"], warmed["stop_reason"]) == ([], "max_tokens")
    assert warmed["usage"]["output_tokens"] == 0
    assert bill(client.send(body(BASE))) == Bill(read=3500)


def test_an_answer_keeps_to_the_limit_of_tokens(client: Client) -> None:
    client.control(plan=[{"text": "word " * 1000}])
    said = client.send(body("", max_tokens=10)).json
    assert (said["stop_reason"], said["usage"]["output_tokens"]) == ("max_tokens", 10)
