"""Verdicts: what each reviewer said of which commit, and whether it passed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import NamedTuple

from sparing.connection import Connection, Row
from sparing.finding import Finding, Severity, Verdict
from sparing.sent import SentRecord


@dataclass(frozen=True, slots=True)
class VerdictRow:
    dispatch: str
    feature: str
    stage: str
    iteration: int
    commit: str
    passed: bool
    verdict: Verdict
    at: float
    quotes: tuple[str, ...] = ()
    """For each finding, whether the text it quotes was found."""

    @property
    def merged(self) -> bool:
        """The second verdict of a turn."""
        return self.dispatch.endswith(_SECOND)

    @property
    def turn(self) -> str:
        """The dispatch that it was given in."""
        return self.dispatch.removesuffix(_SECOND)


_SECOND = ".second"


def second_of(dispatch: str) -> str:
    """Under which id the second verdict of a turn is stored."""
    return f"{dispatch}{_SECOND}"


def put(tx: Connection, row: VerdictRow) -> None:
    verdict = row.verdict
    tx.execute(
        "insert into verdicts (dispatch, feature, stage, role, iteration, commit_id, approved,"
        " passed, findings, summary, at, quotes) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " on conflict (dispatch) do nothing",
        (
            row.dispatch,
            row.feature,
            row.stage,
            verdict.role,
            row.iteration,
            row.commit,
            int(verdict.approved),
            int(row.passed),
            json.dumps([asdict(finding) for finding in verdict.findings]),
            # A model's words may hold half a character, which no database takes.
            verdict.summary.encode("utf-8", "replace").decode(),
            row.at,
            json.dumps(row.quotes),
        ),  # fmt: skip
    )


def of_feature(connection: Connection, feature: str, stage: str = "") -> list[VerdictRow]:
    rows = connection.execute(
        "select * from verdicts where feature = ? and (? = '' or stage = ?) order by rowid",
        (feature, stage, stage),
    )
    return [_row(row) for row in rows]


def of_role(connection: Connection, role: str, most: int) -> list[VerdictRow]:
    """The latest of one role, over all features."""
    rows = connection.execute(
        "select * from verdicts where role = ? order by rowid desc limit ?",
        (role, most),
    )
    return [_row(row) for row in rows]


def get(connection: Connection, dispatch: str) -> VerdictRow | None:
    row = connection.execute("select * from verdicts where dispatch = ?", (dispatch,)).fetchone()
    return _row(row) if row else None


class LookRow(NamedTuple):
    """A reviewer's first review, and how it was requested."""

    model: str
    sent: SentRecord
    """Only says which of our tools it had, and whether it had the fact sheet."""
    opened: bool
    """Tools of ours have shown it lines."""
    findings: int
    quotes: tuple[str, ...]


def first_looks(connection: Connection, backend: str, limit: int) -> list[LookRow]:
    """The latest first reviews, from turns that succeeded."""
    rows = connection.execute(
        "select ledger.model, ledger.sent, ledger.opened, verdicts.findings, verdicts.quotes"
        " from verdicts join ledger on ledger.dispatch = verdicts.dispatch"
        " where ledger.backend = ? and verdicts.iteration = 1 and ledger.outcome = 'known'"
        " and ledger.failure = '' and ledger.template = 'review'"
        " order by verdicts.rowid desc limit ?",
        (backend, limit),
    )
    return [
        LookRow(
            model=row[0], sent=SentRecord.of_text(row[1], "own", "sheet"), opened=row[2] != "[]",
            findings=len(json.loads(row[3])), quotes=tuple(json.loads(row[4])),
        )
        for row in rows
    ]  # fmt: skip


def _row(row: Row) -> VerdictRow:
    findings = tuple(
        Finding(**{**item, "severity": Severity(item["severity"])})
        for item in json.loads(row["findings"])
    )
    verdict = Verdict(row["role"], bool(row["approved"]), findings, row["summary"])
    return VerdictRow(
        dispatch=row["dispatch"],
        feature=row["feature"],
        stage=row["stage"],
        iteration=row["iteration"],
        commit=row["commit_id"],
        passed=bool(row["passed"]),
        verdict=verdict,
        at=row["at"],
        quotes=tuple(json.loads(row["quotes"])),
    )
