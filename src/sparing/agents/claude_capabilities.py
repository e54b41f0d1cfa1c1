"""What Claude Code can do, and what it sends before any prompt, by the tools it is given."""

from __future__ import annotations

from sparing.agents.backend import EVERY_MODEL, Capabilities
from sparing.agents.claude_options import ToolOffer

WINDOW_TOKENS = 200_000
RESERVE_TOKENS = 33_000
"""Measured: with less than this left of a window the client compacts the session."""
BASE_TOKENS, WRITER_TOKENS = 2_200, 5_400
"""Tools, with a reader's the form of a verdict, and the client's own line, as the double counts."""
OWN_READER_TOKENS, OWN_WRITER_TOKENS = 435, 360
"""The same with tools of ours in place of the client's."""


def capabilities_with(tools: ToolOffer) -> Capabilities:
    every = EVERY_MODEL in tools.writers
    return Capabilities(
        resume=True,
        fork=True,
        schema=True,
        marks=1,
        context_tokens=WINDOW_TOKENS,
        reserve_tokens=RESERVE_TOKENS,
        base_tokens=OWN_READER_TOKENS if tools.readers else BASE_TOKENS,
        proven=False,
        writer_tokens=WRITER_TOKENS,
        trims=tools.readers and every,
        own_readers=tools.readers,
        own_writers=tools.writers,
        own_writer_tokens=OWN_WRITER_TOKENS,
    )
