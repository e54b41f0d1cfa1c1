"""An event's line, as a terminal shows it. The text for each kind: `desk/features/event_line`.

`sparing run` prints them as they come; so does `sparing watch`, with agents' actions as well.
"""

from __future__ import annotations

from pathlib import Path

from sparing.cli.run.handover_summary import learned_line
from sparing.cli.screen import line_width, style, wrapped
from sparing.desk.features.event_line import GAP, STRONG, event_line, number_of
from sparing.desk.shown_line import EventLine, LineKind, LineTone
from sparing.event import LearnedEvent
from sparing.printable import printable
from sparing.records.events import Event

__all__ = ["STRONG", "agent_line", "describe", "named"]

COLOURS = {
    LineTone.GOOD: "green", LineTone.BAD: "red", LineTone.CARE: "yellow", LineTone.PERSON: "cyan",
}  # fmt: skip
SHORTEST, BESIDE, NUMBER = 60, 20, 4
"""Characters of what is cut on a narrow screen, of what stands before it, and of a feature's
number with its blank."""


def describe(event: Event) -> str:
    """The event's text; empty if it is too minor to show."""
    found = event_line(event)
    if found is None or found.kind is LineKind.AGENT:
        return ""
    if isinstance(event.what, LearnedEvent):
        return learned_line(event.text, event.what)
    if found.kind in (LineKind.STAGE, LineKind.END):
        return "\n" + style(found.words, fg=COLOURS.get(found.tone), bold=True)
    if found.quiet:
        return _quiet(found)
    if found.mark == "!" and found.words.startswith("sandbox "):
        return style(f"  ! {found.words}", fg="yellow")
    mark = _mark(found)
    aside = f" {style(found.aside, dim=True)}" if found.aside else ""
    said = f": {_short(found.said)}" if found.said else ""
    first = f"  {mark} {printable(found.words)}{said}{aside}"
    commands = (one for one in found.commands if not _leads_nowhere(one))
    return "\n".join((first, *(f"    {style(one, fg='cyan')}" for one in commands)))


def _leads_nowhere(command: str) -> bool:
    """Whether it is a `cd` to where the user is already."""
    program, _, folder = command.partition(" ")
    try:
        return program == "cd" and Path(folder.strip("'")) == Path.cwd()
    except FileNotFoundError:
        return False


def agent_line(event: Event) -> str:
    """An agent's action as an unobtrusive line; empty for other events."""
    found = event_line(event)
    if found is None or found.kind is not LineKind.AGENT:
        return ""
    before, said = f"    {found.words} ", printable(" ".join(found.said.split()))
    return style(before + _cut(said, line_width() - NUMBER - len(before)), dim=True)


def _cut(said: str, most: int) -> str:
    """Its beginning; of a path its end, which has the file's name."""
    if len(said) <= most:
        return said
    is_path = "/" in said and " " not in said
    return f"…{said[1 - most :]}" if is_path else f"{said[: most - 1]}…"


def named(event: Event, text: str) -> str:
    """The text with the feature's number before each line."""
    number = style(number_of(event), bold=True)
    return "\n".join(f"{number} {line}" if line else line for line in text.split("\n"))


def _mark(found: EventLine) -> str:
    colour = COLOURS.get(found.tone)
    return style(found.mark, fg=colour) if colour else style(found.mark, dim=True)


def _quiet(found: EventLine) -> str:
    if found.mark == "=":
        return style(wrapped(found.words, "  = "), dim=True)
    before = "    " if found.kind is LineKind.AFTER else f"  {found.mark} " if found.mark else "  "
    if found.said.startswith(GAP):
        gaps = wrapped(printable(found.said), "    ")
        return style(f"{before}{printable(found.words)}\n{gaps}", dim=True)
    joint = ": " if found.words.endswith("not used") else "; "
    joint = " " if found.words.endswith(".") else joint
    said = f"{joint}{_short(found.said)}" if found.said else ""
    return style(f"{before}{printable(found.words)}{said}", dim=True)


def _short(text: str) -> str:
    """The beginning, on one line, with nothing that could move the cursor."""
    line = printable(" ".join(text.split()))
    most = max(SHORTEST, line_width() - BESIDE)
    return line if len(line) <= most else f"{line[: most - 1]}…"
