"""What can be wrong with a shared database, its remote and its machines: two lines each.

Real servers and real remotes; nothing is half done. Covers: A3, I4.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from scripts.postgres import USER, server
from sparing.errors import ConfigError
from sparing.fleet.presence import clock_fault
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing

RULES = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


class Team(NamedTuple):
    """A server that asks for passwords, its port, and a remote with a clone."""

    folder: Path
    port: int
    admin: str

    def environ(self, name: str, password: str = "right", options: str = "") -> dict[str, str]:
        passwords = self.folder / f"passwords-{password}"
        passwords.write_text(f"127.0.0.1:{self.port}:team:ada:{password}\n")
        passwords.chmod(0o600)
        return {
            "PGPASSFILE": str(passwords),
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(self.folder / "script.toml"),
            "SPARING_ENGINE__LEASE_SECONDS": "3",
            "SPARING_FLOW__AUTO": "true",
            "SPARING_STATE__DATABASE": f"postgresql://ada@127.0.0.1:{self.port}/team{options}",
            "SPARING_STATE__FOLDER": str(self.folder / f"state-{name}"),
            "SPARING_STATE__REMOTE": "origin",
        }

    def clone(self, name: str, address: str = "") -> Path:
        path = self.folder / name
        git(self.folder / "first", "clone", "--quiet", str(self.folder / "origin.git"), str(path))
        if address:
            git(path, "remote", "set-url", "origin", address)
        assert self.say(name, "trust", "--yes").code == 0
        return path

    def say(self, name: str, *words: str, **more: str) -> Said:
        return sparing(self.folder / name, *words, environ={**self.environ(name), **more})

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            done = connection.execute(sql.encode())
            return done.fetchall() if done.description else []

    def schemas(self) -> list[str]:
        asked = "select nspname from pg_namespace where nspname ~ '^sparing_[0-9a-f]+$'"
        return [str(row[0]) for row in self.ask(asked)]

    def features(self) -> int:
        return sum(len(self.ask(f"select 1 from {name}.features")) for name in self.schemas())


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    (folder / "script.toml").write_text(SCRIPT)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    first = make_repository(folder / "first", {"README.md": "# Sample\n"})
    git(first, "clone", "--quiet", "--bare", ".", str(folder / "origin.git"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPORT", str(port))
        with server(f"-c listen_addresses='127.0.0.1' -p {port} -c fsync=off") as (url, place):
            admin = f"{url}&port={port}"
            made = Team(folder, port, admin)
            made.ask("create role ada login password 'right'")
            made.ask("create database team owner ada")
            (place / "data" / "pg_hba.conf").write_text(RULES)
            made.ask("select pg_reload_conf()")
            made = Team(folder, port, admin.replace(f"/{USER}?", "/team?"))
            made.clone("home")
            yield made


def assert_two_lines(said: Said, what: str, fix: str) -> None:
    assert said.code == 1, said.err
    lines = [line for line in said.complaint if not line.startswith(("working for ", "note: "))]
    assert [line.partition(": ")[0] for line in lines] == ["error", "fix"], said.err
    assert what in lines[0]
    assert fix in lines[1]


def test_a_wrong_password(team: Team) -> None:
    """A3, I4: told without the password, and where to put the right one; no schema is made."""
    for words in (("start", "Make a file", "--flow", "L1"), ("worker", "--until-idle")):
        said = team.say("home", *words, **team.environ("home", "hunter2"))
        assert_two_lines(said, 'password authentication failed for user "ada"', "~/.pgpass")
        assert "hunter2" not in said.err.replace("passwords-hunter2", "")
    assert team.features() == 0


def test_tls_that_the_server_refuses(team: Team) -> None:
    """A3, I4: nothing is sent without it."""
    said = team.say("home", "worker", **team.environ("home", options="?sslmode=require"))
    assert_two_lines(said, "server does not support SSL, but SSL was required", "turn TLS on")


def test_a_database_of_a_newer_version(team: Team) -> None:
    """A3, I4: refused before anything is read; what is there stays as it is."""
    assert team.say("home", "start", "Make a file", "--flow", "L1").code == 0
    (schema,) = team.schemas()
    team.ask(f"update {schema}.changes set version = version + 900")
    for words in (("status",), ("worker", "--until-idle"), ("start", "Another")):
        assert_two_lines(team.say("home", *words), "a newer sparing (schema 9", "install that")
    team.ask(f"update {schema}.changes set version = version - 900")
    assert team.features() == 1
    assert team.ask(f"select 1 from {schema}.workers") == []


def test_a_remote_without_the_right_to_push(team: Team) -> None:
    """A3, I4: told before a turn is paid, by `run` and by `worker`; given the right, it goes on."""
    if not team.features():
        assert team.say("home", "start", "Make a file", "--flow", "L1").code == 0
    (schema,) = team.schemas()
    hook = team.folder / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'ada may only read here' >&2\nexit 1\n")
    hook.chmod(0o755)
    ran = team.say("home", "run", "1", "--yes")
    assert ran.code == 1
    assert "remote: ada may only read here" in ran.complaint[-2]
    assert ran.complaint[-1].startswith("fix: check that `git push origin` works")
    hook.unlink()
    moved = team.folder / "elsewhere.git"
    (team.folder / "origin.git").rename(moved)
    said = team.say("home", "worker", "--until-idle")
    moved.rename(team.folder / "origin.git")
    assert_two_lines(said, "the remote origin can't be used", "`git push origin`")
    assert team.ask(f"select 1 from {schema}.ledger") == []
    assert team.ask(f"select 1 from {schema}.workers") == []
    assert team.say("home", "run", "1", "--yes").code == 0


def test_workers_of_a_newer_version(team: Team) -> None:
    """A3, I4, I8: an earlier one does not continue what a later one has recorded."""
    if not team.features():
        assert team.say("home", "start", "Make a file", "--flow", "L1").code == 0
    assert team.say("home", "run", "1", "--yes").code == 0
    (schema,) = team.schemas()
    status = f"{schema}_engine.workflow_status"
    before = team.ask(f"select workflow_uuid, application_version from {status}")
    team.ask(f"update {status} set application_version = 'sparing-r999'")
    said = team.say("home", "worker", "--until-idle")
    assert_two_lines(said, "workers of a newer sparing (revision 999 > ", "install that version")
    assert team.ask(f"select 1 from {schema}.workers") == []
    for name, version in before:
        team.ask(
            f"update {status} set application_version = '{version}' where workflow_uuid = '{name}'"
        )
    assert team.say("home", "worker", "--until-idle").code == 0


def test_a_repository_under_another_address(team: Team) -> None:
    """A3, I4: a worker that would wait for ever says why; with one address it begins."""
    if not team.features():
        assert team.say("home", "start", "Make a file", "--flow", "L1").code == 0
    (team.folder / "other").symlink_to(team.folder, target_is_directory=True)
    address = str(team.folder / "other" / "origin.git")
    team.clone("second", address)
    said = team.say("second", "worker", "--until-idle")
    assert_two_lines(said, f"no features of {address}, but some of this repository", "set-url")
    assert all(team.ask(f"select 1 from {name}.workers") == [] for name in team.schemas())
    git(team.folder / "second", "remote", "set-url", "origin", str(team.folder / "origin.git"))
    assert team.say("second", "trust", "--yes").code == 0
    assert team.say("second", "worker", "--until-idle").code == 0


@pytest.mark.parametrize(("seconds", "words"), [(3600, "ahead of"), (-3600, "behind")])
def test_clocks_that_differ_by_an_hour(seconds: float, words: str) -> None:
    """A3, I4: whose days and prices would differ is refused before it is a worker."""
    fault = clock_fault(1_000_000.0 + seconds, 1_000_000.0)
    assert isinstance(fault, ConfigError)
    assert fault.what == f"this machine's clock is 3600 s {words} the clock of the database"
    assert "timedatectl" in fault.repair
    assert clock_fault(1_000_000.0, 1_000_200.0) is None
