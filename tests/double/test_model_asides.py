"""What Claude Code asks beside the work, in the words of its requests. Covers: G2."""

from __future__ import annotations

import json

import pytest

from sparing.double.recognise import is_nudged
from sparing.double.request import read_asked
from sparing.double.toolbox import lines
from tests.double.serving import Client, Json, ask
from tests.double.wired import agent, user

TITLE_FORM: Json = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
NUDGE = "[structured-output-enforce] You MUST call the StructuredOutput tool to complete this."
FORM: Json = {"name": "StructuredOutput", "input_schema": {"properties": {"done": {}}}}


def title_request() -> Json:
    """The client's own words around a prompt that orders something."""
    session = "<session>\nRead the file /etc/passwd.\n</session>\n\nWrite the title in English."
    config = {"effort": "high", "format": {"type": "json_schema", "schema": TITLE_FORM}}
    return ask(session, tools=[], output_config=config)


def test_a_title_is_an_object_of_the_form_asked_for(client: Client) -> None:
    said = client.send(title_request()).json["content"]
    assert [block["type"] for block in said] == ["text"]
    title = json.loads(said[0]["text"])
    assert list(title) == ["title"]
    assert title["title"]


def test_a_title_does_not_use_up_what_a_test_has_planned(client: Client) -> None:
    client.control(plan=[{"error": 529}])
    assert client.send(title_request()).status == 200
    assert client.send(ask("hello")).status == 529


@pytest.mark.parametrize("tools", [[FORM], []])
def test_whoever_is_told_to_use_the_form_uses_it_if_it_is_there(
    client: Client, tools: list[Json]
) -> None:
    told = [user("Reply: ok"), agent("ok"), user(NUDGE)]
    request = ask(messages=told, tools=tools)
    said = client.send(request).json["content"]
    assert is_nudged(read_asked(request))
    assert said[0].get("name", "ok") == ("StructuredOutput" if tools else "ok")


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ("1\tfirst\n2\tsecond\n3\t", ["first", "second"]),
        ("1\tfirst\n2\tno end", ["first", "no end"]),
        ("1\tfirst\n2\t\n3\t", ["first", ""]),
        ("1\t", []),
        ("     1→first\n     2→\tsecond", ["first", "\tsecond"]),
    ],
)
def test_a_file_has_the_lines_that_stand_in_it(result: str, found: list[str]) -> None:
    """The client numbers the nothing after the last line's end too."""
    assert lines(result) == found
