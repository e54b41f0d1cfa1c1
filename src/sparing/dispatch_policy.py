"""How a dispatch is sent, the order of its prompt, and the policy that chooses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Way(StrEnum):
    COMPOSE = "compose"
    """Fresh session, mandatory artifacts inline."""
    REFERENCE = "reference"
    """Fresh session, artifacts by path."""
    RESUME = "resume"
    """The role's own session, with the delta only."""
    FORK = "fork"
    """A new session that shares another one's transcript."""
    PLAIN = "plain"
    """Fresh session, the role's text as system prompt, mandatory artifacts inline: nothing is
    shared with other roles, marked or added. The baseline for every saving."""


class Order(StrEnum):
    """The order of a prompt's parts."""

    NESTED = "nested"
    """What many roles share first, the role's own text last."""
    SEED = "seed"
    """The original order: role and rubric first, what changes last."""
    NAIVE = "naive"
    """One block with every document in full; the role is the system prompt."""


class Policy(StrEnum):
    ADAPTIVE = "adaptive"
    """Predicted cost decides."""
    SEED = "seed"
    """The original workflow's rules to the letter."""
    FRESH = "fresh"
    """Our prompts, and every dispatch in a fresh session. Not a baseline: it has most savings."""
    NAIVE = "naive"
    """The baseline: the role as system prompt, all documents in one block, always fresh."""


class Lever(StrEnum):
    """A technique for sending less. Each can be switched off alone."""

    TRUNK = "trunk"
    """What many roles share comes first, so that they share its cache entry."""
    INLINE = "inline"
    """Mandatory documents are in the prompt instead of being opened by tools."""
    HOUR = "hour"
    """A trunk that is reused after pauses is cached for an hour."""
    PRIMER = "primer"
    """What many will read after longer pauses is sent ahead, to be cached for an hour."""
    NOTES = "notes"
    """A reviewer without its session gets what the ledger knows of its last review."""
    RESUME = "resume"
    """A session is resumed where that is cheaper."""
    KEEP_ALIVE = "keep-alive"
    """The session of an open loop is kept warm while that pays."""
    PRELOAD = "preload"
    """Files that are certain to be needed are included in the prompt."""
    TRIM = "trim"
    """Tool results are shortened before they are first sent."""
    BATCH = "batch"
    """Models are asked to use several tools at once."""
    MAP = "map"
    """A map of the repository replaces exploring it."""
    SHEET = "sheet"
    """Lines that agents cited as a source, quoted by the program for later agents."""
    LEAN_TOOLS = "lean-tools"
    """A shell, whose description is longer than all others, is described without how to commit; the
    author of a document has none, except in a tier, whose stages share their tools."""
    CHAIN = "chain"
    """A small task continues the session of the previous task that names the same files."""


class LeverRow(NamedTuple):
    words: str
    """What it is, for readers who don't know its name."""
    told_apart: bool
    """True if one run shows its value; the others change work never seen without them."""


LEVERS: Mapping[Lever, LeverRow] = MappingProxyType(
    {
        Lever.TRUNK: LeverRow("a shared prompt prefix", True),
        Lever.INLINE: LeverRow("documents in the prompt", True),
        Lever.HOUR: LeverRow("the one-hour cache", True),
        Lever.PRIMER: LeverRow("filling the cache ahead of pauses", True),
        Lever.NOTES: LeverRow("reminders of earlier findings", True),
        Lever.RESUME: LeverRow("resumed sessions", True),
        Lever.KEEP_ALIVE: LeverRow("sessions kept warm", True),
        Lever.PRELOAD: LeverRow("named files in the prompt", True),
        Lever.TRIM: LeverRow("shortened tool results", False),
        Lever.BATCH: LeverRow("several tools in one call", False),
        Lever.MAP: LeverRow("a map of the repository", False),
        Lever.SHEET: LeverRow("a fact sheet of quoted lines", True),
        Lever.LEAN_TOOLS: LeverRow("shorter descriptions of tools", False),
        Lever.CHAIN: LeverRow("small tasks in one session", False),
    }
)
ALL_LEVERS = "all"
"""Stands for every lever in a list of levers."""


def off(lever: Lever) -> str:
    """The entry in a list of levers that switches one off."""
    return f"no-{lever}"
