"""An event described in one line. The type checker demands one for every kind of event.

For terminal and page alike, without colours or width: a mark, our words, quoted text.
"""

from __future__ import annotations

from typing import assert_never

from sparing.context.documents.comments import in_one_line
from sparing.context.prompt.answered_questions import answers_alone
from sparing.desk.features.live_work import action_text
from sparing.desk.gates.open_questions import without_questions
from sparing.desk.shown_line import EventLine, LineKind, LineTone
from sparing.event import (
    NOT_HANDED_OVER,
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
from sparing.flow.state import ANSWERS
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
    ResearchEvent,
    UnreadEvent,
    VerdictEvent,
    WeighedEvent,
)

WAYS = {
    **dict.fromkeys(("compose", "plain"), "new session"),
    "reference": "new session, documents named",
    "resume": "resumed",
    "fork": "forked",
}
VERBS = {kind.value: row.told for kind, row in ANSWERS.items()}
STRONG = ("sealed", "shell")
"""Sandbox levels that provide every protection promised."""
CHEAPER = " is expected to be "
GAP = "not protected: "
TOLD = (" does not pass: ", " passes: no finding counts", " passes: none of its findings counts")
"""Reasons that verdict lines already show; the last is a former wording."""
PAUSED, SHOWN_COMMIT = "paused by you", 10

TurnLine = (
    AskEvent | VerdictEvent | CommitEvent | HandoffEvent | WeighedEvent | FallbackEvent
    | UnreadEvent
)  # fmt: skip
PersonLine = AnswerEvent | SayEvent | EditEvent | RulingEvent
StepLine = (
    ChecksEvent | OutputsEvent | RefusedCheckEvent | SetupEvent | SandboxEvent | IncidentEvent
)  # fmt: skip


def event_line(event: Event) -> EventLine | None:
    """The line for an event; None if it is too minor to show."""
    what = event.what
    match what:
        case HiddenEvent():
            return None
        case AgentAction():
            words, said = f"{event.role} {what.verb}", action_text(event)
            return EventLine(words=words, said=said, quiet=True, kind=LineKind.AGENT)
        case ResearchEvent(findings=findings) if findings:
            count = f"{findings} fact{'' if findings == 1 else 's'} found"
            left = event.text.partition(",")
            words = f"{event.role}: {count}{left[1]}{left[2]}"
            return EventLine("·", words=words, quiet=True)
        case NoteEvent():
            who = f"{event.role}: " if event.role else ""
            return EventLine("~", words=f"{who}{event.text}", quiet=True)
        case FeatureEvent() | StuckEvent() | LearnedEvent() | HandoverEvent():
            return _outcome(event, what)
        case LookEvent():
            return _look(event)
        case _:
            return _step(event, what)


def _outcome(
    event: Event, what: FeatureEvent | StuckEvent | LearnedEvent | HandoverEvent
) -> EventLine:
    """The line for a feature's progress or its end."""
    match what:
        case FeatureEvent():
            return _feature(event, what)
        case StuckEvent():
            return _stuck(event, what)
        case LearnedEvent(held=held):
            if not held:
                return EventLine("~", words=event.text, quiet=True)
            return EventLine("✓", LineTone.GOOD, f"lessons: {event.text}")
        case HandoverEvent():
            tone = LineTone.GOOD if what.merged or what.url else LineTone.CARE
            return EventLine("→", tone, event.text, commands=what.commands)
        case _:
            assert_never(what)


def number_of(event: Event) -> str:
    """The feature's number, with which its key ends."""
    return event.feature.rpartition("-")[2]


def _step(event: Event, what: TurnLine | PersonLine | StepLine) -> EventLine | None:
    """The line for one turn, one person's action or one of the program's own steps."""
    if isinstance(what, TurnLine):
        return _turn(event, what)
    return _person(event, what) if isinstance(what, PersonLine) else _own(event, what)


def _feature(event: Event, what: FeatureEvent) -> EventLine:
    match what:
        case FeatureEvent.STAGE:
            return EventLine(words=event.stage, kind=LineKind.STAGE)
        case FeatureEvent.GATE:
            return EventLine("?", LineTone.PERSON, f"{event.stage} waits for your approval")
        case FeatureEvent.PASSED:
            words = f"the gate of {event.stage} passed by rule: {event.text}"
            return EventLine("✓", LineTone.GOOD, words)
        case FeatureEvent.SENT_BACK:
            return EventLine("↩", LineTone.CARE, f"{event.stage}: {event.text}")
        case FeatureEvent.DONE:
            return EventLine(tone=LineTone.GOOD, words="finished", kind=LineKind.END)
        case FeatureEvent.ABANDONED:
            return EventLine(tone=LineTone.CARE, words="abandoned", kind=LineKind.END)
        case _:
            assert_never(what)


def _turn(event: Event, what: TurnLine) -> EventLine | None:
    match what:
        case AskEvent(way=way, attempt=attempt):
            again = "" if attempt == 1 else f", attempt {attempt}"
            again += f": {event.text}" if event.text else ""
            return EventLine("·", words=event.role, aside=f"({WAYS.get(way, way)}{again})")
        case VerdictEvent():
            return _verdict(event, what)
        case CommitEvent(commit=commit):
            return EventLine("+", LineTone.GOOD, f"{commit[:SHOWN_COMMIT]} {event.text}")
        case HandoffEvent():
            return _handoff(event, what)
        case WeighedEvent():
            return _weighed(event, what)
        case FallbackEvent(error=error):
            words = f"{event.role} starts a new session"
            return EventLine("~", words=words, said=error, quiet=True)
        case UnreadEvent():
            words = f"{event.role} did not confirm that it read the files it was given"
            return EventLine("~", words=words, quiet=True)
        case _:
            assert_never(what)


