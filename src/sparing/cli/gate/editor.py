"""A person's own editor, opened on a file of ours.

What they wrote stays in the file until it has been accepted: nothing is lost if the editor fails or
the terminal closes.
"""

from __future__ import annotations

import shlex
import subprocess
import threading
from pathlib import Path

from sparing.config.terminal import editor
from sparing.errors import UsageError

busy = threading.Event()
"""Set while an editor has the terminal: a Ctrl-C belongs to it and not to us."""


def write_in_editor(file: Path, start: str, again: str) -> str:
    """The text after the person has left the editor; `again` is the command to try again."""
    command = editor()
    if not command:
        raise UsageError("no editor is set and none was found", f"export EDITOR=nano; {again}")
    if not file.exists():
        file.write_text(start, "utf-8")
        file.chmod(0o600)
    _run(command, file, again)
    return file.read_text("utf-8", "replace")


def _run(command: str, file: Path, again: str) -> None:
    busy.set()
    try:
        done = subprocess.run((*shlex.split(command), str(file)), check=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the editor '{command}' can't be started: {error}", f"export EDITOR=nano; {again}"
        ) from None
    finally:
        busy.clear()
    if done.returncode != 0:
        raise UsageError(
            f"the editor ended with code {done.returncode}; nothing is changed, "
            f"your text is in {file}",
            again,
        )
