"""The rich handoff: all that a fresh session needs to continue where another one ended.

Three layers. Pipeline state comes from the program: outputs, handoffs, feature data, feedback. To
codebase map and working state it adds what it saw (opened files, what they define, imports, next
stage, changed files, open questions, warnings), and the departing agent adds the rest. Two to five
thousand tokens: a longer one is shortened in a fixed order, lists to their first lines and a count
of the rest; the user's request and open questions are never cut. Missing sections are named.
Without a reply from the agent it is still a handoff.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

from sparing.context.documents.handoff import Handoff, summary_of
from sparing.context.documents.markdown import outline
from sparing.segment import estimate_tokens

LEAST_TOKENS = 2_000
MOST_TOKENS = 5_000
MAP = {
    "tree": "Explored Tree",
    "key_files": "Key Files",
    "patterns": "Patterns",
    "imports": "Imports of Changed Files",
}
WORKING = {
    "next_stage": "Next Stage",
    "open_questions": "Open Questions",
    "changed_files": "Changed Files",
    "warnings": "Warnings",
}
QUESTIONS = "open_questions"
WELL = frozenset({"completed", "passed"})
ASKED = {"patterns": MAP["patterns"], "warnings": WORKING["warnings"]}
"""Sections that only the agent can fill; the answer may be `none`."""
LIST_LINES = (80, 40, 20, 10, 5, 2, 1)
"""Limits for the lines of each list, tried in order until the whole is short enough."""
LINE_CHARS = 300
_WORDS = re.compile(r"[^\W_]+")


class StageOutput(NamedTuple):
    stage: str
    text: str
    handoff: Handoff
    outcome: str = ""
    """How a stage that judges or verifies ended; other stages say so in their handoff."""
    path: str = ""
    """Path of its document."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What the program knows."""

    title: str
    tier: str
    priority: str = ""
    description: str = ""
    stages: tuple[StageOutput, ...] = ()
    feedback: tuple[str, ...] = ()
    next_stage: str = ""
    changed_files: tuple[str, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """Parts of the codebase map that the program saw itself, by the names of `MAP`."""


class RichHandoff(NamedTuple):
    text: str
    problems: tuple[str, ...]
    """What is missing or too much; empty if it is fit to be handed over."""


def parse_layers(reply: str) -> dict[str, str]:
    """The sections of the agent's two layers, by our names; headings of any level and case."""
    document = outline(reply)
    wanted = {_plain(title): name for name, title in {**MAP, **WORKING}.items()}
    found: dict[str, str] = {}
    for heading in document.headings:
        name = wanted.get(_plain(heading.text))
        if name is not None:
            body = document.section(heading).partition("\n")[2].strip()
            found[name] = body or found.get(name, "")
    return {name: text for name, text in found.items() if text and _plain(text) != "none"}


def rich_handoff(pipeline: Pipeline, reply: str = "") -> RichHandoff:
    """The whole document, shortened where it must be; without a reply the program's part of it."""
    layers = _joined(pipeline, parse_layers(reply))
    steps = (
        (pipeline.stages, layers),
        (tuple(_summarised(one) for one in pipeline.stages), layers),
        (tuple(_summarised(one) for one in pipeline.stages), _without(layers, "tree")),
        (tuple(_named(one) for one in pipeline.stages), _without(layers, "tree")),
    )
    texts = (
        *(_render(pipeline, *one) for one in steps),
        *(_render(_shortened(pipeline, most), *_few(*steps[-1], most)) for most in LIST_LINES),
    )
    text = next((one for one in texts if estimate_tokens(one) <= MOST_TOKENS), texts[-1])
    # Whose lists are too long: an agent is asked to shorten its own, and nobody else's.
    own = _render(pipeline, steps[-1][0], _without(_joined(pipeline, {}), "tree"))
    at_fault = estimate_tokens(own) <= MOST_TOKENS
    return RichHandoff(
        text, _problems(max(text, texts[len(steps) - 1] if at_fault else "", key=len), reply)
    )


def _few(
    stages: Sequence[StageOutput], layers: Mapping[str, str], most: int
) -> tuple[tuple[StageOutput, ...], dict[str, str]]:
    """Outputs and the agent's lists in few lines; what it asks is kept whole."""
    short = tuple(one._replace(text=_first(one.text, most)) for one in stages[-most:])
    kept = {
        name: text if name == QUESTIONS else _first(text, most) for name, text in layers.items()
    }
    return short, kept


def _shortened(pipeline: Pipeline, most: int) -> Pipeline:
    """The program's own lists: the first lines of each, which are ranked, and how many more."""
    stages = tuple(
        one._replace(
            handoff=replace(
                one.handoff,
                summary=one.handoff.summary[:LINE_CHARS],
                warnings=_counted(one.handoff.warnings, most),
                next_stage_needs=_counted(one.handoff.next_stage_needs, most),
            )
        )
        for one in pipeline.stages
    )
    return replace(
        pipeline,
        stages=stages,
        feedback=_counted(pipeline.feedback, most),
        changed_files=_counted(pipeline.changed_files, most),
    )


def _counted(values: Sequence[str], most: int) -> tuple[str, ...]:
    short = tuple(_cut(one) for one in values[:most])
    more = len(values) - len(short)
    return (*short, f"and {more} more") if more > 0 else short


def _first(text: str, most: int) -> str:
    lines = text.strip().splitlines()
    short = [_cut(line) for line in lines[:most]]
    more = len(lines) - len(short)
    return "\n".join([*short, *([f"and {more} more lines"] if more > 0 else [])])


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1]}…"


