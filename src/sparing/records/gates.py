"""Gates: where a feature waits for a human, and what the human said.

A gate belongs to one leg of one generation, so an answer can't reach another one. The first
answer wins. The latest gate is the one opened last, whatever the clock said.

What a stage was passed with is kept by section: written when it is closed, and again when it is
left, since a person approves what stands there at that moment. Stages that were passed before that
was kept have no row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from sparing.connection import Connection, Row
from sparing.lazy_dataclass import lazy_dataclass


@lazy_dataclass
class Gate:
    id: str
    feature: str
    stage: str
    kind: str
    """`gate` after a finished stage, `stuck` where work can't go on."""
    reason: str
    opened: float
    answer: str = ""
    feedback: str = ""
    answered_by: str = ""


COLUMNS = "id, feature, stage, kind, reason, opened, answer, feedback, answered_by"


def open_gate(tx: Connection, gate: Gate) -> None:
    tx.execute(
        "insert into gates (id, feature, stage, kind, reason, opened) values (?, ?, ?, ?, ?, ?)"
        " on conflict (id) do nothing",
        (gate.id, gate.feature, gate.stage, gate.kind, gate.reason, gate.opened),
    )


def waiting(connection: Connection, feature: str) -> Gate | None:
    found = connection.execute(
        f"select {COLUMNS} from gates where feature = ? and answer is null"  # noqa: S608
        " order by rowid desc limit 1",
        (feature,),
    ).fetchone()
    return _gate(found) if found else None


def latest(connection: Connection, feature: str) -> Gate | None:
    found = connection.execute(
        f"select {COLUMNS} from gates where feature = ? order by rowid desc limit 1",  # noqa: S608
        (feature,),
    ).fetchone()
    return _gate(found) if found else None


def answered(connection: Connection, feature: str) -> list[str]:
    """The stages at whose gates somebody has answered, in order."""
    rows = connection.execute(
        "select stage from gates where feature = ? and answer is not null order by rowid",
        (feature,),
    )
    return [stage for (stage,) in rows]


class GateAnswer(NamedTuple):
    """What was said at a gate, by whom and when."""

    verb: str
    by: str
    at: float


def answer_of(connection: Connection, gate_id: str) -> GateAnswer | None:
    """Also one that the engine has not obeyed yet."""
    found = connection.execute(
        "select answer, answered_by, answered from gates where id = ? and answer is not null"
        " union all select verb, sender, sent from mailbox where gate = ? and done is null limit 1",
        (gate_id, gate_id),
    ).fetchone()
    return GateAnswer(*found) if found else None


def rejected(connection: Connection, feature: str, generation: int) -> list[Gate]:
    """All gates of one generation at which a person said no, in order."""
    rows = connection.execute(
        f"select {COLUMNS} from gates where feature = ? and answer = 'reject'"  # noqa: S608
        " order by rowid",
        (feature,),
    )
    own = f"{feature}.g{generation}."
    return [gate for gate in map(_gate, rows) if gate.id.startswith(own)]


def answer(tx: Connection, gate_id: str, verb: str, feedback: str, sender: str, at: float) -> bool:
    done = tx.execute(
        "update gates set answer = ?, feedback = ?, answered_by = ?, answered = ?"
        " where id = ? and answer is null",
        (verb, feedback, sender, at, gate_id),
    )
    return done.rowcount == 1


def _gate(row: Row) -> Gate:
    return Gate(
        id=row["id"],
        feature=row["feature"],
        stage=row["stage"],
        kind=row["kind"],
        reason=row["reason"],
        opened=row["opened"],
        answer=row["answer"] or "",
        feedback=row["feedback"] or "",
        answered_by=row["answered_by"] or "",
    )


Seen = Mapping[str, Mapping[str, str]]
"""The hash of each section, by file name and heading."""


class ApprovalRow(NamedTuple):
    feature: str
    stage: str
    seen: Seen
    commit: str
    at: float


def keep_approval(tx: Connection, row: ApprovalRow) -> None:
    """The last one of a stage counts."""
    tx.execute(
        "insert into approvals (feature, stage, sections, commit_id, at) values (?, ?, ?, ?, ?)"
        " on conflict (feature, stage) do update set sections = excluded.sections,"
        " commit_id = excluded.commit_id, at = excluded.at",
        (row.feature, row.stage, json.dumps(row.seen), row.commit, row.at),
    )


def approvals_of(connection: Connection, feature: str) -> dict[str, ApprovalRow]:
    """By stage."""
    rows = connection.execute(
        "select feature, stage, sections, commit_id, at from approvals where feature = ?",
        (feature,),
    )
    return {
        stage: ApprovalRow(key, stage, json.loads(sections), commit, at)
        for key, stage, sections, commit, at in rows
    }
