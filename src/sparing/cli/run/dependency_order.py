"""Features that depend on others: named, skipped for now, and started when all is in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparing.cli.options import print_json
from sparing.cli.screen import echo, style
from sparing.desk.features.dependencies import ReadyAndWaiting, landed_features, sort_ready, unmet
from sparing.desk.features.view import reload
from sparing.desk.office import Office
from sparing.errors import NeedsHuman
from sparing.records.features import FeatureRow


def print_if_waiting(office: Office, row: FeatureRow, *, as_json: bool) -> bool:
    """Whether a new feature has to wait; prints what for."""
    missing = unmet(row, landed_features(office)) if row.background.depends_on else ()
    if missing and not as_json:
        _print_waiting(ReadyAndWaiting([], [(row, missing)]))
    return bool(missing)


def run_in_order(
    office: Office,
    rows: Sequence[FeatureRow],
    run: Callable[[list[FeatureRow]], int],
    *,
    as_json: bool,
) -> int:
    """Run those that are ready; then, as long as more become ready, those that waited for them."""
    found = sort_ready(office, rows)
    _print_waiting(found)
    if not found.ready:
        if as_json:
            print_json(features=[], waiting=_waiting(found))
        return NeedsHuman.exit_code
    code = run(found.ready)
    while found.waiting and not as_json:
        found = sort_ready(office, [reload(office, row) for row, _ in found.waiting])
        if not found.ready:
            break
        code = max(code, run(found.ready))
    if found.waiting and not as_json:
        _print_waiting(found)
    return code or (NeedsHuman.exit_code if found.waiting else 0)


def _print_waiting(found: ReadyAndWaiting) -> None:
    for row, missing in found.waiting:
        number = style(row.feature.id, bold=True)
        echo(f"{number} waits for {', '.join(missing)}", err=True)


def _waiting(found: ReadyAndWaiting) -> list[dict[str, object]]:
    return [{"id": row.feature.id, "waits_for": list(why)} for row, why in found.waiting]
