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


class Step:
    """Which of the turn's model calls asks for the current action."""

    number = 0


def tool(kind: str, path: str, chars: int, **more: str) -> None:
    say(type="tool", kind=kind, path=path, chars=chars, step=Step.number, **more)


def say(**message: str | int) -> None:
    fields = ", ".join(f'"{name}": {written(value)}' for name, value in message.items())
    sys.stdout.buffer.write(f"{{{fields}}}\n".encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def written(value: str | int) -> str:
    """The value as JSON."""
    return str(value) if isinstance(value, int) else f'"{value.translate(ESCAPES)}"'


def read(path: str) -> None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            size = len(file.read())
    except OSError as error:
        tool("failed", path, len(str(error)))
        return
    tool("read", path, size)


def look(kind: str, about: str, lines: int) -> None:
    if kind == "read":
        read(about)
    elif kind == "list":
        tool("found", about, len("\n".join(modules())))
    else:
        tool("found", about, len("\n".join(found(about, lines))))


TEXTS: dict[str, str] = {}
"""Texts of the modules, once they were searched."""


def modules() -> list[str]:
    kept: list[str] = []
    for folder, folders, names in os.walk("."):
        folders[:] = [one for one in folders if not one.startswith((".", "__"))]
        kept += [f"{folder}/{name}" for name in names if name.endswith(".py")]
    return kept


def found(word: str, most: int) -> list[str]:
    """Lines with that word, formatted like a search result."""
    if not TEXTS:
        for path in modules():
            with open(path, encoding="utf-8", errors="replace") as file:
                TEXTS[path] = file.read()
    lines: list[str] = []
    for path, text in TEXTS.items():
        if len(lines) < most and word in text:
            numbered = enumerate(text.splitlines(), 1)
            lines += [f"{path}:{number}:{line}" for number, line in numbered if word in line]
    return lines[:most]


def change(edit: dict[str, str | None], parts: int) -> None:
    path, text = str(edit["path"]), edit["text"]
    if text is None:
        find, replace = str(edit["find"]), str(edit["replace"])
        with open(path, encoding="utf-8") as file:
            before = file.read()
        if find not in before:
            raise SystemExit(f"{path}: the passage to replace does not exist")
        text, typed = before.replace(find, replace, 1), len(find) + len(replace)
    else:
        typed = len(text)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for number in range(parts):
        Step.number += 1 if number else 0
        tool("write", path, (typed if parts > 1 else len(text)) // parts)


def run(command: str) -> None:
    """Run a command in the shell it was given, as any client would."""
    shell = os.environ.get("SHELL", "/bin/sh")
    source, sink = os.pipe()
    actions = ((os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_DUP2, sink, 2))
    child = os.posix_spawn(shell, (shell, "-c", command), os.environ, file_actions=actions)
    os.close(sink)
    with os.fdopen(source, "rb") as stream:
        said = stream.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    tool("ran", command, len(said), said=said)


def main() -> None:
    turn = marshal.loads(sys.stdin.buffer.read())
    say(type="start")
    steps = turn["steps"]
    for step in steps:
        Step.number += 1
        for kind, about, lines in step:
            look(kind, about, lines)
    for path in () if steps else turn["read"]:
        read(path)
    time.sleep(turn["delay_seconds"])
    Step.number += 1
    for number, edit in enumerate(turn["edit"]):
        change(edit, turn["parts"] if not number else 1)
    Step.number += 1
    for number, command in enumerate(turn["run"]):
        Step.number += 1 if steps and number else 0
        run(command)
    if turn["exit_code"] is not None:
        raise SystemExit(turn["exit_code"])
    say(type="result", text=turn["reply"])


if __name__ == "__main__":
    main()
