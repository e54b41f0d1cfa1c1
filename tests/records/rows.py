"""A database with a feature in it, and rows for it in one line each."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from sparing.database import Database, open_database
from sparing.feature import Feature, FeatureStatus, slugify
from sparing.flow.advance import begin
from sparing.postgres import Server
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.records.schema import MIGRATIONS

IntegrityErrors = (sqlite3.IntegrityError, psycopg.IntegrityError)


def feature_row(
    number: int = 1, title: str = "Add rate limiting", repository: str = "/r"
) -> FeatureRow:
    """A feature that was started and has not begun."""
    key = f"{repository.strip('/')}-{number:03d}"
    feature = Feature(key, number, slugify(title), title, "L1", repository, "main", "c0", 100.0)
    place: dict[str, Any] = {"state": begin("L1").dump(), "head": "c0"}
    return FeatureRow(
        feature,
        FeatureStatus.PLANNED,
        {"review.cap": 2},
        0,
        0,
        place,
        "c0",
        running=False,
        updated=100.0,
    )


def open_records(folder: Path) -> Database:
    """In a file, or in a schema of its own on the server that the tests run on."""
    url = os.environ.get("PYTEST_DATABASE", "")
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    server = Server(url, f"test_{name}") if url else None
    return open_database(folder / "sparing.db", MIGRATIONS, server=server)


def make_database(folder: Path, *rows: FeatureRow) -> Database:
    """With these features, or with one that has not begun."""
    database = open_records(folder)
    with database.write() as tx:
        for row in rows or (feature_row(),):
            features.create(tx, row)
    return database


def running_row(leg: int = 0, generation: int = 0) -> FeatureRow:
    """A feature at work."""
    return replace(
        feature_row(), status=FeatureStatus.ACTIVE, running=True, leg=leg, generation=generation
    )


def waiting_row(leg: int = 0) -> FeatureRow:
    """A feature whose leg has ended at a gate."""
    return replace(running_row(leg), running=False)
