"""Gemini CLI: how it is started for a turn without its own tools, how a session is loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import cast

from sparing import backend_name as names
from sparing.agents.acp.agents import AcpAgent, Placed, Started
from sparing.agents.acp.tool_calls import SERVER
from sparing.agents.process import read_message
from sparing.codec import JsonObject

FOLDER, PROJECT = ".gemini", "work"
TOOLS = tuple(f"mcp_{SERVER}_{name}" for name in ("look", "change", "run"))
SHORT_ID = 8
LONG_AGO = "session-2000-01-01T00-00-"
LONG_AGO_TIME = "2000-01-01T00:00:00.000Z"
TRANSCRIPT = "transcript.json"
CONTEXT = "<session_context>"
START = 'cd "$1" && shift && exec "$@"'
HERE = "."
"""The home's path is sent before every prompt; given like this it is always the same."""


def prepare(placed: Placed) -> Started:
    home, call, setup = placed.home, placed.call, placed.setup
    own = home / FOLDER
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "settings.json").write_text(json.dumps(settings(setup.retries)), "utf-8")
    system = home / "system.md"
    system.write_text(call.system or "You are a careful agent.", "utf-8")
    _name_project(own, placed.desk)
    environment = {
        "GEMINI_API_KEY": placed.word,
        "GOOGLE_GEMINI_BASE_URL": placed.model,
        "GEMINI_SYSTEM_MD": str(system),
        "GEMINI_CLI_HOME": HERE,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "NO_PROXY": "127.0.0.1",
        "PWD": str(placed.desk),
    }
    line = (*setup.program, "--acp", "-m", setup.model_name(call.model))
    return Started(("/bin/sh", "-c", START, "sh", str(home), *line), environment)


def settings(retries: int) -> JsonObject:
    return {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "tools": {"core": TOOLS},
        "mcp": {"allowed": [SERVER]},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": retries + 1,
            "retryFetchErrors": False,
        },
        "context": {"fileName": ["no-such-file.md"], "includeDirectoryTree": False},
        "model": {"compressionThreshold": 1.0, "disableLoopDetection": True},
        "skills": {"enabled": False},
        "hooksConfig": {"enabled": False},
        "experimental": {"enableAgents": False},
    }


def kept(home: Path, asked: bytes, said: str) -> None:
    """Store the conversation as it was last sent, with the answer. The client's own record has
    tool results twice, and merges the calls of several steps into one."""
    told = [_without_context(one) for one in _objects((read_message(asked) or {}).get("contents"))]
    whole = [one for one in (*told, {"role": "model", "parts": [{"text": said}]}) if one["parts"]]
    (home / TRANSCRIPT).write_text(json.dumps(whole), "utf-8")


def resumed(home: Path, session: str) -> None:
    """Keep only this session, exactly as it was sent, under a name that its next turn won't use.

    Sessions are identified by the minute in which they began: one that is loaded within that minute
    would be overwritten.
    """
    chats = home / FOLDER / "tmp" / PROJECT / "chats"
    for folder in (home / FOLDER / "tmp").iterdir():
        if folder.name != PROJECT:
            shutil.rmtree(folder, ignore_errors=True)
    heads = [
        head
        for file in sorted(chats.glob(f"*-{session[:SHORT_ID]}.jsonl"))
        if (head := _head(file))
    ]
    for file in chats.glob("*.jsonl"):
        file.unlink()
    said = _objects(json.loads((home / TRANSCRIPT).read_text("utf-8")))
    lines = [*heads[:1], *(_message(number, one) for number, one in enumerate(said))]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    (chats / f"{LONG_AGO}{session[:SHORT_ID]}.jsonl").write_text(text, "utf-8")


def _head(file: Path) -> JsonObject | None:
    """The first line of a session file, which describes the session."""
    with file.open("rb") as lines:
        return read_message(lines.readline())


def _message(number: int, said: JsonObject) -> JsonObject:
    """A message in the client's own format."""
    kind = "gemini" if said.get("role") == "model" else "user"
    parts = said.get("parts")
    return {"id": f"said-{number}", "timestamp": LONG_AGO_TIME, "type": kind, "content": parts}


def _without_context(said: JsonObject) -> JsonObject:
    """Drop the context that the client adds before each conversation, even a loaded one."""
    parts = _objects(said.get("parts"))
    kept = [part for part in parts if not str(part.get("text", "")).startswith(CONTEXT)]
    return {**said, "parts": kept}


def _objects(value: object) -> list[JsonObject]:
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JsonObject", one) for one in found if isinstance(one, dict)]


def _name_project(own: Path, desk: Path) -> None:
    """Give the project a constant name: sessions belong to a project, and a project to a folder."""
    (own / "projects.json").write_text(json.dumps({"projects": {str(desk): PROJECT}}), "utf-8")
    for folder in ("tmp", "history"):
        place = own / folder / PROJECT
        place.mkdir(parents=True, exist_ok=True)
        (place / ".project_root").write_text(str(desk), "utf-8")


GEMINI = AcpAgent(
    name=names.GEMINI,
    title="Gemini CLI",
    package="@google/gemini-cli",
    tested="0.61.0",
    prepare=prepare,
    providers=(names.API_GOOGLE,),
    window_tokens=1_000_000,
    base_tokens=300,
    writer_tokens=630,
    resumed=resumed,
    kept=kept,
    replays=True,
)
