"""What happens, line by line, while features run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparing.cli.run.handover_summary import learned_line
from sparing.cli.screen import echo, style, wrapped
from sparing.desk.features.history import events_since, last_sandbox, latest_event
from sparing.desk.office import Office
from sparing.printable import printable
from sparing.records.events import Event

WAYS = {
    "compose": "fresh",
    "reference": "fresh, by reference",
    "resume": "resumed",
    "fork": "forked",
}


VERBS = {
    "approve": "approved",
    "reject": "rejected",
    "continue": "goes on",
    "answer": "answered",
    "rerun": "runs again",
    "skip": "skips to",
    "back": "goes back to",
    "abandon": "abandoned",
}
LONGEST = 60
STRONG = ("sealed", "shell")
TOLD = (" does not pass: ", " passes: nothing it says counts")
PAUSED = "paused by you"


class Progress:
    """Prints events it has not printed yet, to stderr.

    Where several features run, each line says of which it tells.
    """

    def __init__(self, office: Office, features: Sequence[str], *, quiet: bool) -> None:
        self._office, self._quiet = office, quiet
        self._after = latest_event(office)
        self._alone = features[0] if len(features) == 1 else ""
        self._walls = SandboxTeller(office)

    def show(self) -> None:
        if self._quiet:
            return
        for event in events_since(self._office, self._after):
            self._after = event.n
            line = "" if self._walls.known(event) else describe(event)
            if line:
                echo(line if event.feature == self._alone else named(event, line), err=True)


class SandboxTeller:
    """Says how far agents are confined when that changes, not with every leg."""

    def __init__(self, office: Office) -> None:
        self._level = last_sandbox(office)

    def known(self, event: Event) -> bool:
        if event.kind != "sandbox":
            return False
        before, self._level = self._level, str(event.data["level"])
        return self._level == before and self._level in STRONG


def number_of(event: Event) -> str:
    """A key ends with it."""
    return event.feature.rpartition("-")[2]


def named(event: Event, text: str) -> str:
    """With the feature's number before each line."""
    number = style(number_of(event), bold=True)
    return "\n".join(f"{number} {line}" if line else line for line in text.split("\n"))


def describe(event: Event) -> str:
    """One line, or none for what is too small to tell."""
    writer = WRITERS.get(event.kind)
    return "" if writer is None else writer(event)


def _stage(event: Event) -> str:
    return "\n" + style(event.stage, bold=True)


def _asks(event: Event) -> str:
    way = WAYS.get(event.data["way"], event.data["way"])
    again = "" if event.data["attempt"] == 1 else f", attempt {event.data['attempt']}"
    return f"  {style('·', dim=True)} {event.role} {style(f'({way}{again})', dim=True)}"


def _verdict(event: Event) -> str:
    if event.data["passed"]:
        return f"  {style('✓', fg='green')} {event.role} is satisfied"
    counts = _counted(event.data["findings"])
    return f"  {style('✗', fg='yellow')} {event.role}: {counts or event.text}"


def _counted(severities: list[str]) -> str:
    parts = [
        f"{severities.count(word)} {word}{'s' if severities.count(word) > 1 else ''}"
        for word in ("blocker", "warning", "suggestion")
        if word in severities
    ]
    return ", ".join(parts)


def _commit(event: Event) -> str:
    return f"  {style('+', fg='green')} {event.data['commit'][:10]} {event.text}"


def _checks(event: Event) -> str:
    green = all(event.data.values())
    mark = style("✓", fg="green") if green else style("✗", fg="red")
    return f"  {mark} the repository's checks: {event.text}"


def _handover(event: Event) -> str:
    home = event.data["merged"] or event.data.get("url")
    first = f"  {style('→', fg='green' if home else 'yellow')} {event.text}"
    commands = [f"    {style(one, fg='cyan')}" for one in event.data.get("commands", ())]
    return "\n".join((first, *commands))


def _gate(event: Event) -> str:
    return f"  {style('?', fg='cyan')} {event.stage} waits for your approval"


def _answered(event: Event) -> str:
    answer = event.data["answer"]
    verb = VERBS.get(answer, answer)
    said = f": {_short(event.text)}" if event.text else ""
    return f"  {style('»', fg='cyan')} {verb} ({event.data['by']}){said}"


def _handoff(event: Event) -> str:
    asked = len(event.data["open_questions"])
    asks = f", {asked} open question{'s' if asked > 1 else ''}" if asked else ""
    status = event.data["status"].replace("_", " ")
    return style(f"  ~ {event.role}: {status}{asks}; {_short(event.text)}", dim=True)


