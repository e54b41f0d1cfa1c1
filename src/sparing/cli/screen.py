"""The one printer: whatever a command shows or asks a person goes through here.

All of it counts as foreign, for it may hold a model's words, a repository's files or a name from
anywhere, and is made `printable`. Colours alone pass, and only those that `style` gave: it marks
them with a key of this process, which no other text can know.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from sparing.config.terminal import calm_pager, terminal_columns, wants_colour
from sparing.printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

LEAST_WIDTH, MOST_WIDTH = 38, 118
"""Of lines that are wrapped: narrower can't be read, wider is hard to."""
_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_status: set[bool] = set()
"""Whether a status line stands there."""
_CODES = r"[0-9;]+m"
_ESCAPES = r"\x1b\[[0-9;]*m"
_INDENT = r" *(?:[·+✓✗!?»~=→-] (?:[\w-]+(?: [\w-]+)? {2,})?|[\w-]+ {2,})?"
"""Where the words of a line begin: behind a mark, a label, or both."""
_PROGRAMS = r"(?:sparing|git|gh|make|cd|mv|rm|tail|export|pip|pipx|uv|npm|python3?|/\S+)(?: |$)"
_COMMAND = f"\x1b[{_COLOURS['cyan']}m"
"""What stands behind it may be copied: a terminal joins what it has broken itself, nobody else."""


