"""The only printer: everything that a command shows or asks goes through here.

All of it counts as untrusted, since it may contain a model's words, a repository's files or a name
from anywhere, and is made `printable`. Only colours pass, and only those set by `style`: it marks
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

LEAST_WIDTH, MOST_WIDTH, LEAST_WORDS = 38, 118, 20
"""Limits on the width of wrapped lines: narrower or wider ones are hard to read."""
ANSWERS = {"": None, "y": True, "yes": True, "n": False, "no": False}
_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_status: set[bool] = set()
"""Non-empty while a status line is shown."""


class Declined(click.Abort):
    """A person has said no to what a command was about to do."""


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""
_CODES = r"[0-9;]+m"


def style(text: str, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """For `echo` and related functions only: anywhere else its marks would be visible."""
    codes = [_COLOURS[fg]] if fg else []
    codes += ["1"] if bold else []
    codes += ["2"] if dim else []
    return f"{_key()}{';'.join(codes)}m{text}{_key()}0m" if codes else text


def echo(text: str = "", *, nl: bool = True, err: bool = False, fold: bool = True) -> None:
    """`fold`: on a terminal, break long lines between words and indent the continuation."""
    clear_status()
    shown = rendered(text)
    stream = sys.stderr if err else sys.stdout
    if fold and stream.isatty():
        shown = _folded(shown)
    click.echo(shown, nl=nl, err=err)


def _folded(text: str) -> str:
    from sparing.cli.line_breaks import folded  # in a pipe nothing is folded

    return "\n".join(folded(line, terminal_columns()) for line in text.split("\n"))


def show_status(text: str) -> None:
    """Show a line that is replaced by the next output; on a terminal only."""
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
    """Width of wrapped text: that of the terminal, within readable limits."""
    return max(LEAST_WIDTH, min(terminal_columns() - 2, MOST_WIDTH))


def echo_json(content: Mapping[str, Any], indent: int | None = None) -> None:
    import json

    click.echo(json.dumps(content, indent=indent, ensure_ascii=True))


def show(*parts: RenderableType) -> None:
    """Print tables and pages; square brackets in them are not markup."""
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
    """Ask until the answer is yes or no; Enter is the default, which is the capital letter."""
    asked = f"{rendered(text)} [{'Y/n' if default else 'y/N'}]"
    while True:
        said = click.prompt(asked, default="", show_default=False, err=err).strip().lower()
        if said in ANSWERS:
            break
        echo("type y for yes or n for no", err=err)
    answer = ANSWERS[said]
    agreed = default if answer is None else answer
    if abort and not agreed:
        raise Declined
    return agreed


def page(text: str, *, fold: bool = False) -> None:
    """Show a text in the pager; `fold`: break its long lines between words."""
    if not text.strip():
        echo("  no differences", err=True)
        return
    calm_pager()
    shown = rendered(text)
    click.echo_via_pager(_folded(shown) if fold else shown)


def page_markdown(text: str) -> None:
    """Show a document as rendered Markdown in the pager."""
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
    from sparing.cli.line_breaks import filled

    return filled(printable(" ".join(text.split())), line_width(), before)


def bell() -> None:
    if is_watched():
        sys.stderr.write("\a")
        sys.stderr.flush()


def is_watched() -> bool:
    return sys.stderr.isatty()


def is_terminal() -> bool:
    return sys.stdin.isatty() and is_watched()


def leave_quietly() -> None:
    """The output has no reader any more: keep Python from complaining about it at exit."""
    sys.stderr.close()


def catch_crashes() -> None:
    """Print a bug's traceback safely, since its last lines may quote anything."""
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
