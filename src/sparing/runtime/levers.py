"""Which levers a dispatch is sent with: those that are wanted and that its backend can do.
The policies `seed` and `fresh` keep what they always had, whatever is switched on or off; the
baseline `naive` has none of it.

How long a dispatch's trunk is to be kept, from the pauses between the uses of trunks like it.

A trunk is shared by a class of roles and by what their prompts begin with: documents, code or
tasks. Pauses are those of this feature; a program knows that tasks follow each other at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from sparing.agents.backend import Backend
from sparing.cache import Life
from sparing.config.settings import Settings
from sparing.connection import Connection
from sparing.context.prompt.brief import Brief
from sparing.dispatch_policy import Lever, Policy
from sparing.economy.cache_lives import RECENT_PAUSES, trunk_life
from sparing.economy.cost_model import Rates
from sparing.economy.keepalive import USUAL_PAUSES
from sparing.economy.levers import Able, LeverState, SheetUse, sheet_use, standings, switched_on
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.stage import StageWork
from sparing.records import fact_sheets, ledger, resume_checks
from sparing.records.ledger import LedgerRow
from sparing.runtime.lever_record import effect_of_sheet, lost_by_sheet, off_by_record
from sparing.runtime.source import Source
from sparing.turn import TURNS
from sparing.turn_kind import TurnKind

NO_CODE = "no code is reviewed in this flow"
COMPARED_WITH = frozenset({Lever.TRUNK, Lever.INLINE, Lever.RESUME, Lever.BATCH})


def able_of(connection: Connection, backend: Backend) -> Able:
    can = backend.capabilities
    return Able(
        can.marks, can.resume, ping=can.fork, two_lives=can.two_lives, trims=can.trims,
        primes=_no_primer(connection, backend),
        chooses_tools=bool(can.no_shell_tokens), automatic=can.automatic,
    )  # fmt: skip


def _no_primer(connection: Connection, backend: Backend) -> str:
    """Why nothing is sent ahead for an hour; with a real provider it must have been checked."""
    if not backend.capabilities.primes:
        return "the backend can't cache one turn longer than others"
    if backend.capabilities.proven:
        return ""
    version = str(getattr(backend, "version", ""))
    return resume_checks.hour_problem(resume_checks.get(connection, backend.name, version))


def standings_of(
    connection: Connection, settings: Settings, backend: Backend
) -> tuple[LeverState, ...]:
    return standings(settings.economy.levers, able_of(connection, backend))


def recorded(found: tuple[LeverState, ...], off: Mapping[Lever, str]) -> tuple[LeverState, ...]:
    """Lever states, with those switched off that their own record speaks against."""
    return tuple(
        LeverState(one.lever, False, off[one.lever]) if one.on and one.lever in off else one
        for one in found
    )


def levers_of(source: Source) -> frozenset[Lever]:
    policy = source.around.settings(source.row).review.policy
    match policy:
        case Policy.NAIVE:
            return frozenset()
        case Policy.SEED | Policy.FRESH:
            return COMPARED_WITH
        case Policy.ADAPTIVE:
            return frozenset(one.lever for one in _states(source) if one.on)
    assert_never(policy)


def off_of(source: Source) -> dict[str, str]:
    """What is off and why, for the ledger; nothing under a policy that has no levers."""
    if source.around.settings(source.row).review.policy is not Policy.ADAPTIVE:
        return {}
    return {one.lever.value: one.why for one in _states(source) if not one.on}


def _states(source: Source) -> tuple[LeverState, ...]:
    return source.once(("levers",), lambda: _found(source))


def _found(source: Source) -> tuple[LeverState, ...]:
    around, row = source.around, source.row
    settings, backend = around.settings(row), source.backend
    with around.database.read() as connection:
        off = off_by_record(connection, backend.name, row.feature.number, settings.economy.levers)
        found = standings_of(connection, settings, backend)
    use, why = _sheet(source)
    off.pop(Lever.SHEET, None)
    if use is not SheetUse.SHOWN:
        off[Lever.SHEET] = why
    return recorded(found, off)


def sheet_use_of(source: Source) -> SheetUse:
    """How this feature uses the fact sheet; a feature that began with it keeps it."""
    return _sheet(source)[0]


def _sheet(source: Source) -> tuple[SheetUse, str]:
    return source.once(("sheet use",), lambda: _decide_sheet(source))


def _decide_sheet(source: Source) -> tuple[SheetUse, str]:
    around, row = source.around, source.row
    settings, feature = around.settings(row), row.feature
    names = settings.economy.levers
    wanted = settings.review.policy is Policy.ADAPTIVE and Lever.SHEET in switched_on(names)
    if not wanted:
        return SheetUse.OFF, "switched off"
    if lacking := no_sheet(feature.flow):
        return SheetUse.OFF, lacking
    if Lever.SHEET.value in names:
        return SheetUse.SHOWN, ""
    model = settings.models.of(source.role.model, source.agent.name, source.role.name)
    with around.database.read() as connection:
        fell = lost_by_sheet(connection, source.backend.name).get(model)
        if fell:
            return SheetUse.OFF, f"{fell} with it"
        parts = fact_sheets.parts_of(connection, feature.key)
        if parts:
            kept = SheetUse.KEPT, "made but not shown in this feature, to compare with"
            return (SheetUse.SHOWN, "") if parts[0].shown else kept
        return sheet_use(effect_of_sheet(connection, source.backend.name), feature.number)


def no_sheet(flow: str) -> str:
    """Why a flow has no fact sheet; empty if it may have one."""
    if any(stage.work is StageWork.IMPLEMENT for stage in FLOWS[flow].stages):
        return ""
    return "it is made for flows with tasks, not for tiers" if flow in TIERS else NO_CODE


def trims_checks(source: Source) -> bool:
    """Whether the output of checks is trimmed; it is our own text, so every backend allows it."""
    return _wants(source, Lever.TRIM)


def chains_tasks(source: Source) -> bool:
    """Whether small tasks may share a session; whether they can is seen before each."""
    return _wants(source, Lever.CHAIN)


def _wants(source: Source, lever: Lever) -> bool:
    settings = source.around.settings(source.row)
    adaptive = settings.review.policy is Policy.ADAPTIVE
    return adaptive and lever in switched_on(settings.economy.levers)


def is_chained(source: Source) -> bool:
    """Whether the current session is that of the previous task, and may be continued."""
    return bool(source.job.chain) and source.session is not None and chains_tasks(source)


AT_ONCE = (30.0, 30.0)
TASKS, CODE, DOCUMENTS = "tasks", "code", "documents"


def group_of(source: Source, brief: Brief) -> str:
    """Name of the group of dispatches that share a trunk with this one."""
    kind = brief.asked.kind
    code = brief.code is not None or source.stage.writes is None
    what = TASKS if kind is TurnKind.TASK else CODE if code else DOCUMENTS
    return f"{source.role.role_class}/{what}"


def life_of(connection: Connection, source: Source, group: str, rates: Rates) -> Life:
    if Lever.HOUR not in levers_of(source) or not TURNS[source.job.turn].trunk_is_shared:
        return Life.FIVE_MINUTES
    writes = source.role.role_class.writes
    at_once = writes and group.endswith((TASKS, CODE))
    rows = ledger.of_feature(connection, source.row.feature.key)
    own = [row for row in rows if row.attempt.sent.group == group]
    return trunk_life(rates, pauses(own), AT_ONCE if at_once else USUAL_PAUSES)


def pauses(rows: Sequence[LedgerRow]) -> list[float]:
    """Seconds between the end of each turn and the start of the next, for the latest turns."""
    recent = rows[-RECENT_PAUSES - 1 :]
    return [
        max(0.0, new.attempt.started - _end(old))
        for old, new in zip(recent, recent[1:], strict=False)
    ]


def _end(row: LedgerRow) -> float:
    return row.attempt.started + (row.result.seconds if row.result else 0.0)
