"""Sections that changed after a stage resting on them was approved.

Shown at every gate, so that the person approving knows that something upstream has changed since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sparing.desk.office import Office, settings_of
from sparing.desk.upstream.moved_base import few, moved_base_notes
from sparing.flow.flows import FEATURE
from sparing.records.features import FeatureRow
from sparing.records.gates import approvals_of

if TYPE_CHECKING:
    from sparing.approval.effects import Papers, StageEffect
    from sparing.context.links.dependents import PartChange
    from sparing.economy.cost_model import Range


def papers_of(office: Office, row: FeatureRow) -> Papers:
    from sparing.approval.effects import Papers
    from sparing.approval.sections import Library
    from sparing.stages.place import Place

    with office.database.read() as connection:
        rows = approvals_of(connection, row.feature.key)
    folder = settings_of(office, row).flow.folder_of(row.feature)
    place = Place.load({**row.place, "review": None, "head": row.head})
    return Papers(Library(office.repository, folder), place, rows)


def unseen(office: Office, row: FeatureRow) -> tuple[StageEffect, ...]:
    """Stages that were passed and rest on something that changed since."""
    if row.feature.flow != FEATURE.name or row.status.is_over:
        return ()
    from sparing.approval.effects import stage_effect

    papers = papers_of(office, row)
    found = (stage_effect(papers, stage) for stage in papers.stages)
    return tuple(one for one in found if one is not None)


def unseen_notes(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """A few lines to show at a gate; empty if every approval still holds."""
    if row.feature.flow != FEATURE.name or row.status.is_over:
        return ()
    from sparing.approval.effects import expected
    from sparing.desk.money.forecast import outlook_brief
    from sparing.stages.place import Place

    number, place = row.feature.id, Place.load({**row.place, "review": None})
    if place.refining is not None:
        effects = tuple(expected(papers_of(office, row), place.state.stage, ()))
        price = outlook_brief(price_of(office, row, effects))
        told = tuple(f"redone if you approve: {effect_words(one)}" for one in effects)
        return (*told, f"that may cost {price}") if told else ()
    effects = unseen(office, row)
    if not effects:
        return ()
    changed = few(one.place for one in dict.fromkeys(c for e in effects for c in e.causes))
    first = f"changed since it was approved: {changed or 'it is not known what'}"
    told = tuple(f"depends on it: {effect_words(one)}" for one in effects)
    return (first, *told, f"to redo only that: sparing refine {number}")


def changed_around(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """What changed while the feature waits: its base branch, and what was approved."""
    return (*moved_base_notes(office, row), *unseen_notes(office, row))


def price_of(
    office: Office, row: FeatureRow, effects: Iterable[StageEffect], author: str = ""
) -> Range:
    """Expected price of redoing `effects`; `author` is a stage whose document is changed first."""
    from sparing.desk.money.forecast import again_outlook

    turns = {one.stage: len(one.tasks.redo) + len(one.tasks.new) or 1 for one in effects}
    return again_outlook(office, row, {author: 1, **turns} if author else turns)


def effect_words(effect: StageEffect) -> str:
    """The effect in words: `design.md § C2: Sorter`, or `the code of tasks 2, 3`."""
    tasks = effect.tasks
    if tasks:
        said = (
            f"the code of {_tasks(tasks.redo)}" if tasks.redo else "",
            f"new: {_tasks(tasks.new)}" if tasks.new else "",
            f"reverted: the code of {_tasks(tasks.gone)}" if tasks.gone else "",
        )
        return "; ".join(filter(None, said))
    parts = few(effect.parts)
    if effect.whole:
        return f"{effect.document} ({effect.whole}){f' § {parts}' if parts else ''}"
    return f"{effect.document} § {parts}"


def _tasks(numbers: tuple[str, ...]) -> str:
    return f"task{'' if len(numbers) == 1 else 's'} {few(numbers)}"


def change_words(changes: Iterable[PartChange]) -> str:
    return few(f"{one.place} ({one.kind})" for one in changes)