def handoff_notes(pipeline: Pipeline, given: Collection[str]) -> str:
    """Handoff parts found nowhere else, for a session that has these stages' documents in full:
    how the others ended, what they decided, people's feedback, open items. Empty if all that they
    say is that nothing went wrong. The turn itself says which feature and which stage it is."""
    others = [one for one in pipeline.stages if one.stage not in given]
    decided = [f"{one.stage}: {said}" for one in others for said in one.handoff.key_decisions]
    told = "\n".join(one.text for one in pipeline.stages if one.stage in given)
    files = tuple(one for one in pipeline.changed_files if one.split(" (+")[0] not in told)
    parts = [
        _section("### Key Decisions", _listed(decided)),
        _section("### Feedback", _listed(pipeline.feedback)),
        *_working(replace(pipeline, changed_files=files), {}, named=False),
    ]
    filled = [part for part in parts if part]
    if not filled and all(_ended(one) in WELL for one in others):
        return ""
    chain = _section("### Handoff Chain", "\n".join(map(_pointer, filter(_unseen, others))))
    feature = _feature(replace(pipeline, title="", tier=""))
    return "\n".join(part for part in (feature, chain, *filled) if part) + "\n"


def _unseen(one: StageOutput) -> bool:
    """Whether nothing else in the notes shows that the stage took place and ended well."""
    return not one.handoff.key_decisions or _ended(one) not in WELL


def _pointer(one: StageOutput) -> str:
    """How a stage ended; what it was about only where no document says it."""
    return _link(one._replace(handoff=replace(one.handoff, summary="")) if one.path else one)


def _named_in(reply: str) -> set[str]:
    """The sections that a reply has, even if empty."""
    titles = {_plain(title): name for name, title in {**MAP, **WORKING}.items()}
    headings = (_plain(one.text) for one in outline(reply).headings)
    return {titles[heading] for heading in headings if heading in titles}


def _joined(pipeline: Pipeline, said: Mapping[str, str]) -> dict[str, str]:
    """What the program saw, followed by what the agent adds."""
    both = {
        name: "\n".join(filter(None, (pipeline.seen.get(name), said.get(name)))) for name in MAP
    }
    return {**said, **{name: text for name, text in both.items() if text}}


def _problems(whole: str, reply: str) -> tuple[str, ...]:
    """What is wrong with a reply; `whole` is the document with the agent's part uncut."""
    named, tokens = _named_in(reply), estimate_tokens(whole)
    found = [f"the section '{ASKED[name]}' is missing" for name in ASKED if name not in named]
    if tokens > MOST_TOKENS:
        found.append(f"it has {tokens} tokens, more than {MOST_TOKENS}")
    if tokens < LEAST_TOKENS and found:  # else it is short because there is little to say
        found.append(f"it has {tokens} tokens, fewer than {LEAST_TOKENS}")
    return tuple(found)


def _render(pipeline: Pipeline, stages: Sequence[StageOutput], layers: Mapping[str, str]) -> str:
    known = [_section(f"### {title}", layers.get(name, "")) for name, title in MAP.items()]
    parts = [
        "# Handoff",
        "## Pipeline State",
        _feature(pipeline),
        *(f"### Output of {one.stage}\n{one.text.strip() or 'N/A'}" for one in stages),
        _section("### Handoff Chain", "\n".join(map(_link, pipeline.stages))),
        _section("### Feedback", _listed(pipeline.feedback)),
        "## Codebase Map" if any(known) else "",
        *known,
        "## Working State",
        *_working(pipeline, layers),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _feature(pipeline: Pipeline) -> str:
    rows = (("Feature", pipeline.title), ("Tier", pipeline.tier), ("Priority", pipeline.priority))
    known = "\n".join(f"- {name}: {value}" for name, value in rows if value)
    said = "\n".join(f"> {line}".rstrip() for line in pipeline.description.splitlines())
    return f"{known}\n\n{_section('### Request', said)}" if said else known


def _ended(one: StageOutput) -> str:
    return one.outcome or one.handoff.status


def _link(one: StageOutput) -> str:
    """How the stage ended, and where its document is."""
    ended = f"- {one.stage} ({_ended(one)})"
    where = f", {one.path}" if one.path else ""
    return f"{ended}{where}: {one.handoff.summary}" if one.handoff.summary else f"{ended}{where}"


def _needs(pipeline: Pipeline) -> Sequence[str]:
    """As the stage before says it: what one that is done again once said is for its successor."""
    before = [*takewhile(lambda one: one.stage != pipeline.next_stage, pipeline.stages)]
    return before[-1].handoff.next_stage_needs if before else ()


def _working(pipeline: Pipeline, layers: Mapping[str, str], *, named: bool = True) -> list[str]:
    handoffs = [one.handoff for one in pipeline.stages]
    last = handoffs[-1] if handoffs else Handoff()
    known = {
        "next_stage": _listed([pipeline.next_stage if named else "", *_needs(pipeline)]),
        "open_questions": _listed(last.open_questions),
        "changed_files": _listed(pipeline.changed_files),
        "warnings": _listed([note for handoff in handoffs for note in handoff.warnings]),
    }
    return [
        _section(f"### {title}", "\n".join(filter(None, (known[name], layers.get(name, "")))))
        for name, title in WORKING.items()
    ]


def _summarised(one: StageOutput) -> StageOutput:
    return one._replace(text=summary_of(one.handoff) or one.text)


def _named(one: StageOutput) -> StageOutput:
    """With its summary, or else a pointer to the stage's document, in place of its text."""
    return one._replace(text=summary_of(one.handoff) or f"See the document of {one.stage}.")


def _without(layers: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: text for key, text in layers.items() if key != name}


def _section(heading: str, body: str) -> str:
    return f"{heading}\n{body}" if body.strip() else ""


def _listed(values: Sequence[str]) -> str:
    return "\n".join(f"- {value}" for value in values if value)


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))
