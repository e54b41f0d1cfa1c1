"""Features: what they are and how far each of them has come.

`place` is the engine's own JSON (flow state, stage, history); the columns beside it are what user
interfaces list and sort by. Only `create`, `settle` and the like write; each is guarded by leg, so
that a repeated step never sets a feature back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any

from sparing.connection import Connection
from sparing.feature import Background, Feature, FeatureStatus, Priority
from sparing.lazy_dataclass import lazy_dataclass


@lazy_dataclass
class FeatureRow:
    feature: Feature
    status: FeatureStatus
    overrides: dict[str, object]
    """Settings the feature was started with; they win over files whenever it runs."""
    generation: int
    leg: int
    place: dict[str, Any]
    head: str
    running: bool
    updated: float
    background: Background = Background()
    asked: dict[str, Any] = field(default_factory=dict[str, Any])
    """The jobs of the running leg's last decision, in the engine's JSON; empty before the first."""
    executor: str = ""
    """The worker that runs its leg."""
    disk: str = ""
    """Which state folder its worktree and sessions were used in last."""
    starter: str = ""
    """The person who started it; empty for one of an earlier release."""

    @property
    def leg_id(self) -> str:
        return f"{self.feature.key}.g{self.generation}.{self.leg}"


COLUMNS = (
    "key, number, slug, title, flow, repository, base_branch, base_commit, created, status,"
    " overrides, generation, leg, place, head, running, updated, description, source, project,"
    " depends_on, priority, asked, executor, disk, starter"
)


NAMES = tuple(COLUMNS.split(", "))
REVIEWS = 1_000_000_000
"""Numbers above are reviews of branches that no feature made: their bills need a row, lists don't
have them."""
REMEMBERED = 256
"""How many parsed rows are cached, so that unchanged columns are not parsed again."""


def create(tx: Connection, row: FeatureRow) -> None:
    f = row.feature
    values = (
        f.key, f.number, f.slug, f.title, f.flow, f.repository, f.base_branch, f.base_commit,
        f.created, row.status.value, json.dumps(row.overrides), row.generation, row.leg,
        json.dumps(row.place), row.head, int(row.running), row.updated,
        row.background.description, row.background.source, row.background.project,
        json.dumps(row.background.depends_on), row.background.priority.value, asked_text(row.asked),
        row.executor, row.disk, row.starter,
    )  # fmt: skip
    marks = ", ".join("?" * len(values))
    tx.execute(f"insert into features ({COLUMNS}) values ({marks})", values)  # noqa: S608


def get(connection: Connection, key: str) -> FeatureRow | None:
    found = connection.execute(
        f"select {COLUMNS} from features where key = ?",  # noqa: S608
        (key,),
    ).fetchone()
    return row_of(*found) if found else None


def list_all(connection: Connection) -> list[FeatureRow]:
    rows = connection.execute(
        f"select {COLUMNS} from features where number < {REVIEWS} order by number"  # noqa: S608
    )
    return [row_of(*row) for row in rows]


def list_running(connection: Connection, executor: str) -> list[FeatureRow]:
    """Features whose leg is run by this executor."""
    rows = connection.execute(
        f"select {COLUMNS} from features"  # noqa: S608
        f" where number < {REVIEWS} and running = 1 and executor = ? order by number",
        (executor,),
    )
    return [row_of(*row) for row in rows]


def next_review(connection: Connection) -> int:
    """The number of a review without a feature."""
    found = connection.execute("select coalesce(max(number), 0) from features").fetchone()
    return max(int(found[0]), REVIEWS) + 1


def latest_checkout(connection: Connection) -> str:
    """The folder from which the latest feature was started; empty if there is none."""
    found = connection.execute("select repository from features order by created desc limit 1")
    return str((found.fetchone() or ("",))[0])


def highest_number(connection: Connection) -> int:
    found = connection.execute(
        "select coalesce(max(number), 0) from features where number < ?", (REVIEWS,)
    )
    return int(found.fetchone()[0])


def rebase(tx: Connection, row: FeatureRow, commit: str) -> bool:
    """Move the start of a feature that has not begun to its base's current commit."""
    place = json.dumps({**row.place, "head": commit})
    done = tx.execute(
        "update features set base_commit = ?, head = ?, place = ?"
        " where key = ? and status = 'planned' and leg = 0 and running = 0",
        (commit, commit, place, row.feature.key),
    )
    return done.rowcount == 1


def set_base(tx: Connection, key: str, commit: str) -> None:
    """The base was brought in, or the branch went back behind that."""
    tx.execute("update features set base_commit = ? where key = ?", (commit, key))


def override(tx: Connection, row: FeatureRow, values: Mapping[str, object]) -> None:
    """Settings of this feature alone, from the next run on."""
    text = json.dumps({**row.overrides, **values})
    tx.execute("update features set overrides = ? where key = ?", (text, row.feature.key))


