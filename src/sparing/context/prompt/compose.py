"""The composer: turns a brief into the segments to send, for a way to send it and an order.

Fresh prompts carry cache marks, at most as many as the backend takes: first where the trunk ends,
then where the role's steady part ends, then inside the trunk, backwards from its end. A resumed
session never gets one: a client that counts marks over the whole transcript would break.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.context.prompt import pieces, turn_words
from sparing.context.prompt.brief import Brief, Document, without_aids
from sparing.context.prompt.inclusion import wrap
from sparing.context.prompt.segment_order import nested, nested_again, seed, seed_again
from sparing.context.prompt.shorten import without_digested
from sparing.dispatch_policy import Order, Way
from sparing.prompts.render import words
from sparing.segment import Segment, Volatility
from sparing.turn_kind import KINDS


class Composed(NamedTuple):
    segments: tuple[Segment, ...]
    trunk: int
    """How many of the segments other dispatches share."""


def compose(brief: Brief, way: Way, order: Order = Order.NESTED, marks: int = 1) -> Composed:
    if way is Way.RESUME:
        # The naive way resumes nothing: asked for, it is told as we would.
        again = seed_again if order is Order.SEED else nested_again
        return Composed(again(brief), 0)
    if order is Order.NAIVE:
        return Composed((naive(brief),), 0)
    if way is Way.PLAIN:
        return Composed(_plain(brief), 0)
    trunk, own = (nested if order is Order.NESTED else seed)(brief, way)
    if way is Way.FORK:
        return Composed(own, 0)
    return Composed(_marked((*trunk, *own), len(trunk), marks), len(trunk))


def _plain(brief: Brief) -> tuple[Segment, ...]:
    """The usual text in the usual wrappers, without aids and without what the system prompt
    says; documents in full where a handoff would quote them."""
    told = without_aids(brief)
    if brief.handoff:
        told = replace(told, documents=whole_documents(brief), handoff=brief.handoff_notes or "")
    trunk, own = nested(told, Way.COMPOSE)
    system = {one.text for one in _who(brief)}
    return tuple(one for one in (*trunk, *own) if one.text not in system)


def whole_documents(brief: Brief) -> tuple[Document, ...]:
    """The documents that a plain prompt has in full: all but what a later one took over."""
    return without_digested(brief.full) if brief.full else brief.documents


def plain_system(brief: Brief) -> str:
    """The role as system prompt; what documents say stays data, which some roles say themselves."""
    told = [one.text for one in _who(brief)]
    rule, rest = words("blocks", "documents_are_data").split(": ", 1)
    said = rule in brief.role.text
    return "\n".join(told if said else [f"{rule}: {rest.partition('. ')[0]}.", *told])


def _who(brief: Brief) -> tuple[Segment, ...]:
    return (*pieces.role(brief), *pieces.stage_texts(brief))


def _marked(segments: Sequence[Segment], trunk: int, marks: int) -> tuple[Segment, ...]:
    soon = (n for n, one in enumerate(segments) if one.volatility is Volatility.ITERATION)
    steady = next(soon, len(segments))
    ends = dict.fromkeys((trunk, steady, *range(trunk - 1, 0, -1)))
    places = [end - 1 for end in ends if 0 < end < len(segments)][:marks]
    return tuple(
        replace(segment, mark=True) if number in places else segment
        for number, segment in enumerate(segments)
    )


def naive(brief: Brief) -> Segment:
    """The baseline: every document inline, in one block; the role is its system prompt.

    It contains what the composed prompt contains, rules and project included, but not in parts.
    What the program adds to save an agent from exploring is left out, and so is the handoff: the
    request stands in its place.
    """
    brief = replace(without_aids(brief), handoff="", handoff_notes=None)
    documents = [*(brief.full or brief.documents), *([brief.subject] if brief.subject else [])]
    told = [one for one in documents if one.text is not None]
    task = [wrap(brief.task, brief.key, "task")] if brief.task else []
    parts = [
        *(one.text for one in _known(brief)),
        *(wrap(one.text or "", brief.key, one.label or one.name.filename) for one in told),
        *(one.text for one in (*pieces.code(brief), *pieces.since(brief))),
        *task,
        *(one.text for one in _beside(brief)),
        turn_words.fresh_turn(brief),
        *(one.text for one in pieces.schema(brief)),
    ]
    return Segment("prompt", "\n".join(parts), Volatility.ITERATION)


def _known(brief: Brief) -> tuple[Segment, ...]:
    return (*pieces.rules(brief), *pieces.project(brief), *pieces.request(brief))


def _beside(brief: Brief) -> list[Segment]:
    return [
        *pieces.outcome(brief),
        *(pieces.files(brief) if KINDS[brief.asked.kind].lists_files else []),
        *pieces.facts(brief),
        *pieces.earlier(brief),
        *pieces.materials(brief),
    ]


def role_words(brief: Brief) -> str:
    """All text that describes the role: the system prompt of the naive baseline."""
    told = (*pieces.role(brief), *pieces.stage_texts(brief))
    return "\n".join(one.text for one in told)
