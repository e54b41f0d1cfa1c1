"""A coding agent's client in small: it sends, runs the tools it is asked for, and sends again.

Its tools are strict as the real client's are: paths are absolute, a file must be read before it
is changed, a passage must stand there once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.double.serving import MODEL, Client, Json

NAMES = ("Read", "Write", "Edit")
LIMIT_CALLS = 12


@dataclass
class Agent:
    """One session in one folder."""

    client: Client
    folder: Path
    tools: tuple[str, ...] = NAMES
    schema: Json | None = None
    system: str = "You are an agent."
    messages: list[Json] = field(default_factory=list[Json])
    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Tools that were used, with the path within the folder."""
    structured: Json | None = None
    _read: set[Path] = field(default_factory=set[Path])

    def turn(self, *texts: str) -> str:
        """Ask, work until there is an answer, and return it."""
        content = [{"type": "text", "text": text} for text in texts]
        reminder = f"<system-reminder>Working directory: {self.folder}\n</system-reminder>"
        self.messages.append({"role": "user", "content": content})
        self.messages.append({"role": "system", "content": reminder})
        for _ in range(LIMIT_CALLS):
            said = self._send()
            self.messages.append({"role": "assistant", "content": said["content"]})
            if said["stop_reason"] != "tool_use":
                return "".join(block["text"] for block in said["content"] if "text" in block)
            results = [self._run(block) for block in said["content"] if block["type"] == "tool_use"]
            self.messages.append({"role": "user", "content": results})
        raise AssertionError(f"no answer after {LIMIT_CALLS} calls: {self.calls}")

    def _send(self) -> Json:
        tools: list[Json] = [{"name": name, "input_schema": {}} for name in self.tools]
        if self.schema is not None:
            tools.append({"name": "StructuredOutput", "input_schema": self.schema})
        request = {"model": MODEL, "max_tokens": 32_000, "system": self.system, "tools": tools}
        reply = self.client.send({**request, "messages": self.messages})
        assert reply.status == 200, reply.body
        return reply.json

    def _run(self, block: Json) -> Json:
        given: Json = block["input"]
        if block["name"] == "StructuredOutput":
            self.structured = given
            text, failed = "Structured output provided successfully", False
        else:
            path = Path(given["file_path"])
            assert path.is_absolute(), path
            self.calls.append((block["name"], str(path.relative_to(self.folder))))
            text, failed = self._tool(block["name"], path, given)
        found = {"type": "tool_result", "tool_use_id": block["id"], "content": text}
        return {**found, "is_error": True} if failed else found

    def _tool(self, name: str, path: Path, given: dict[str, Any]) -> tuple[str, bool]:
        if name == "Read":
            self._read.add(path)
            if not path.exists():
                return "File does not exist.", True
            lines = path.read_text().split("\n")
            return "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1)), False
        if path.exists() and path not in self._read:
            return "File has not been read yet. Read it first before writing to it.", True
        before = path.read_text() if path.exists() else ""
        if name == "Edit" and before.count(given["old_string"]) != 1:
            return "String to replace must be in the file once.", True
        after = given.get("content") or before.replace(given["old_string"], given["new_string"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after)
        return f"{path} was written.", False
