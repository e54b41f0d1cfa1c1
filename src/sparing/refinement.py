"""A change that is followed through a feature's documents: what a job is told of it, and gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refinement:
    """What whoever judges a document or code again is shown of it."""

    since: str = ""
    """The commit with what was approved before; empty if everything is looked at."""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of a document, by file name: sections that depend on a change, shown though they may not
    have changed themselves."""


@dataclass(frozen=True, slots=True)
class TraceResult:
    """The first stage whose approval no longer holds; empty if all do."""

    stage: str = ""
    shown: Refinement = Refinement()
    redo: tuple[str, ...] = ()
    """Of the stage that makes code: tasks to be done again."""
    gone: tuple[str, ...] = ()
    """Tasks that were done and that the document has no more."""
