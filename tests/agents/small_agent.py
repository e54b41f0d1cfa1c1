"""A small agent that speaks the Agent Client Protocol, with tools of its own: a program for tests.

`python small_agent.py [FAULT]`. It asks for permission before it changes a file, keeps what was
said in its home, and tells a session once more when it is loaded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


class Agent:
    def __init__(self) -> None:
        self.session, self.cwd = "", Path()
        self.history: list[Json] = []
        self.asked = 100

    @property
    def file(self) -> Path:
        return Path(os.environ["AGENT_HOME"]) / f"{self.session}.json"

    def answer(self, message: Json) -> None:
        method, params = message.get("method"), message.get("params", {})
        handlers = {
            "initialize": self.hello,
            "session/new": self.new,
            "session/load": self.load,
            "session/prompt": self.prompt,
        }
        if method not in handlers:
            return
        try:
            send(id=message["id"], result=handlers[method](params))
        except RuntimeError as error:
            send(id=message["id"], error={"code": -32603, "message": str(error)})

    def hello(self, _: Json) -> Json:
        return {"protocolVersion": 1, "agentCapabilities": {"loadSession": FAULT != "no-load"}}

    def new(self, params: Json) -> Json:
        self.session, self.cwd = uuid.uuid4().hex, Path(params["cwd"])
        return {} if FAULT == "no-session" else {"sessionId": self.session}

    def load(self, params: Json) -> Json:
        self.session, self.cwd = params["sessionId"], Path(params["cwd"])
        if not self.file.exists():
            raise RuntimeError("there is no such session")
        self.history = json.loads(self.file.read_text())
        for one in self.history:
            if one["role"] == "assistant" and one.get("content"):
                self.say(one["content"])
        return {"sessionId": "another"} if FAULT == "other-session" else {}

    def prompt(self, params: Json) -> Json:
        said = [{"type": "text", "text": block["text"]} for block in params["prompt"]]
        self.history.append({"role": "user", "content": said})
        while True:
            made = self.ask_model()
            self.history.append(made)
            if not made.get("tool_calls"):
                break
            if made.get("content"):
                self.say(made["content"])
            for call in made["tool_calls"]:
                self.history.append(self.use(call))
        self.file.write_text(json.dumps(self.history))
        if made.get("content"):
            self.say(made["content"])
        return {"stopReason": "end_turn"}

    def ask_model(self) -> Json:
        body = {"model": os.environ["AGENT_MODEL"], "messages": self.history}
        asked = urllib.request.Request(
            f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
            json.dumps(body).encode(),
            {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
        )
        try:
            with urllib.request.urlopen(asked) as reply:
                return json.load(reply)["choices"][0]["message"]
        except (urllib.error.URLError, OSError, ValueError) as error:
            raise RuntimeError(f"the model did not answer: {error}") from error

    def use(self, call: Json) -> Json:
        given = json.loads(call["function"]["arguments"])
        if call["function"]["name"] == "look":
            text = "\n".join(self.read(call["id"], path) for path in given["read"])
        elif call["function"]["name"] == "run":
            text = self.run(given["command"])
        else:
            text = "\n".join(self.change(call["id"], one) for one in given["edits"])
        return {"role": "tool", "tool_call_id": call["id"], "content": text}

    def read(self, id: str, path: str) -> str:
        try:
            text = (self.cwd / path).read_text()
        except OSError as error:
            self.tell("tool_call", id, "read", path, "failed")
            return f"it can't be read: {error}"
        self.tell("tool_call", id, "read", path, "completed")
        return text

    def run(self, command: str) -> str:
        """Without a question, as agents do that were told to go ahead."""
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.cwd, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def change(self, id: str, edit: Json) -> str:
        path = edit["path"]
        self.tell("tool_call", id, "edit", path, "pending")
        wanted: Json = {"toolCallId": id, "kind": "edit", "title": f"change {path}"}
        wanted["locations"] = [{"path": str(self.cwd / path)}]
        options = [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]
        outcome = self.ask("session/request_permission", toolCall=wanted, options=options)
        if outcome["outcome"].get("optionId") != "yes":
            self.tell("tool_call_update", id, "edit", path, "failed")
            return "you may not"
        target = self.cwd / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(edit["create"])
        self.tell("tool_call_update", id, "edit", path, "completed")
        return "changed"

    def ask(self, method: str, **params: Any) -> Json:
        self.asked += 1
        send(id=self.asked, method=method, params={"sessionId": self.session, **params})
        while line := sys.stdin.readline():
            message = json.loads(line)
            if message.get("id") == self.asked:
                return message["result"]
        sys.exit(1)

    def say(self, text: str) -> None:
        self.update({"sessionUpdate": "agent_message_chunk", "content": block(text)})

    def tell(self, what: str, id: str, kind: str, path: str, status: str) -> None:
        place = [{"path": str(self.cwd / path)}]
        update = {"sessionUpdate": what, "toolCallId": id, "kind": kind, "status": status}
        self.update({**update, "title": path, "locations": place})

    def update(self, update: Json) -> None:
        send(method="session/update", params={"sessionId": self.session, "update": update})


def block(text: str) -> Json:
    return {"type": "text", "text": text}


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    agent = Agent()
    if FAULT == "garbage":
        print("no JSON at all\n[1, 2]\n\x00\x01", flush=True)
        sys.exit(0)
    if FAULT == "half":
        sys.stdin.readline()
        print('{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1', end="", flush=True)
        sys.exit(1)
    if FAULT == "hang":
        time.sleep(600)
    for line in sys.stdin:
        agent.answer(json.loads(line))


if __name__ == "__main__":
    main()
