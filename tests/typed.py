"""A person at a terminal: 80 columns unless said, keys typed when the screen asks for them."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.patience import Patience
from tests.terminal import QUICK

LIMIT_SECONDS = 240.0
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_UNFINISHED = re.compile(r"(?:\r|\x1b(?:\[[0-9;?]*[ -/]*)?)\Z")
"""What a read may have cut in two: the rest comes with the next one."""


def _take_terminal() -> None:
    """Ctrl-C and a closed window reach the process as they do in a real one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Typed:
    """A process on a terminal of its own; `screen` is all that it has shown."""

    def __init__(
        self,
        where: Path,
        *words: str,
        environ: Mapping[str, str] | None = None,
        keep_colours: bool = False,
        columns: int = 80,
        program: Sequence[str] = ("-m", "sparing"),
    ) -> None:
        self._keep_colours = keep_colours
        self._main, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        base = {**os.environ, **QUICK, "TERM": "xterm", "PAGER": "cat"}
        base["COLUMNS"] = str(columns)
        base["SPARING_NOTIFY__STATUS_LINE"] = "false"  # it differs with every run
        self.process = subprocess.Popen(
            (sys.executable, *program, *words),
            cwd=where, env={**base, **(environ or {})}, stdin=terminal, stdout=terminal,
            stderr=terminal, start_new_session=True, preexec_fn=_take_terminal,
        )  # fmt: skip
        os.close(terminal)
        self.screen = ""
        self._read_to = 0
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._cut = ""

    def wait_for(self, text: str, limit_seconds: float = LIMIT_SECONDS) -> str:
        """What was shown up to this text, since the last text that was waited for."""
        patience = Patience(limit_seconds)
        while text not in self.screen[self._read_to :]:
            if not self._read(patience):
                raise AssertionError(f"never showed {text!r}:\n{self.screen}")
        start, self._read_to = self._read_to, self.screen.index(text, self._read_to) + len(text)
        return self.screen[start : self._read_to]

    def type(self, text: str) -> None:
        os.write(self._main, text.encode())

    def end(self, limit_seconds: float = LIMIT_SECONDS) -> int:
        """Everything up to the end; the exit code."""
        patience = Patience(limit_seconds)
        while self._read(patience):
            pass
        os.close(self._main)
        return self.process.wait(600)

    def close(self) -> None:
        """As somebody who closes the window: the terminal is gone."""
        os.close(self._main)

    def _read(self, patience: Patience) -> bool:
        while patience.left:
            if select.select([self._main], [], [], 0.1)[0]:
                try:
                    data = os.read(self._main, 65536)
                except OSError:
                    return False
                shown = self._cut + self._decoder.decode(data)
                cut = _UNFINISHED.search(shown)
                self._cut = cut.group() if cut else ""
                shown = shown.removesuffix(self._cut)
                shown = shown if self._keep_colours else _COLOURS.sub("", shown)
                self.screen += shown.replace("\r\n", "\n").replace("\a", "")
                return bool(data)
            if self.process.poll() is not None and not select.select([self._main], [], [], 0)[0]:
                return False
        return False
