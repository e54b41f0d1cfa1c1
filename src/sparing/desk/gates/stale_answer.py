"""A digest of what a person saw when they answered.

The answer includes it. If anything that they judged by has changed since, the answer is refused
with a message saying who answered first, and when.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from sparing.desk.features.event_line import VERBS
from sparing.desk.office import Office
from sparing.errors import StaleView
from sparing.records import gates
from sparing.records.features import FeatureRow
from sparing.records.findings import findings_of, rulings_of

SHOWN = 32


def seen_digest(office: Office, row: FeatureRow) -> str:
    """Digest of the commit, the state, the findings and their rulings; while agents are at work
    only of the run's id, since everything else is about to change."""
    parts: list[object] = [row.leg_id, row.running, row.status.value]
    if not row.running:
        with office.database.read() as connection:
            found = findings_of(connection, row.feature.key)
            ruled = rulings_of(connection, row.feature.key)
            gate = gates.waiting(connection, row.feature.key)
        parts += [row.head, row.place["state"], gate.id if gate else ""]
        parts += [[one.stage, one.id, one.state] for one in found]
        parts += [[one.stage, one.finding, one.ruling, one.words] for one in ruled]
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:SHOWN]


def refuse_stale(office: Office, row: FeatureRow, digest: str, gate: str) -> None:
    """Raise an error if `digest` is outdated; `gate` is the one shown, empty if there was none."""
    if digest == seen_digest(office, row):
        return
    number = row.feature.id
    said = answered_words(office, gate) if gate else ""
    words = f"; {said}" if said else ""
    raise StaleView(
        f"feature {number} has changed since you looked{words}",
        "look at it again: reload this page; what you wrote is kept",
    )


def answered_words(office: Office, gate: str) -> str:
    """Who answered it, and when; empty if it is unanswered."""
    with office.database.read() as connection:
        found = gates.answer_of(connection, gate)
    if found is None:
        return ""
    clock = datetime.fromtimestamp(found.at or 0, UTC).astimezone().strftime("%H:%M")
    return f"it was {VERBS.get(found.verb, found.verb)} by {found.by or 'a rule'} at {clock}"