def set_running(tx: Connection, key: str, leg_id: tuple[int, int], at: float) -> bool:
    """A planned feature begins; False if it has begun before."""
    done = tx.execute(
        "update features set running = 1, status = 'active', updated = ?"
        " where key = ? and generation = ? and leg = ? and status = 'planned'",
        (at, key, *leg_id),
    )
    return done.rowcount == 1


def next_leg(tx: Connection, row: FeatureRow, at: float) -> int:
    """Move on to the next leg, once: a second call for the same row changes nothing."""
    tx.execute(
        "update features set leg = ?, running = 1, updated = ?, asked = ''"
        " where key = ? and generation = ? and leg = ? and running = 0",
        (row.leg + 1, at, row.feature.key, row.generation, row.leg),
    )
    return row.leg + 1


def next_generation(
    tx: Connection, row: FeatureRow, at: float, asked: Mapping[str, object] | None = None
) -> None:
    """The same leg again under a new id, because the old one can't run any more.

    `asked`: the jobs of its last decision, with what came of those that were finished.
    """
    tx.execute(
        "update features set generation = ?, updated = ?, asked = ?"
        " where key = ? and generation = ? and leg = ? and running = 1",
        (row.generation + 1, at, asked_text(asked or {}), row.feature.key, row.generation, row.leg),
    )


def regenerate(
    tx: Connection, row: FeatureRow, place: dict[str, Any], head: str, at: float
) -> bool:
    """Begin anew from an earlier commit, while nothing runs; False if something does by now."""
    done = tx.execute(
        "update features set generation = ?, leg = ?, place = ?, head = ?, status = ?,"
        " running = 1, updated = ?, asked = ''"
        " where key = ? and generation = ? and leg = ? and running = 0",
        (
            row.generation + 1, row.leg + 1, json.dumps(place), head, FeatureStatus.ACTIVE.value,
            at,
            row.feature.key, row.generation, row.leg,
        ),
    )  # fmt: skip
    return done.rowcount == 1


def settle(
    tx: Connection,
    key: str,
    leg_id: tuple[int, int],
    place: dict[str, Any],
    head: str,
    status: FeatureStatus,
    at: float,
) -> bool:
    """Store the feature's state at the end of a leg; False if that leg is no longer running."""
    done = tx.execute(
        "update features set place = ?, head = ?, status = ?, running = 0, updated = ?, asked = '',"
        " executor = '' where key = ? and generation = ? and leg = ? and running = 1",
        (json.dumps(place), head, status.value, at, key, *leg_id),
    )
    return done.rowcount == 1


def move(tx: Connection, row: FeatureRow, place: dict[str, Any], head: str, at: float) -> bool:
    """A person has changed something while nothing runs; False if something does by now."""
    done = tx.execute(
        "update features set place = ?, head = ?, updated = ?"
        " where key = ? and generation = ? and leg = ? and running = 0",
        (json.dumps(place), head, at, row.feature.key, row.generation, row.leg),
    )
    return done.rowcount == 1


def set_status(
    tx: Connection,
    row: FeatureRow,
    status: FeatureStatus,
    place: dict[str, Any],
    at: float,
    head: str = "",
) -> bool:
    """Give up, end or reopen a feature while nothing is running; False if something is."""
    done = tx.execute(
        "update features set status = ?, place = ?, head = ?, updated = ?"
        " where key = ? and generation = ? and leg = ? and running = 0 and status = ?",
        (
            status.value, json.dumps(place), head or row.head, at,
            row.feature.key, row.generation, row.leg, row.status.value,
        ),
    )  # fmt: skip
    return done.rowcount == 1


def asked_text(asked: Mapping[str, object]) -> str:
    return json.dumps(asked) if asked else ""


@lru_cache(REMEMBERED)
def row_of(*values: Any) -> FeatureRow:
    """Cached, since all features are read around every turn and few have changed: callers never
    modify a row."""
    row = dict(zip(NAMES, values, strict=True))
    feature = Feature(
        key=row["key"],
        number=row["number"],
        slug=row["slug"],
        title=row["title"],
        flow=row["flow"],
        repository=row["repository"],
        base_branch=row["base_branch"],
        base_commit=row["base_commit"],
        created=row["created"],
    )
    return FeatureRow(
        feature=feature,
        status=FeatureStatus(row["status"]),
        overrides=json.loads(row["overrides"]),
        generation=row["generation"],
        leg=row["leg"],
        place=json.loads(row["place"]),
        head=row["head"],
        running=bool(row["running"]),
        updated=row["updated"],
        background=Background(
            row["description"],
            row["source"],
            row["project"],
            tuple(json.loads(row["depends_on"])),
            Priority(row["priority"]),
        ),
        asked=json.loads(row["asked"] or "{}"),
        executor=row["executor"],
        disk=row["disk"],
        starter=row["starter"],
    )
