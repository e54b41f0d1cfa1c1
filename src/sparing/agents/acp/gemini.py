"""Gemini CLI: how it is started for a turn with no tool of its own, how a session is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
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
START = 'cd "$1" && shift && exec "$@"'
HERE = "."
"""The home's path stands before every prompt: told so it is the same each time."""


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


def resumed(home: Path, session: str) -> None:
    """Of one session alone, under a name that its next turn will not take.

    Sessions are found by the minute in which they began: one that is loaded within that minute
    would be written over.
    """
    chats = home / FOLDER / "tmp" / PROJECT / "chats"
    short = session[:SHORT_ID]
    ours = sorted(chats.glob(f"*-{short}.jsonl"), key=lambda file: file.stat().st_size)
    for file in set(chats.glob("*.jsonl")) - set(ours[-1:]):
        file.unlink()
    if ours:
        lines = ours[-1].read_text("utf-8").splitlines()
        ours[-1].unlink()
        kept = "".join(f"{line}\n" for line in once(lines))
        (chats / f"{LONG_AGO}{short}.jsonl").write_text(kept, "utf-8")


def once(lines: Iterable[str]) -> Iterator[str]:
    """What tools answered is written down with their call and once more as a message of its own;
    a loaded session would send both."""
    told: set[str] = set()
    for line in lines:
        message = read_message(line.encode()) or {}
        (whole,) = _objects([message.get("$set")]) or [{}]
        listed = _objects(whole.get("messages"))
        if listed:
            kept = [one for one in listed if not _is_told(one, told)]
            yield json.dumps({"$set": {**whole, "messages": kept}}, ensure_ascii=False)
        elif not _is_told(message, told):
            yield line


def _is_told(message: JsonObject, told: set[str]) -> bool:
    """Whether it only says what tools are known to have answered; takes down what those are."""
    calls = _objects(message.get("toolCalls"))
    told |= {str(one.get("id")) for one in calls if one.get("result")}
    parts = _objects(message.get("content"))
    answers = [_objects([part.get("functionResponse")]) for part in parts]
    return bool(parts) and all(one and str(one[0].get("id")) in told for one in answers)


def _objects(value: object) -> list[JsonObject]:
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JsonObject", one) for one in found if isinstance(one, dict)]


def _name_project(own: Path, desk: Path) -> None:
    """Sessions belong to a project, and a project to a folder: always the same name."""
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
    resumed=resumed,
    replays=True,
)