def style(text: str, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """For `echo` and its like alone: anywhere else its marks would be seen."""
    codes = [_COLOURS[fg]] if fg else []
    codes += ["1"] if bold else []
    codes += ["2"] if dim else []
    return f"{_key()}{';'.join(codes)}m{text}{_key()}0m" if codes else text


def echo(text: str = "", *, nl: bool = True, err: bool = False, fold: bool = True) -> None:
    """`fold`: on a terminal long lines are broken between words, under their own beginning."""
    clear_status()
    shown = rendered(text)
    stream = sys.stderr if err else sys.stdout
    if fold and stream.isatty():
        shown = "\n".join(folded(line, terminal_columns()) for line in shown.split("\n"))
    click.echo(shown, nl=nl, err=err)


def show_status(text: str) -> None:
    """One line that is replaced by whatever is shown next; on a terminal alone."""
    if is_watched():
        cut = printable(" ".join(text.split()))[: max(1, terminal_columns() - 1)]
        sys.stderr.write(f"\r\x1b[K{cut}")
        sys.stderr.flush()
        _status.add(True)


def clear_status() -> None:
    if _status:
        _status.clear()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def line_width() -> int:
    """Of text that is wrapped here; as wide as the terminal, within what can be read."""
    return max(LEAST_WIDTH, min(terminal_columns() - 2, MOST_WIDTH))


def folded(line: str, columns: int) -> str:
    """Columns that a table keeps apart by several spaces stay under each other."""
    plain = re.sub(_ESCAPES, "", line)
    if len(plain) <= columns or columns < LEAST_WIDTH:
        return line
    found = re.match(_INDENT, plain)
    deep = len(found[0]) if found and len(found[0]) < columns // 2 else 0
    line = _tightened(line, len(plain) - columns, deep)
    _, mark, command = line.partition(_COMMAND)
    if mark and re.match(_PROGRAMS, command) and "; or" not in command:
        return _above_command(line, columns, deep)
    lines, length = [""], 0
    for piece in re.split(r"(?<=\S) (?=\S)", line):
        size = len(re.sub(_ESCAPES, "", piece))
        if length > deep and size <= columns - deep < length + 1 + size - deep:
            lines.append(" " * deep + piece)
            length = deep + size
        else:
            lines[-1] += f" {piece}" if length else piece
            length += size + (1 if length else 0)
    return "\n".join(lines)


def _tightened(line: str, excess: int, deep: int) -> str:
    """A name and its figure come closer, before the words behind them are broken."""
    gaps = [found.span() for found in re.finditer(r"(?<=\S) {3,}(?=[−+≥$\d])", line)]
    gaps = [gap for gap in gaps if gap[1] > deep]
    if not gaps:
        return line
    start, end = max(gaps, key=lambda gap: gap[1] - gap[0])
    return line[: max(start + 2, end - excess)] + line[end:]


def _above_command(line: str, columns: int, deep: int) -> str:
    """A command stays in one piece: on a line of its own, if it fits there."""
    before, mark, command = line.partition(_COMMAND)
    own = " " * deep + mark + command
    if not before.strip() or len(re.sub(_ESCAPES, "", own)) > columns:
        return line
    return f"{folded(before.rstrip(), columns)}\n{own}"


def echo_json(content: Mapping[str, Any], indent: int | None = None) -> None:
    import json

    click.echo(json.dumps(content, indent=indent, ensure_ascii=True))


def show(*parts: RenderableType) -> None:
    """Tables and pages; square brackets in them are no markup."""
    from rich.console import Console
    from rich.segment import Segment, Segments

    console = Console(highlight=False, markup=False, emoji=False)
    for part in parts:
        drawn = console.render(console.render_str(part) if isinstance(part, str) else part)
        safe = [Segment(printable(one.text), one.style) for one in drawn if not one.control]
        console.print(Segments(safe), end="")


def prompt(
    text: str,
    default: str | None = None,
    *,
    choices: Sequence[str] = (),
    show_default: bool = True,
    err: bool = False,
) -> str:
    kind = click.Choice(choices, case_sensitive=False) if choices else click.STRING
    asked = rendered(text)
    return click.prompt(asked, default, type=kind, show_default=show_default, err=err)


def confirm(text: str, *, default: bool = False, abort: bool = False, err: bool = False) -> bool:
    return click.confirm(rendered(text), default=default, abort=abort, err=err)


def page(text: str) -> None:
    if not text.strip():
        echo("  nothing differs", err=True)
        return
    calm_pager()
    click.echo_via_pager(rendered(text))


def page_markdown(text: str) -> None:
    """A document as it is meant to be read."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.segment import Segment, Segments

    colour = wants_colour() is not False and is_watched()
    console = Console(
        highlight=False, markup=False, emoji=False, width=line_width(), force_terminal=colour,
        no_color=not colour,
    )  # fmt: skip
    drawn = console.render(Markdown(printable(text), hyperlinks=False))
    safe = [Segment(printable(one.text), one.style) for one in drawn if not one.control]
    with console.capture() as captured:
        console.print(Segments(safe), end="")
    calm_pager()
    click.echo_via_pager(captured.get())


def wrapped(text: str, before: str) -> str:
    line = printable(" ".join(text.split()))
    after = " " * len(before)
    import textwrap

    return textwrap.fill(
        line, line_width(), initial_indent=before, subsequent_indent=after, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def bell() -> None:
    if is_watched():
        sys.stderr.write("\a")
        sys.stderr.flush()


def is_watched() -> bool:
    return sys.stderr.isatty()


def is_terminal() -> bool:
    return sys.stdin.isatty() and is_watched()


def leave_quietly() -> None:
    """Nobody reads any more: Python must not complain of that at its end."""
    sys.stderr.close()


def catch_crashes() -> None:
    """A bug keeps its traceback, whose last lines may quote anything."""
    sys.excepthook = _show_crash
    threading.excepthook = lambda args: _show_crash(*args[:3])


def _show_crash(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    import traceback

    echo("".join(traceback.format_exception(kind, error, trace)), nl=False, err=True)


def rendered(text: str) -> str:
    """Safe text, with the colours that `style` gave."""
    first, *others = text.split(_key())
    pieces = [printable(first)]
    for piece in others:
        found = re.match(_CODES, piece)
        assert found is not None, "a key is always followed by its codes"
        pieces.append(f"\x1b[{found[0]}{printable(piece[found.end() :])}")
    return "".join(pieces)


@cache
def _key() -> str:
    return f"\x00{os.urandom(8).hex()}:"
