"""How a dispatch is sent, the order of its prompt, and the policy that chooses."""

from __future__ import annotations

from enum import StrEnum


class Way(StrEnum):
    COMPOSE = "compose"
    """Fresh, mandatory artifacts inline."""
    REFERENCE = "reference"
    """Fresh, artifacts by path."""
    RESUME = "resume"
    """Into the role's own session, with the delta only."""
    FORK = "fork"
    """A new session that shares another one's transcript."""
    PLAIN = "plain"
    """Fresh, the role's text as system prompt, mandatory artifacts inline: nothing is shared with
    other roles, marked or added. What every saving has to beat."""


class Order(StrEnum):
    """In which order a prompt says what it says."""

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
    """Our prompts, and every dispatch from nothing. No baseline: it has most of what saves."""
    NAIVE = "naive"
    """The baseline: the role as system prompt, all documents in one block, always fresh."""


class Lever(StrEnum):
    """A means of sending less. Each can be switched off alone."""

    TRUNK = "trunk"
    """What many roles share comes first, so that they share its cache entry."""
    INLINE = "inline"
    """Mandatory documents stand in the prompt instead of being opened by tools."""
    HOUR = "hour"
    """A trunk that is used after pauses is kept for an hour."""
    PRIMER = "primer"
    """What many will read after longer pauses is sent ahead by itself, to be kept for an hour."""
    NOTES = "notes"
    """Who looks again without a session gets what the ledger knows of the last look."""
    RESUME = "resume"
    """A session is resumed where that is cheaper."""
    KEEP_ALIVE = "keep-alive"
    """The session of an open loop is kept warm while that pays."""
    PRELOAD = "preload"
    """Files that are certain to be needed come with the prompt."""
    TRIM = "trim"
    """Tool results are shortened before they are first sent."""
    BATCH = "batch"
    """Models are asked to use several tools at once."""
    MAP = "map"
    """A map of the repository instead of looking around."""
    SHEET = "sheet"
    """Lines that agents named as a source, quoted by the program for those who come after."""
    LEAN_TOOLS = "lean-tools"
    """Who writes a document is offered no shell, whose description is longer than all others."""
    CHAIN = "chain"
    """A small task goes on in the session of the task before it that names the same files."""


ALL_LEVERS = "all"
"""In a list of levers: every one of them."""


def off(lever: Lever) -> str:
    """How a list of levers names one that is not to be used."""
    return f"no-{lever}"
