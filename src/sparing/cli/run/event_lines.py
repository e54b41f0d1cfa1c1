"""What is said of an event, in a line. The type checker asks for one of every kind.

`sparing run` prints them as they come, `sparing watch` too, with what agents do besides.
"""

from __future__ import annotations

from typing import assert_never

from sparing.cli.run.handover_summary import learned_line
from sparing.cli.screen import style, wrapped
from sparing.event import (
    AnswerEvent,
    ChecksEvent,
    EditEvent,
    FeatureEvent,
    HandoverEvent,
    LearnedEvent,
    LookEvent,
    OutputsEvent,
    RefusedCheckEvent,
    RulingEvent,
    SandboxEvent,
    SayEvent,
    SetupEvent,
    StuckEvent,
)
from sparing.printable import printable
from sparing.records.events import Event
from sparing.turn_event import (
    AgentAction,
    AskEvent,
    CommitEvent,
    FallbackEvent,
    HandoffEvent,
    HiddenEvent,
    IncidentEvent,
    NoteEvent,
    UnreadEvent,
    VerdictEvent,
    WeighedEvent,
)

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
"""Levels of the sandbox that hold everything that is promised."""
TOLD = (" does not pass: ", " passes: nothing it says counts")
PAUSED = "paused by you"

TurnLine = (
    AskEvent | VerdictEvent | CommitEvent | HandoffEvent | WeighedEvent | FallbackEvent
    | UnreadEvent
)  # fmt: skip
PersonLine = AnswerEvent | SayEvent | EditEvent | RulingEvent
StepLine = (
    ChecksEvent | OutputsEvent | RefusedCheckEvent | SetupEvent | SandboxEvent | IncidentEvent
)  # fmt: skip


def describe(event: Event) -> str:
    """One line, or none for what is too small to tell."""
    what = event.what
    match what:
        case HiddenEvent() | AgentAction():
            return ""
        case NoteEvent():
            return _note(event)
        case FeatureEvent():
            return _feature(event, what)
        case StuckEvent():
            return _stuck(event, what)
        case LookEvent():
            return _look(event)
        case LearnedEvent():
            return learned_line(event.text, what)
        case HandoverEvent():
            return _handover(event, what)
        case _:
            return _step(event, what)


def _step(event: Event, what: TurnLine | PersonLine | StepLine) -> str:
    """What one turn, one person or one of the program's own steps has done."""
    if isinstance(what, TurnLine):
        return _turn(event, what)
    return _person(event, what) if isinstance(what, PersonLine) else _own(event, what)


def agent_line(event: Event, longest: int) -> str:
    """What an agent does, in a line that is easy to pass over; nothing of other events."""
    what = event.what
    if not isinstance(what, AgentAction):
        return ""
    line = f"    {event.role} {what.verb} {printable(' '.join(event.text.split()))}"
    return style(line if len(line) <= longest else f"{line[: longest - 1]}…", dim=True)


def number_of(event: Event) -> str:
    """A key ends with it."""
    return event.feature.rpartition("-")[2]


def named(event: Event, text: str) -> str:
    """With the feature's number before each line."""
    number = style(number_of(event), bold=True)
    return "\n".join(f"{number} {line}" if line else line for line in text.split("\n"))


def _feature(event: Event, what: FeatureEvent) -> str:
    match what:
        case FeatureEvent.STAGE:
            return "\n" + style(event.stage, bold=True)
        case FeatureEvent.GATE:
            return f"  {style('?', fg='cyan')} {event.stage} waits for your approval"
        case FeatureEvent.PASSED:
            mark = style("✓", fg="green")
            return f"  {mark} the gate of {event.stage} passed by rule: {event.text}"
        case FeatureEvent.SENT_BACK:
            return f"  {style('↩', fg='yellow')} {event.stage}: {event.text}"
        case FeatureEvent.DONE:
            return "\n" + style("finished", fg="green", bold=True)
        case FeatureEvent.ABANDONED:
            return "\n" + style("abandoned", fg="yellow", bold=True)
        case _:
            assert_never(what)


def _turn(event: Event, what: TurnLine) -> str:
    match what:
        case AskEvent():
            return _ask(event, what)
        case VerdictEvent():
            return _verdict(event, what)
        case CommitEvent(commit=commit):
            return f"  {style('+', fg='green')} {commit[:10]} {event.text}"
        case HandoffEvent():
            return _handoff(event, what)
        case WeighedEvent():
            return _weighed(what)
        case FallbackEvent(error=error):
            why = f"its session is not used: {_short(error)}"
            return style(f"  ~ {event.role} starts afresh, {why}", dim=True)
        case UnreadEvent():
            words = f"  ~ {event.role} did not say that it has read what it was pointed to"
            return style(words, dim=True)
        case _:
            assert_never(what)


