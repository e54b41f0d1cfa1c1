"""A change that is traced through a feature's documents: a job's input and result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refinement:
    """What an agent that reviews a document or code again is shown of the change."""

    since: str = ""
    """The commit that was approved before; empty if everything is reviewed."""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By file name of a document: sections that depend on a change, shown although they may not
    have changed themselves."""


@dataclass(frozen=True, slots=True)
class TraceResult:
    """The first stage whose approval no longer holds; empty if all do."""

    stage: str = ""
    shown: Refinement = Refinement()
    redo: tuple[str, ...] = ()
    """For the stage that makes code: tasks to be done again."""
    gone: tuple[str, ...] = ()
    """Tasks that were done but are no longer in the document."""
