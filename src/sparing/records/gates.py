"""Gates: where a feature waits for a person, and what the person said.

A gate belongs to one leg of one generation, so an answer can't reach another one. The first answer
wins. The latest gate is the one opened last, regardless of the clock.

The content a stage was approved with is kept by section: written when the stage is closed, and
again when it is left, since a person approves what is there at that moment. Stages approved by
older releases have no row.
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
    """`gate` after a finished stage, `stuck` if the work can't continue."""
    reason: str
    opened: float
    answer: str = ""
    feedback: str = ""
    answered_by: str = ""


RULE = "rule"
"""Who answers a gate that passes without a person."""
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


def unanswered(connection: Connection, feature: str) -> Gate | None:
    """The open gate, unless its answer is already in the mailbox."""
    found = connection.execute(
        f"select {COLUMNS}, (select count(*) from mailbox where mailbox.gate = gates.id"  # noqa: S608
        " and mailbox.done is null) as letters"
        " from gates where feature = ? and answer is null order by rowid desc limit 1",
        (feature,),
    ).fetchone()
    return None if found is None or found["letters"] else _gate(found)


def answered_by_person(connection: Connection, feature: str, since: float) -> bool:
    """Whether a person, and not a rule, has answered the latest gate since then."""
    found = connection.execute(
        "select answered_by, answered from gates where feature = ? order by rowid desc limit 1",
        (feature,),
    ).fetchone()
    return found is not None and found[0] not in (None, RULE) and found[1] >= since


def latest(connection: Connection, feature: str) -> Gate | None:
    found = connection.execute(
        f"select {COLUMNS} from gates where feature = ? order by rowid desc limit 1",  # noqa: S608
        (feature,),
    ).fetchone()
    return _gate(found) if found else None


def answered(connection: Connection, feature: str) -> list[str]:
    """The stages whose gates have been answered, in order."""
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
    """The answer to a gate, including one that the engine has not acted on yet."""
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
    """Store an approval; it replaces an earlier one of the same stage."""
    tx.execute(
        "insert into approvals (feature, stage, sections, commit_id, at) values (?, ?, ?, ?, ?)"
        " on conflict (feature, stage) do update set sections = excluded.sections,"
        " commit_id = excluded.commit_id, at = excluded.at",
        (row.feature, row.stage, json.dumps(row.seen), row.commit, row.at),
    )


def approvals_of(connection: Connection, feature: str) -> dict[str, ApprovalRow]:
    """The feature's approvals by stage."""
    rows = connection.execute(
        "select feature, stage, sections, commit_id, at from approvals where feature = ?",
        (feature,),
    )
    return {
        stage: ApprovalRow(key, stage, json.loads(sections), commit, at)
        for key, stage, sections, commit, at in rows
    }
