"""Pictures of the terminal for the README: `make pictures` runs this.

Nothing is drawn by hand. The demo runs on a terminal of 90 columns; what it showed at a gate, and
the bill at its end, become SVG files by Rich. They load no font and name no other host.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
COLUMNS = 90
PROMPT = "[later]: "
LIMIT_SECONDS = 240
THEME = TerminalTheme(
    (250, 250, 248),
    (40, 42, 46),
    [(40, 42, 46), (178, 34, 34), (30, 120, 60), (150, 100, 0)]
    + [(40, 80, 160), (130, 50, 130), (0, 110, 120), (120, 120, 120)],
)
FRAME = """\
<svg class="{unique_id}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> int:
    gate, bill = (
        at_a_gate(shown(("--interactive",), ("approve\n", "later\n"))),
        bill_of(shown((), ())),
    )
    for name, title, text in (
        ("gate", "sparing run", gate),
        ("bill", "sparing demo", bill),
    ):
        (FOLDER / f"{name}.svg").write_text(drawn(name, title, text), "utf-8")
    return 0


def shown(options: tuple[str, ...], answers: tuple[str, ...]) -> str:
    """All that the demo shows, colours included, with an answer typed at each gate."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color", "SPARING_NOTIFY__STATUS_LINE": "false"}
    argv = (sys.executable, "-m", "sparing", "demo", *options)
    process = subprocess.Popen(argv, stdin=terminal, stdout=terminal, stderr=terminal, env=environ)
    os.close(terminal)
    waiting, seen = list(answers), ""
    while select.select([main], [], [], LIMIT_SECONDS)[0]:
        try:
            data = os.read(main, 1 << 16)
        except OSError:
            break
        seen += data.decode("utf-8", "replace")
        if waiting and seen.rstrip("\x1b[0m").endswith(PROMPT):
            os.write(main, waiting.pop(0).encode())
            seen += " "
    process.wait(LIMIT_SECONDS)
    os.close(main)
    return seen.replace("\r\n", "\n").replace("\a", "")


def at_a_gate(seen: str) -> str:
    """From where the stage begins to the question."""
    lines = seen.split("\n")
    first = next(at for at, line in enumerate(lines) if plain(line) == "specify")
    last = next(at for at, line in enumerate(lines) if at > first and PROMPT in plain(line))
    return "\n".join([*lines[first:last], lines[last].partition(PROMPT)[0] + PROMPT])


def bill_of(seen: str) -> str:
    """The table and what follows from it, without the hints at the end."""
    lines = seen.split("\n")
    first = next(at for at, line in enumerate(lines) if plain(line).startswith("stage "))
    last = next(at for at, line in enumerate(lines) if plain(line).startswith("Naive: "))
    return "\n".join(lines[first : last + 2]).rstrip()


def plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()


def drawn(name: str, title: str, text: str) -> str:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text), soft_wrap=True)
    svg = console.export_svg(
        title=title, theme=THEME, code_format=FRAME, font_aspect_ratio=0.6, unique_id=name
    )
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    sys.exit(main())
