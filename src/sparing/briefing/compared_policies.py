"""What a dispatch would have been under the other ways and under the original rules.

Kept in the ledger beside what was sent, so that a report can replay the run without asking
anything anew. Sizes and digests only, never a word of a prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sparing.agents.backend import Access
from sparing.briefing.trunk_group import referenced
from sparing.cache import CacheBlock
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.compose import Composed, compose
from sparing.dispatch_policy import Order, Way
from sparing.economy.choose import Moment, row_for
from sparing.economy.predict import Offer
from sparing.segment import Segment, TrunkKey, estimate_tokens
from sparing.sent import NamedBlock, OtherPrompts, SeedWays, WayPrompt

SHORT = 16
"""Letters of a digest that tell the blocks of one feature apart."""


def other_prompts(
    brief: Brief,
    told: Mapping[Way, tuple[Composed, Offer]],
    moment: Moment,
    marks: int,
    code: Sequence[int] = (),
    base: str = "",
) -> OtherPrompts:
    """`ways` in the order of this run, `seed` as the original workflow would send it. `code`:
    tokens of each changed file that has to be opened if the change is not shown."""
    opened = {Way.REFERENCE: code}
    ways = {way.value: _way(brief, *one, opened.get(way, ())) for way, one in told.items()}
    return OtherPrompts(ways, _seed(brief, moment, marks, code), base)


def base_digest(key: TrunkKey, access: Access) -> str:
    """Digest of what a client really sends before the prompt: of a role's tools only whether
    they may write, and not the lifetime of an entry."""
    return replace(key, tools=(access.value,), life="").digest[:SHORT]


def _way(brief: Brief, composed: Composed, offer: Offer, code: Sequence[int]) -> WayPrompt:
    reads, base = referenced(brief, composed), offer.base if offer.on is None else None
    return WayPrompt(
        _blocks(composed.segments, offer.blocks),
        None if base is None else (base.key[:SHORT], base.tokens),
        _reads(brief, reads, code) if reads else None,
    )


def _reads(brief: Brief, papers: Sequence[str], code: Sequence[int]) -> tuple[int, int]:
    """Tokens and number of files that are only named and have to be opened."""
    return size_of(brief, papers) + sum(code), len(papers) + len(code)


def _seed(brief: Brief, moment: Moment, marks: int, code: Sequence[int]) -> SeedWays:
    """A fresh prompt by path, one in full, and the delta if the original's table would resume.
    Its size guard depends on what was sent before, so sizes are kept."""
    brief = replace(brief, facts="")  # the original has no such sheet
    fresh = compose(brief, Way.REFERENCE, Order.SEED, marks)
    reads = referenced(brief, fresh)
    found = SeedWays(
        fresh=_plain(fresh.segments),
        fresh_chars=_chars(fresh.segments),
        reads=_reads(brief, reads, code),
        full=_plain(compose(brief, Way.COMPOSE, Order.SEED, marks).segments),
    )
    if not (brief.resumable and row_for(moment, guarded=False).template.resumes):
        return found
    delta = compose(brief, Way.RESUME, Order.SEED, marks).segments
    return replace(found, delta=_plain(delta), delta_chars=_chars(delta))


def _blocks(segments: Iterable[Segment], sent: Iterable[CacheBlock]) -> tuple[NamedBlock, ...]:
    return tuple(
        (one.digest[:SHORT], one.tokens, block.mark.value if block.mark else "", one.name)
        for one, block in zip(segments, sent, strict=True)
    )


def _plain(segments: Iterable[Segment]) -> tuple[NamedBlock, ...]:
    """Blocks without marks: the original sets none, and leaves caching to the client."""
    return tuple((one.digest[:SHORT], one.tokens, "", one.name) for one in segments)


def _chars(segments: Iterable[Segment]) -> int:
    return sum(len(one.text) for one in segments)


def size_of(brief: Brief, paths: Iterable[str]) -> int:
    """Tokens of documents that are only named."""
    listed = [*brief.full, *brief.documents, *([brief.subject] if brief.subject else [])]
    texts = {one.path: one.text or "" for one in listed}
    return sum(estimate_tokens(texts.get(path, "")) for path in paths)
