"""A session of a drawn agent in small: the model is asked, its tool calls run in a folder."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from sparing.double.agent.play import DrawnAgent, TurnFacts
from sparing.double.agent.tools import MOST_FILES
from sparing.double.agent_draws import TurnIdentity
from sparing.double.agent_kinds import AgentKind
from sparing.double.model import Model
from sparing.double.request import JsonObject, read_asked
from sparing.review.verdict import SCHEMA

READING = {
    "Read": ("file_path",),
    "Grep": ("pattern", "output_mode", "head_limit", "-n"),
    "Glob": ("pattern",),
}
WRITING = {
    "Write": ("file_path", "content"),
    "Edit": ("file_path", "old_string", "new_string"),
    "Bash": ("command",),
}
LOOK: JsonObject = {
    "name": "look",
    "input_schema": {"properties": {"read": {"type": "array"}, "search": {"type": "array"}}},
}
FORM: JsonObject = {"name": "StructuredOutput", "input_schema": SCHEMA}
MOST = 80


def tools(*kinds: dict[str, tuple[str, ...]]) -> list[JsonObject]:
    return [
        {"name": name, "input_schema": {"properties": {one: {"type": "string"} for one in given}}}
        for kind in kinds
        for name, given in kind.items()
    ]


@dataclass
class Session:
    folder: Path
    tools: list[JsonObject]
    seed: int = 1
    kind: AgentKind = AgentKind.TYPICAL
    trust: int = 50
    files: int = MOST_FILES
    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    calls: list[tuple[str, JsonObject]] = field(default_factory=list[tuple[str, JsonObject]])
    steps: int = 0
    """Model calls of the last turn."""
    verdict: JsonObject = field(default_factory=dict[str, object])

    def turn(self, who: TurnIdentity, *texts: str) -> str:
        self.calls, self.steps, self.verdict = [], 0, {}
        reminder = f"<system-reminder>Working directory: {self.folder}\n</system-reminder>"
        content = [{"type": "text", "text": text} for text in (*texts, reminder)]
        self.messages.append({"role": "user", "content": content})
        model = Model(agent=DrawnAgent(self.kind, self.seed, self.trust, self.files))
        told = TurnFacts("docs/features/007-word-lists", who)
        while self.steps < MOST:
            self.steps += 1
            asked = {"model": "m", "max_tokens": 9, "tools": self.tools, "messages": self.messages}
            said = model.say(read_asked(asked), told)
            names = [f"{len(self.messages)}.{n}" for n in range(len(said.calls))]
            blocks: list[JsonObject] = [{"type": "text", "text": said.text or "."}]
            pairs = list(zip(names, said.calls, strict=True))
            blocks += [
                {"type": "tool_use", "id": name, "name": call.name, "input": call.input}
                for name, call in pairs
            ]
            self.messages.append({"role": "assistant", "content": blocks})
            if not said.calls:
                return said.text
            results = [self._run(name, call.name, call.input) for name, call in pairs]
            self.messages.append({"role": "user", "content": results})
            if self.verdict:
                return json.dumps(self.verdict)
        raise AssertionError("no answer")

    @property
    def opened(self) -> list[str]:
        """Files that the last turn read."""
        single = [str(given["file_path"]) for name, given in self.calls if name == "Read"]
        listed = [
            str(one)
            for name, given in self.calls
            if name == "look"
            for one in given.get("read", ())
        ]
        return [path.removeprefix(f"{self.folder}/") for path in (*single, *listed)]

    def used(self, name: str) -> int:
        return sum(one == name for one, _ in self.calls)

    def _run(self, id: str, name: str, given: JsonObject) -> JsonObject:
        self.calls.append((name, given))
        text = self._tool(name, given)
        found = {"type": "tool_result", "tool_use_id": id, "content": text or "failed"}
        return found if text else {**found, "is_error": True}

    def _tool(self, name: str, given: JsonObject) -> str:
        """Empty if it fails."""
        match name:
            case "StructuredOutput":
                self.verdict = given
                return "Structured output provided successfully"
            case "Read":
                return self._numbered(str(given["file_path"]))
            case "look":
                return (
                    "\n".join(self._numbered(str(self.folder / p)) for p in given.get("read", ()))
                    or "-"
                )
            case "Glob":
                return "\n".join(map(str, self.folder.rglob("*.py")))
            case "Grep":
                found = re.compile(str(given["pattern"]))
                texts = (path.read_text() for path in self.folder.rglob("*.py"))
                lines = [line for text in texts for line in text.splitlines() if found.search(line)]
                return "\n".join(lines[: int(given["head_limit"])]) or "No matches found"
            case "Bash":
                return "OK"
            case _:
                return self._changed(Path(given["file_path"]), given)

    def _numbered(self, path: str) -> str:
        lines = Path(path).read_text().split("\n") if Path(path).exists() else []
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))

    def _changed(self, path: Path, given: JsonObject) -> str:
        before = path.read_text() if path.exists() else ""
        if "old_string" in given and before.count(given["old_string"]) != 1:
            return ""
        path.parent.mkdir(parents=True, exist_ok=True)
        after = given.get("content") or before.replace(given["old_string"], given["new_string"])
        path.write_text(after)
        return "written"