def _passed(event: Event) -> str:
    mark = style("✓", fg="green")
    return f"  {mark} the gate of {event.stage} passed by rule: {event.text}"


def _sent_back(event: Event) -> str:
    return f"  {style('↩', fg='yellow')} {event.stage}: {event.text}"


def _stuck(event: Event) -> str:
    if event.text == PAUSED:
        return f"  {style('‖', fg='cyan')} {event.stage} is {PAUSED}"
    if event.data.get("cause") == "questions":
        return f"  {style('?', fg='cyan')} {event.stage} waits for you: {event.text}"
    return f"  {style('!', fg='red')} {event.stage} is stuck: {event.text}"


def _note(event: Event) -> str:
    who = f"{event.role}: " if event.role else ""
    return style(f"  ~ {who}{event.text}", dim=True)


def _unread(event: Event) -> str:
    words = f"  ~ {event.role} did not say that it has read what it was pointed to"
    return style(words, dim=True)


def _sandbox(event: Event) -> str:
    text = event.text.partition("; ")[0]
    if event.data["level"] in STRONG:
        return style(f"  sandbox {text}", dim=True)
    return style(f"  ! sandbox {event.text}", fg="yellow")


def _incident(event: Event) -> str:
    return f"  {style('!', fg='yellow')} {printable(' '.join(event.text.split()))}"


def _refused(event: Event) -> str:
    return style(f"  ~ {printable(' '.join(event.text.split()))}", dim=True)


def _outputs(event: Event) -> str:
    """Only of what is red: the paths of it are long, and a command finds them."""
    words = f"    what they printed: sparing show {number_of(event)} checks"
    return style(words, dim=True) if event.text else ""


def _look(event: Event) -> str:
    """Why a review goes on or ends, where the verdicts alone don't say it."""
    parts = [one for one in event.text.split("; ") if one and not _is_plain(one)]
    return style(wrapped("; ".join(parts), "  = "), dim=True) if parts else ""


def _is_plain(reason: str) -> bool:
    """What the lines of the verdicts have said, or the next line will."""
    told = any(words in reason for words in TOLD)
    return reason == "accepted" or reason.startswith("next: ") or told


def _fallback(event: Event) -> str:
    why = _short(str(event.data.get("error", "")))
    return style(f"  ~ {event.role} starts afresh, its session is not used: {why}", dim=True)


def _ruled(event: Event) -> str:
    finding, ruling = event.data["finding"], event.data["ruling"]
    said = f": {_short(event.text)}" if event.text else ""
    return f"  {style('»', fg='cyan')} {finding} {ruling} ({event.data['by']}){said}"


def _said(event: Event) -> str:
    return f"  {style('»', fg='cyan')} said ({event.data['by']}): {_short(event.text)}"


def _edited(event: Event) -> str:
    commit, text = event.data["commit"][:10], event.text
    return f"  {style('+', fg='cyan')} {commit} {text}"


def _setup(event: Event) -> str:
    return f"  {style('✓', fg='green')} set-up: {_short(event.text)}"


def _weighed(event: Event) -> str:
    words = {"continue": "goes on in its session", "hand off": "a new session, with a handoff"}
    if event.data["go"] not in words:
        return ""
    cache = " (warm)" if event.data.get("warm") else " (cold)"
    known = "" if event.data.get("lost") or "warm" not in event.data else cache
    return style(f"  ~ {words[event.data['go']]}{known}", dim=True)


def _abandoned(_event: Event) -> str:
    return "\n" + style("abandoned", fg="yellow", bold=True)


def _short(text: str) -> str:
    """The beginning, on one line, with nothing that could move the cursor."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _done(_event: Event) -> str:
    return "\n" + style("finished", fg="green", bold=True)


WRITERS: dict[str, Any] = {
    "stage": _stage,
    "asks": _asks,
    "verdict": _verdict,
    "commit": _commit,
    "checks": _checks,
    "handover": _handover,
    "gate": _gate,
    "answered": _answered,
    "handoff": _handoff,
    "passed": _passed,
    "sent back": _sent_back,
    "rewound": _note,
    "weighed": _weighed,
    "stuck": _stuck,
    "warning": _note,
    "research": _note,
    "learned": learned_line,
    "unread": _unread,
    "sandbox": _sandbox,
    "incident": _incident,
    "refused": _refused,
    "outputs": _outputs,
    "look": _look,
    "fallback": _fallback,
    "ruled": _ruled,
    "said": _said,
    "edited": _edited,
    "setup": _setup,
    "abandoned": _abandoned,
    "done": _done,
}
