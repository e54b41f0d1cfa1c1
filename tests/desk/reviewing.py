"""Reviews as an engine records them: verdicts, attempts in the ledger, prompts and findings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sparing.desk.office import Office
from sparing.finding import Finding, Severity, Verdict
from sparing.money import Amount
from sparing.records import ledger, verdicts
from sparing.records.features import FeatureRow
from sparing.records.findings import FindingRow, put_findings
from sparing.records.verdicts import VerdictRow
from sparing.review.tracking import FindingStatus, Tracked
from sparing.review.verdict import passes
from sparing.usage import Usage
from tests.records.attempts import NOON, attempt, result

DEFECT = Finding(Severity.BLOCKER, "The retry count is read before it is set", location="a.py:3")
CONCERN = Finding(Severity.WARNING, "No limit is given for the upload size", location="AC-4")
WISH = Finding(Severity.SUGGESTION, "A table would read better")


def prompt(office: Office, *segments: tuple[str, str]) -> str:
    return office.folder.keep(json.dumps([[name, text, 0, False] for name, text in segments]))


def asked(office: Office, row: FeatureRow, dispatch: str, **changes: Any) -> None:
    """One attempt with its bill, or with `usage=None` without an end."""
    usage = changes.pop("usage", Usage(read=900, output=100))
    ended = {
        name: changes.pop(name) for name in ("failure", "nano_usd", "calls") if name in changes
    }
    one = replace(attempt(**changes), feature=row.feature.key, dispatch=dispatch)
    with office.database.write() as tx:
        number = ledger.begin(tx, one, Amount(1_000_000, 10**9))
        if usage is not None:
            ledger.finish(tx, one.dispatch, number, result(usage, **ended))


def looked(
    office: Office,
    row: FeatureRow,
    role: str,
    iteration: int,
    *findings: Finding,
    stage: str = "specify",
    **changes: Any,
) -> VerdictRow:
    """A reviewer's look: approved if it finds nothing, unless told otherwise."""
    approved = changes.pop("approved", not findings)
    dispatch = f"{row.feature.key}.{stage}.{iteration}-{role}"
    at = NOON + iteration
    asked(
        office, row, dispatch,
        **{"stage": stage, "role": role, "iteration": iteration, "started": at, **changes},
    )  # fmt: skip
    verdict = Verdict(role, approved, findings, changes.get("summary", ""))
    found = VerdictRow(
        dispatch, row.feature.key, stage, iteration, f"c{iteration}", passes(verdict), verdict, at
    )
    with office.database.write() as tx:
        verdicts.put(tx, found)
    return found


def followed(office: Office, row: FeatureRow, id: str, finding: Finding, **changes: Any) -> Tracked:
    """A finding as the engine stores it after a look."""
    stage = changes.pop("stage", "plan")
    one = replace(Tracked(id, finding, ("plan-reviewer",)), **changes)
    with office.database.write() as tx:
        body = json.dumps(one.dump())
        status: FindingStatus = one.status
        stored = FindingRow(row.feature.key, stage, id, one.roles[0], 1, 2, status, body)
        put_findings(tx, [stored])
    return one
