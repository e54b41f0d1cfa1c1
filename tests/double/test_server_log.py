"""Every request stands in the log with its bill, for anyone to bill again. Covers: G2, E2, H5."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.double.__main__ import main
from sparing.double.log import rebill
from sparing.double.server import ServerSettings
from sparing.errors import StateError
from sparing.usage import Usage
from tests.double.serving import Client, Json, ask, serving
from tests.double.wired import BASE, bill, body


def records(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def exercise(client: Client) -> Usage:
    """Hits, misses, errors, cuts and a new start; what the clients were told to pay."""
    told = Usage()
    for at, request in (
        (10, body(BASE)),
        (20, body(BASE + " Mmore:100*")),
        (400, body("T:2000** S:1000* Mask:500")),
        (500, body("T:2000* S:1000*", stream=False)),
    ):
        reply = client.at(at, request)
        usage = bill(reply)
        told += Usage(*usage, output=reply.json["usage"]["output_tokens"])
    client.control(plan=[{"error": 500}])
    client.send(body(BASE))
    client.send(b"not JSON")
    client.send(body(BASE), "/v1/messages/count_tokens")
    client.control(reset_cache=True)
    usage = bill(reply := client.send(body(BASE)))
    return told + Usage(*usage, output=reply.json["usage"]["output_tokens"])


def test_the_bill_of_a_log_agrees_with_what_clients_were_told(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with serving(ServerSettings(log=log)) as client:
        told = exercise(client)
    assert rebill(log) == (5, told, ())
    assert told.read > 0
    assert told.write_1h > 0


def test_a_second_run_may_go_on_in_the_same_log(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    told: list[Usage] = []
    for _ in range(2):
        with serving(ServerSettings(log=log)) as client:
            told.append(exercise(client))
    assert rebill(log) == (10, told[0] + told[1], ())


def test_a_bill_that_was_altered_is_found(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with serving(ServerSettings(log=log)) as client:
        exercise(client)
    altered = [json.dumps(_cheaper(record)) for record in records(log)]
    log.write_text("\n".join(altered) + "\n")
    assert rebill(log).differing == (2,)


def _cheaper(record: Json) -> Json:
    if record.get("number") == 2:
        record["bill"]["write_5m"] = 0
    return record


def test_requests_are_logged_whole_and_secrets_are_not(tmp_path: Path) -> None:
    """H5: neither keys nor tokens, in no header, ever."""
    log = tmp_path / "log.jsonl"
    request = {**body(BASE), "metadata": {"user_id": "me"}}
    with serving(ServerSettings(log=log)) as client:
        client.headers |= {"authorization": "Bearer sk-two-secret", "cookie": "sk-three-secret"}
        client.headers |= {"x-custom-token": "sk-four-secret", "user-agent": "a plain client"}
        client.send(request)
        client.send(b"{ no JSON")
    start, first, second = records(log)
    assert start == {"kind": "reset"}
    assert "secret" not in log.read_text()
    assert first["request"] == request
    assert first["headers"]["x-api-key"] == first["headers"]["x-custom-token"] == "redacted"
    assert first["headers"]["user-agent"] == "a plain client"
    assert (first["status"], first["answer"]["stop_reason"]) == (200, "end_turn")
    assert (second["request"], second["status"]) == ("{ no JSON", 400)
    assert log.stat().st_mode & 0o077 == 0


def test_a_log_that_is_none_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("hello\n")
    for name in ("log", "nothing"):
        with pytest.raises(StateError, match="can't be read"):
            rebill(tmp_path / name)


def test_the_double_as_a_process_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says where it is, answers, ends with its parent's pipe, and its log bears checking."""
    log, plan = tmp_path / "log.jsonl", tmp_path / "plan.json"
    plan.write_text('[{"text": "as planned"}]')
    options = ("--log", str(log), "--plan", str(plan), "--with-parent")
    argv = (sys.executable, "-m", "sparing.double", "--port", "0", *options)
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        told = json.loads(process.stdout.readline())
        assert told["pid"] == process.pid != os.getpid()
        client = Client(told["url"])
        assert client.send(body(BASE)).json["content"][0]["text"] == "as planned"
        assert client.send(ask("hello")).status == 200
        process.stdin.close()
        assert process.wait(timeout=120) == 0
    assert main(["--rebill", str(log)]) == 0
    assert json.loads(capsys.readouterr().out)["requests"] == 2


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--host", "0.0.0.0"], "this machine only"),
        (["--plan", "nothing.json"], "the plan nothing.json can't be used"),
        (["--playbook", "nothing.toml"], "the playbook nothing.toml can't be used"),
        (["--rebill", "nothing.jsonl"], "the log nothing.jsonl can't be read"),
        (["--log", "no/such/folder/log"], "the log no/such/folder/log can't be written"),
    ],
)
def test_a_mistake_gets_two_lines(
    arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) != 0
    first, second = capsys.readouterr().err.splitlines()
    assert what in first
    assert second.startswith("fix: ")
