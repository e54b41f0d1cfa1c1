"""The cache alone reproduces the bills of a real client's review loops. Covers: E2, G2.

Five reviews of five artifacts. The requests have the sizes of those the client sent; the figures
(input-token equivalents: read 0.1, write 1.25 and 2) were reckoned from the originals by another
simulation of the cache, so they agree with this one, and neither is a vendor's invoice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.usage import Usage

Call = tuple[CacheBlock, ...]
Loop = Callable[[int], list[Call]]
"""The calls of one iteration."""

ITERATIONS = 5
TOOLS = CacheBlock(RequestPart.TOOLS, "read-only tools", 1884)
IDENTITY = CacheBlock(RequestPart.SYSTEM, "identity", 15, Life.FIVE_MINUTES)
ROLE = CacheBlock(RequestPart.SYSTEM, "reviewer", 600, Life.FIVE_MINUTES)
HEAD = (TOOLS, IDENTITY, ROLE)


def message(digest: str, tokens: int) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, digest, tokens)


def marked(block: CacheBlock) -> CacheBlock:
    return replace(block, mark=Life.FIVE_MINUTES)


def reads(tag: str) -> Call:
    """Five parallel calls to read a file, and their results."""
    calls = [message(f"read {tag} {n}", 7) for n in range(5)]
    return (*calls, *(message(f"artifact {n}", 3900) for n in range(5)))


def fresh_inline(n: int) -> list[Call]:
    return [(*HEAD, message(f"prompt {n}", 19530))]


def fresh_with_mark(n: int) -> list[Call]:
    return [(*HEAD, marked(message("rubric, four artifacts", 15472)), message(f"rest {n}", 4058))]


def fresh_lazy(n: int) -> list[Call]:
    prompt = (*HEAD, message(f"prompt {n}", 792))
    return [prompt, (*prompt, *reads(f"in {n}"))]


def resume(n: int) -> list[Call]:
    first = fresh_lazy(0)
    if n == 0:
        return first
    turns = [(message(f"verdict {k}", 420), message(f"delta {k}", 450)) for k in range(1, n + 1)]
    return [sum(turns, first[-1])]


def lasting(block: CacheBlock, life: Life) -> CacheBlock:
    return block if block.mark is None else replace(block, mark=life)


def billed(calls: list[tuple[float, Call]], life: Life = Life.FIVE_MINUTES) -> Usage:
    """Each call also has a mark on its last block, as the client sends it."""
    cache, total = PromptCache(), Usage()
    for at, call in calls:
        blocks = tuple(lasting(block, life) for block in (*call[:-1], marked(call[-1])))
        total += cache.bill(CacheRequest("claude-sonnet-5", blocks), at)
    return total


def equivalents(usage: Usage) -> float:
    return usage.uncached + 1.25 * usage.write_5m + 2 * usage.write_1h + 0.1 * usage.read


def loop_cost(loop: Loop, gap: float, life: Life) -> float:
    calls = [(n * gap, call) for n in range(ITERATIONS) for call in loop(n)]
    return equivalents(billed(calls, life))


FIGURES: dict[str, tuple[Loop, float, Life, float]] = {
    "inline warm": (fresh_inline, 60, Life.FIVE_MINUTES, 126186),
    "inline warm, marked": (fresh_with_mark, 60, Life.FIVE_MINUTES, 55015),
    "lazy warm": (fresh_lazy, 60, Life.FIVE_MINUTES, 132813),
    "resume warm": (resume, 60, Life.FIVE_MINUTES, 42872),
    "inline cold": (fresh_inline, 400, Life.FIVE_MINUTES, 137681),
    "lazy cold": (fresh_lazy, 400, Life.FIVE_MINUTES, 144308),
    "resume cold": (resume, 400, Life.FIVE_MINUTES, 153805),
    "resume in an hour's cache": (resume, 400, Life.ONE_HOUR, 62609),
    "lazy in an hour's cache": (fresh_lazy, 400, Life.ONE_HOUR, 210883),
}


@pytest.mark.parametrize("name", FIGURES)
def test_cost_of_a_review_loop(name: str) -> None:
    loop, gap, life, figure = FIGURES[name]
    assert loop_cost(loop, gap, life) == pytest.approx(figure, rel=0.003)


@pytest.mark.parametrize(
    ("name", "base", "ratio"),
    [
        ("resume warm", "lazy warm", 0.32),
        ("resume cold", "lazy cold", 1.07),
        ("resume cold", "inline cold", 1.12),
        ("resume in an hour's cache", "resume warm", 1.46),
        ("resume in an hour's cache", "resume cold", 0.41),
        ("inline warm", "inline warm, marked", 2.3),
    ],
)
def test_ratio_of_two_review_loops(name: str, base: str, ratio: float) -> None:
    cost, base_cost = (loop_cost(*FIGURES[loop][:3]) for loop in (name, base))
    assert cost / base_cost == pytest.approx(ratio, rel=0.015)


def test_three_roles_on_the_same_artifacts() -> None:
    """The role in the system prompt shares nothing; the role text last shares the artifacts."""
    roles = ("design", "security", "tests")
    apart = [
        (60.0 * n, (TOOLS, IDENTITY, replace(ROLE, digest=role), message("artifacts", 19204)))
        for n, role in enumerate(roles)
    ]
    artifacts = marked(message("artifacts", 18512))
    shared = [(60.0 * n, (*HEAD, artifacts, message(role, 992))) for n, role in enumerate(roles)]
    assert equivalents(billed(apart)) == pytest.approx(77020, rel=0.001)
    assert equivalents(billed(shared)) == pytest.approx(34187, rel=0.001)


def test_a_small_request_keeps_a_transcript_warm() -> None:
    """A fork at 250 s renews what a resume at 500 s reads; without it the resume writes all."""
    transcript = (*HEAD, message("transcript", 20236))
    fork = (*transcript, message("reply: ok", 67))
    next_turn = (*transcript, message("delta", 67))
    start = [(0.0, transcript)]
    kept = [*start, (250.0, fork)]
    assert equivalents(billed(kept)) - equivalents(billed(start)) == pytest.approx(2357, rel=0.001)
    assert billed([*kept, (500.0, next_turn)]).read - billed(kept).read == 22735
    assert billed([*start, (500.0, next_turn)]).read == 0
