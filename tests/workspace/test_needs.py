"""What a check would have needed, told by what it printed. Covers: K2, D7."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workspace.checks.needs import CheckNeed, NeedKind, advice, needs_of

POSTGRES = CheckNeed(NeedKind.SERVICE, "127.0.0.1:5432")
REDIS = CheckNeed(NeedKind.SERVICE, "127.0.0.1:6379")
DATABASE = CheckNeed(NeedKind.VARIABLE, "DATABASE_URL")


@pytest.mark.parametrize(
    ("printed", "wanted"),
    [
        (
            'psycopg.OperationalError: connection failed: connection to server at "127.0.0.1", '
            "port 5432 failed: Connection refused",
            POSTGRES,
        ),
        (
            'connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused',
            POSTGRES,
        ),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", POSTGRES),
        ("dial tcp 127.0.0.1:5432: connect: connection refused", POSTGRES),
        ("dial tcp [::1]:5432: connect: connection refused", POSTGRES._replace(name="[::1]:5432")),
        ("Error 111 connecting to localhost:6379. Connection refused.", REDIS),
        (
            "Can't connect to MySQL server on '127.0.0.1:3306' ([Errno 111] Connection refused)",
            CheckNeed(NeedKind.SERVICE, "127.0.0.1:3306"),
        ),
        (
            'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: missing',
            CheckNeed(NeedKind.SOCKET, "/var/run/postgresql/.s.PGSQL.5432"),
        ),
        ("Cannot connect to the Docker daemon at unix:///x", CheckNeed(NeedKind.DOCKER, "docker")),
        ("    return environ[key]\nKeyError: 'DATABASE_URL'", DATABASE),
        ("error: Environment variable not found: DATABASE_URL.", DATABASE),
        ("ImproperlyConfigured: Set the DATABASE_URL environment variable", DATABASE),
        ("DATABASE_URL is not set", DATABASE),
        ("missing required environment variable DATABASE_URL", DATABASE),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/sparing/work/.env'",
            CheckNeed(NeedKind.FILE, ".env"),
        ),
    ],
)
def test_what_is_missing_is_told(printed: str, wanted: CheckNeed) -> None:
    """K2: as the clients of databases, runtimes and frameworks word it."""
    assert needs_of(f"....F\n{printed}\nFAILED tests/test_x.py::test_y\n") == (wanted,)


@pytest.mark.parametrize(
    "printed",
    [
        "AssertionError: 5432 != 5433",
        "KeyError: 'NAME'",
        "listening on 127.0.0.1:8000",
        "assert response.status == 'refused'",
        "ModuleNotFoundError: No module named 'requests'",
    ],
)
def test_other_failures_need_nothing(printed: str) -> None:
    """D7: a test that is simply red."""
    assert needs_of(printed) == ()


def test_the_advice_is_one_line_to_copy() -> None:
    found = advice((POSTGRES, REDIS, DATABASE, CheckNeed(NeedKind.DOCKER, "docker")))
    assert found == (
        "sparing config set workspace.services 127.0.0.1:5432,127.0.0.1:6379"
        " && sparing config set workspace.lend_env DATABASE_URL"
    )


@given(st.text())
def test_any_output_is_read(text: str) -> None:
    assert len(needs_of(text)) <= 4