def _person(event: Event, what: PersonLine) -> EventLine:
    match what:
        case AnswerEvent(by=by, answer=answer):
            words = f"{what.handoff_words or VERBS.get(answer, answer)} ({by})"
            return EventLine(
                "»", LineTone.PERSON, words, said=answers_alone(in_one_line(event.text))
            )
        case SayEvent(by=by):
            return EventLine("»", LineTone.PERSON, f"said ({by})", said=event.text)
        case EditEvent(commit=commit):
            return EventLine("+", LineTone.PERSON, f"{commit[:SHOWN_COMMIT]} {event.text}")
        case RulingEvent(finding=finding, ruling=ruling, by=by):
            return EventLine("»", LineTone.PERSON, f"{finding} {ruling} ({by})", said=event.text)
        case _:
            assert_never(what)


def _own(event: Event, what: StepLine) -> EventLine | None:
    line = " ".join(event.text.split())
    match what:
        case ChecksEvent(passed=passed):
            good = all(passed.values())
            mark, tone = ("✓", LineTone.GOOD) if good else ("✗", LineTone.BAD)
            return EventLine(mark, tone, f"the repository's checks: {what.words(event.text)}")
        case OutputsEvent():
            # Only of what is red: the paths of it are long, and a command finds them.
            words = f"output: sparing show {number_of(event)} checks"
            return EventLine(words=words, quiet=True, kind=LineKind.AFTER) if event.text else None
        case RefusedCheckEvent():
            return EventLine("~", words=line, quiet=True)
        case SetupEvent():
            return EventLine("✓", LineTone.GOOD, "set-up", said=event.text)
        case SandboxEvent(level=level):
            if level in STRONG:
                return _sandbox(event.text)
            return EventLine("!", LineTone.CARE, f"sandbox {event.text}")
        case IncidentEvent():
            return EventLine("!", LineTone.CARE, line)
        case _:
            assert_never(what)


def _sandbox(text: str) -> EventLine:
    """The line for a sandbox: what it protects, and what it does not."""
    words, *rest = text.split("; ")
    gaps = "; ".join(part for part in rest if part.startswith(GAP))
    return EventLine(words=f"sandbox {words}", said=gaps, quiet=True)


def _verdict(event: Event, what: VerdictEvent) -> EventLine:
    if what.passed:
        return EventLine("✓", LineTone.GOOD, f"{event.role} passed")
    counts = _counted(what.findings)
    return EventLine("✗", LineTone.CARE, f"{event.role}: {counts or event.text}")


def _counted(severities: tuple[str, ...]) -> str:
    parts = [
        f"{severities.count(word)} {word}{'s' if severities.count(word) > 1 else ''}"
        for word in ("blocker", "warning", "suggestion")
        if word in severities
    ]
    return ", ".join(parts)


def _handoff(event: Event, what: HandoffEvent) -> EventLine:
    asked = len(what.open_questions)
    asks = f", {asked} open question{'s' if asked > 1 else ''}" if asked else ""
    status = what.status.replace("_", " ")
    end = "." if event.text else ""
    return EventLine("~", words=f"{event.role}: {status}{asks}{end}", said=event.text, quiet=True)


def _stuck(event: Event, what: StuckEvent) -> EventLine:
    if event.text == PAUSED:
        return EventLine("‖", LineTone.PERSON, f"{event.stage} is {PAUSED}")
    if what.cause == "questions":
        words = without_questions(event.text)  # the gate lists them
        return EventLine("?", LineTone.PERSON, f"{event.stage} waits for you: {words}")
    words = NOT_HANDED_OVER if event.text.startswith(NOT_HANDED_OVER) else event.text  # told above
    return EventLine("!", LineTone.BAD, f"{event.stage} is stuck: {words}")


def _look(event: Event) -> EventLine | None:
    """Why a review continues or ends, where the verdicts alone don't say so."""
    parts = [one for one in event.text.split("; ") if one and not _is_plain(one)]
    return EventLine("=", words="; ".join(parts), quiet=True) if parts else None


def _is_plain(reason: str) -> bool:
    """Whether the verdicts' lines have said it already, or the next line will."""
    told = any(words in reason for words in TOLD)
    return reason == "accepted" or reason.startswith("next: ") or told


def _weighed(event: Event, what: WeighedEvent) -> EventLine | None:
    """The expected saving where cost decided; otherwise what decided."""
    told = {
        "continue": ("continues its session", "a new one with a handoff"),
        "hand off": ("a new session with a handoff", "continuing"),
    }
    if what.go not in told:
        return None
    words, other = told[what.go]
    part = event.text.partition(CHEAPER)[2].partition(" (")[0]
    if not part.endswith("cheaper"):
        return EventLine("~", words=words, said=event.text, quiet=True)
    less = f"as cheap as {other}" if part == "0 % cheaper" else f"{part} than {other}"
    return EventLine("~", words=f"{words}: {less} (expected)", quiet=True)
