# ruff: noqa: PTH103, PTH120, PTH123
"""The scripted agent's own process: reads a turn on stdin, acts in its folder, reports JSON lines.

It is started like any client (own process group, killed with it, may crash) and uses nothing
but the standard library, so that it starts at once. It must not import the rest of the package.
"""

import marshal
import os
import sys
import time

# Not with `json` and `pathlib`: to load them takes longer than all the rest of a turn.
ESCAPES = str.maketrans(
    {'"': '\\"', "\\": "\\\\"} | {chr(code): f"\\u{code:04x}" for code in range(0x20)}
)


def say(**message: str | int) -> None:
    fields = ", ".join(f'"{name}": {written(value)}' for name, value in message.items())
    sys.stdout.buffer.write(f"{{{fields}}}\n".encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def written(value: str | int) -> str:
    """As JSON."""
    return str(value) if isinstance(value, int) else f'"{value.translate(ESCAPES)}"'


def read(path: str) -> None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            size = len(file.read())
    except OSError as error:
        say(type="tool", kind="failed", path=path, chars=len(str(error)))
        return
    say(type="tool", kind="read", path=path, chars=size)


def change(edit: dict[str, str | None]) -> None:
    path, text = str(edit["path"]), edit["text"]
    if text is None:
        find, replace = str(edit["find"]), str(edit["replace"])
        with open(path, encoding="utf-8") as file:
            before = file.read()
        if find not in before:
            raise SystemExit(f"{path}: the passage to replace is not there")
        text = before.replace(find, replace, 1)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
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
    turn = marshal.loads(sys.stdin.buffer.read())
    say(type="start")
    for path in turn["read"]:
        read(path)
    time.sleep(turn["delay_seconds"])
    for edit in turn["edit"]:
        change(edit)
    for command in turn["run"]:
        run(command)
    if turn["exit_code"] is not None:
        raise SystemExit(turn["exit_code"])
    say(type="result", text=turn["reply"])


if __name__ == "__main__":
    main()