def _person(event: Event, what: PersonLine) -> str:
    said = f": {_short(event.text)}" if event.text else ""
    match what:
        case AnswerEvent(by=by, answer=answer):
            return f"  {style('»', fg='cyan')} {VERBS.get(answer, answer)} ({by}){said}"
        case SayEvent(by=by):
            return f"  {style('»', fg='cyan')} said ({by}): {_short(event.text)}"
        case EditEvent(commit=commit):
            return f"  {style('+', fg='cyan')} {commit[:10]} {event.text}"
        case RulingEvent(finding=finding, ruling=ruling, by=by):
            return f"  {style('»', fg='cyan')} {finding} {ruling} ({by}){said}"
        case _:
            assert_never(what)


def _own(event: Event, what: StepLine) -> str:
    match what:
        case ChecksEvent(passed=passed):
            good = all(passed.values())
            mark = style("✓", fg="green") if good else style("✗", fg="red")
            return f"  {mark} the repository's checks: {event.text}"
        case OutputsEvent():
            return _outputs(event)
        case RefusedCheckEvent():
            return style(f"  ~ {printable(' '.join(event.text.split()))}", dim=True)
        case SetupEvent():
            return f"  {style('✓', fg='green')} set-up: {_short(event.text)}"
        case SandboxEvent():
            return _sandbox(event, what)
        case IncidentEvent():
            return f"  {style('!', fg='yellow')} {printable(' '.join(event.text.split()))}"
        case _:
            assert_never(what)


def _ask(event: Event, what: AskEvent) -> str:
    way = WAYS.get(what.way, what.way)
    again = "" if what.attempt == 1 else f", attempt {what.attempt}"
    return f"  {style('·', dim=True)} {event.role} {style(f'({way}{again})', dim=True)}"


def _verdict(event: Event, what: VerdictEvent) -> str:
    if what.passed:
        return f"  {style('✓', fg='green')} {event.role} is satisfied"
    counts = _counted(what.findings)
    return f"  {style('✗', fg='yellow')} {event.role}: {counts or event.text}"


def _counted(severities: tuple[str, ...]) -> str:
    parts = [
        f"{severities.count(word)} {word}{'s' if severities.count(word) > 1 else ''}"
        for word in ("blocker", "warning", "suggestion")
        if word in severities
    ]
    return ", ".join(parts)


def _handover(event: Event, what: HandoverEvent) -> str:
    home = what.merged or what.url
    first = f"  {style('→', fg='green' if home else 'yellow')} {event.text}"
    commands = [f"    {style(one, fg='cyan')}" for one in what.commands]
    return "\n".join((first, *commands))


def _handoff(event: Event, what: HandoffEvent) -> str:
    asked = len(what.open_questions)
    asks = f", {asked} open question{'s' if asked > 1 else ''}" if asked else ""
    status = what.status.replace("_", " ")
    return style(f"  ~ {event.role}: {status}{asks}; {_short(event.text)}", dim=True)


def _stuck(event: Event, what: StuckEvent) -> str:
    if event.text == PAUSED:
        return f"  {style('‖', fg='cyan')} {event.stage} is {PAUSED}"
    if what.cause == "questions":
        return f"  {style('?', fg='cyan')} {event.stage} waits for you: {event.text}"
    return f"  {style('!', fg='red')} {event.stage} is stuck: {event.text}"


def _note(event: Event) -> str:
    who = f"{event.role}: " if event.role else ""
    return style(f"  ~ {who}{event.text}", dim=True)


def _sandbox(event: Event, what: SandboxEvent) -> str:
    text = event.text.partition("; ")[0]
    if what.level in STRONG:
        return style(f"  sandbox {text}", dim=True)
    return style(f"  ! sandbox {event.text}", fg="yellow")


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


def _weighed(what: WeighedEvent) -> str:
    words = {"continue": "goes on in its session", "hand off": "a new session, with a handoff"}
    if what.go not in words:
        return ""
    cache = " (warm)" if what.warm else " (cold)"
    known = "" if what.lost or what.warm is None else cache
    return style(f"  ~ {words[what.go]}{known}", dim=True)


def _short(text: str) -> str:
    """The beginning, on one line, with nothing that could move the cursor."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
