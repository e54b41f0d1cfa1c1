"""What Claude Code can do, and what it sends before any prompt, by the tools it is given."""

from __future__ import annotations

from sparing.agents.backend import EVERY_MODEL, Capabilities
from sparing.agents.claude_options import Setup

WINDOW_TOKENS = 200_000
RESERVE_TOKENS = 33_000
"""Measured: with less than this left of a window the client compacts the session."""
BASE_TOKENS, WRITER_TOKENS = 2_200, 5_400
"""Tools, with a reader's the form of a verdict, and the client's own line, as the double counts."""
NO_SHELL_TOKENS = 2_580
"""The same of a writer without a shell."""
STOCK_TOKENS = 18_700
"""The same of the client as installed, for readers and writers alike."""
OWN_READER_TOKENS, OWN_WRITER_TOKENS = 435, 360
"""The same with tools of ours in place of the client's."""


def capabilities_with(setup: Setup) -> Capabilities:
    tools = setup.tools
    client, writer = (STOCK_TOKENS,) * 2 if setup.stock else (BASE_TOKENS, WRITER_TOKENS)
    return Capabilities(
        resume=True,
        fork=True,
        schema=True,
        marks=1,
        context_tokens=WINDOW_TOKENS,
        reserve_tokens=RESERVE_TOKENS,
        base_tokens=OWN_READER_TOKENS if tools.readers else client,
        proven=False,
        writer_tokens=writer,
        primes=True,
        no_shell_tokens=0 if setup.stock else NO_SHELL_TOKENS,
        trims=tools.readers and EVERY_MODEL in tools.writers,
        own_readers=tools.readers,
        own_lost=tools.lost,
        own_writers=tools.writers,
        own_writer_tokens=OWN_WRITER_TOKENS,
        client_tokens=client,
        searches=True,
    )
