"""A repository that the database knows already, but under another address of its remote.

Records are found by that address. Two clones that write it differently would have records of their
own and never see each other's features: a worker that finds nothing to do for this reason says so
instead of waiting forever.
"""

from __future__ import annotations

from sparing.database import Database
from sparing.errors import ConfigError
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.repository import Repository

SCHEMAS = (
    "select table_schema from information_schema.tables where table_name = 'features'"
    " and left(table_schema, 8) = 'sparing_' and table_schema <> ? order by table_schema"
)
LATEST = "select base_commit from {}.features order by number desc limit 5"
PLACES = "select host, checkout from {}.workers order by started desc limit 1"


def refuse_other_address(database: Database, repository: Repository, address: str) -> None:
    """Raise if nothing is recorded under this address, and features of this repository under
    another one."""
    if database.server is None:
        return
    with database.session() as session:
        if session.execute("select 1 from features limit 1").fetchone():
            return
        for (schema,) in session.execute(SCHEMAS, (database.server.schema,)).fetchall():
            bases = [str(row[0]) for row in session.execute(LATEST.format(schema))]
            if any(object_id(repository.git(), f"{base}^{{commit}}") for base in bases):
                place = session.execute(PLACES.format(schema)).fetchone()
                raise _other_address(address, f" (in {place[0]}:{place[1]})" if place else "")


def _other_address(address: str, place: str) -> ConfigError:
    return ConfigError(
        f"the database has no features of {address}, but some of this repository under another"
        f" address{place}",
        "use one address in all clones: git remote set-url origin ADDRESS; if it is a fork of its "
        'own, start a feature first: sparing start "…"',
    )
