"""The scripted agent's own process: reads a turn on stdin, acts in its folder, reports JSON lines.

It is started like any client (own process group, killed with it, may crash) and uses nothing
but the standard library, so that it starts at once. It must not import the rest of the package.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)  # noqa: T201


def read(path: str) -> None:
    try:
        size = len(Path(path).read_text("utf-8", "replace"))
    except OSError as error:
        say(type="tool", kind="failed", path=path, chars=len(str(error)))
        return
    say(type="tool", kind="read", path=path, chars=size)


def change(path: str, text: str | None, find: str, replace: str) -> None:
    file = Path(path)
    if text is None:
        before = file.read_text("utf-8")
        if find not in before:
            raise SystemExit(f"{path}: the passage to replace is not there")
        text = before.replace(find, replace, 1)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    say(type="tool", kind="write", path=path, chars=len(text))


def run(command: str) -> None:
    """In the shell it was given, as any client would."""
    shell = os.environ.get("SHELL", "/bin/sh")
    source, sink = os.pipe()
    actions = ((os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_DUP2, sink, 2))
    child = os.posix_spawn(shell, (shell, "-c", command), os.environ, file_actions=actions)
    os.close(sink)
    with os.fdopen(source, "rb") as stream:
        said = stream.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    say(type="tool", kind="ran", path=command, chars=len(said), said=said)


def main() -> None:
    turn = json.load(sys.stdin)
    say(type="start")
    for path in turn["read"]:
        read(path)
    time.sleep(turn["delay_seconds"])
    for edit in turn["edit"]:
        change(**edit)
    for command in turn["run"]:
        run(command)
    if turn["exit_code"] is not None:
        raise SystemExit(turn["exit_code"])
    say(type="result", text=turn["reply"])


if __name__ == "__main__":
    main()
