"""A set-up reaches the hosts of the user's package managers, with logins only on known files.

Covers: H9
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sparing.agents.tunnel import Host
from sparing.errors import SparingError
from sparing.provision.package_sources import (
    PackageSources,
    hosts_in,
    named_hosts,
    package_sources,
    without_login,
)
from sparing.provision.setup_resources import set_up_means
from sparing.workspace.checks.run import Check, run_check
from tests.engine.setup_scene import Scene
from tests.repositories import write_files
from tests.workspace.test_real_setup import WHEEL, wheel

LOGIN = "mila:open-" + "sesame-77"
SYSTEM = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
FETCH = """
import os, socket, sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler())
for address in sys.argv[1:]:
    try:
        print(address, opener.open(address, timeout=240).read().decode())
    except OSError as error:
        print(address, "refused:", error)
"""


class Index:
    """A package index that asks for a login, and notes who came with what."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        own = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("//")[2].partition("/")[2] or self.path.lstrip("/")
                own.asked.append((path, self.headers.get("Authorization", "")))
                body = wheel() if path.endswith(".whl") else own.page(path)
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @staticmethod
    def page(path: str) -> bytes:
        return f'<a href="/{WHEEL}">{WHEEL}</a> at {path}'.encode()

    @property
    def port(self) -> int:
        return self.server.server_address[1]

    @property
    def logins(self) -> set[str]:
        return {base64.b64decode(one.partition(" ")[2]).decode() for _, one in self.asked if one}


@pytest.fixture
def index() -> Generator[Index]:
    with served() as one:
        yield one


@contextmanager
def served() -> Generator[Index]:
    one = Index()
    thread = threading.Thread(target=one.server.serve_forever, daemon=True)
    thread.start()
    yield one
    one.server.shutdown()
    one.server.server_close()
    thread.join()


def settings_of(folder: Path, index: Index) -> Mapping[str, str]:
    """A user whose pip loads from an index of their own."""
    address = f"http://{LOGIN}@127.0.0.1:{index.port}/simple"
    write_files(folder, {".config/pip/pip.conf": f"[global]\nindex-url = {address}\n"})
    return {**SYSTEM, "HOME": str(folder), "NPM_TOKEN": "a-token", "PIP_TRUSTED_HOST": "127.0.0.1"}


def test_addresses_are_asked_of_the_programs(tmp_path: Path) -> None:
    """H9: each with what it goes by itself; a repository's folder is not looked at."""
    tools, empty = tmp_path / "tools", tmp_path / "empty"
    write_files(
        tools,
        {
            "npm": '#!/bin/sh\npwd > "$HOME/where"; env > "$HOME/given"\n'
            'echo \'{"registry": "https://r.example/", "@own:registry": "http://o.example:81/x",'
            ' "cache": "https://no.example/"}\'\n',
            "go": '#!/bin/sh\necho "https://p.example|direct"; echo sums.example\n',
            "python3": '#!/bin/sh\ncase "$*" in *config*) '
            "echo \"global.index-url='https://me:key@i.example/simple'\";"
            "echo \"global.cert='https://no.example/'\";; *) "
            "echo https://d.example/simple https://f.example;; esac\n",
            "yarn": "#!/bin/sh\nexit 3\n",
        },
    )
    for tool in tools.iterdir():
        tool.chmod(0o755)
    home = tmp_path / "home"
    cargo = {"config.toml": '[source.own]\nregistry = "sparse+https://c.example/index/"\n'}
    cargo["registry/index/j.example-0a1b/config.json"] = '{"dl": "https://k.example/crates"}'
    write_files(home, {f".cargo/{name}": text for name, text in cargo.items()})
    write_files(home, {".config/uv/uv.toml": 'index-url = "https://u.example/simple"\n'})
    write_files(home, {".npmrc": "//r.example/:_authToken=a-token\n"})
    empty.mkdir()
    found = package_sources({"PATH": f"{tools}:/bin", "HOME": str(home)}, empty)
    names = {one.name for one in found.hosts if one.port == 443}
    assert names == {f"{letter}.example" for letter in "rpidfcjku"} | {"sums.example"}
    assert found.hosts - {Host(name) for name in names} == {Host("o.example", 81)}
    assert (home / "where").read_text() == f"{empty}\n"
    quiet = {"npm_config_logs_max=0", "npm_config_update_notifier=false"}
    assert quiet <= set((home / "given").read_text().splitlines()), "nothing is left in HOME"
    assert found.own == {"npm_config_userconfig": str(home / ".npmrc")}
    assert found.files == (home / ".npmrc",)
    assert found.public == {
        "PIP_INDEX_URL": "https://i.example/simple",
        "npm_config_registry": "https://r.example/",
        "npm_config_@own:registry": "http://o.example:81/x",
    }


def test_variables_with_logins_are_told_apart(tmp_path: Path) -> None:
    """H9: an address without its login is no secret; a token is one whatever it is called."""
    secret = {
        "NPM_TOKEN": "1", "NPM_CONFIG__AUTH": "2", "CARGO_REGISTRIES_OWN_TOKEN": "3", "NETRC": "/n",
        "POETRY_HTTP_BASIC_OWN_PASSWORD": "4", "npm_config_userconfig": "/u",
        "PIP_CLIENT_CERT": "/c", "UV_INDEX_OWN_PASSWORD": "5",
    }  # fmt: skip
    index = f"https://{LOGIN}@i.example/simple"
    found = package_sources({"PATH": "/nowhere", "PIP_INDEX_URL": index, **secret}, tmp_path)
    assert found.own == {"PIP_INDEX_URL": index, **secret}
    assert found.public == {"PIP_INDEX_URL": "https://i.example/simple"}
    assert found.hosts >= {Host("i.example")}


@pytest.mark.parametrize(
    ("text", "plain", "hosts"),
    [
        ("https://a:b@h.example:444/x y", "https://h.example:444/x y", {Host("h.example", 444)}),
        ("http://H.example", "http://H.example", {Host("h.example", 80)}),
        ("sparse+https://u@c.example/i/", "sparse+https://c.example/i/", {Host("c.example")}),
        ("https://one https://x@two", "https://one https://two", {Host("one"), Host("two")}),
        ("/opt/wheels direct off", "/opt/wheels direct off", set[Host]()),
        ("https://h.example:99999999/", "https://h.example:99999999/", set[Host]()),
    ],
)
def test_addresses(text: str, plain: str, hosts: set[Host]) -> None:
    assert without_login(text) == plain
    assert set(hosts_in(text)) == hosts


def test_hosts_as_a_setting_names_them() -> None:
    assert [*named_hosts(("Git.example", "x.example:8443"))] == [
        Host("git.example"), Host("x.example", 8443),
    ]  # fmt: skip


def reached(scene: Scene, addresses: tuple[str, ...], *, logins: bool = True) -> list[str]:
    """What a script in the set-up's sandbox hears from each."""
    write_files(scene.worktree.path, {"fetch.py": FETCH})
    with set_up_means(scene.around, scene.row, logins=logins) as means:
        line = ("python3", "fetch.py", *addresses)
        done = run_check(
            Check("set-up", line, "a test"),
            scene.worktree.path,
            600.0,
            means.environ,
            means.sandbox,
        )
    assert done.passed, done.output
    return done.output.splitlines()


def scene_of(folder: Path, packages: Mapping[str, str]) -> Scene:
    folder.mkdir(exist_ok=True)
    scene = Scene(folder, {"requirements.txt": "tinywords\n"}, "auto")
    scene.around = replace(scene.around, packages=packages, environ=SYSTEM)
    return scene


def test_a_set_up_reaches_its_index_and_nobody_else(tmp_path: Path, index: Index) -> None:
    """H9: a host that only the repository names is refused, by name and by number."""
    scene = scene_of(tmp_path, settings_of(tmp_path / "home", index))
    write_files(scene.worktree.path, {".npmrc": "registry=http://evil.example/\n"})
    with served() as other:
        told = reached(
            scene,
            (
                f"http://127.0.0.1:{index.port}/simple/",
                f"http://127.0.0.1:{other.port}/",
                "http://evil.example/",
                "https://evil.example/",
            ),
        )
    assert "at simple/" in told[0]
    assert [line.partition(": ")[0].rpartition(" ")[2] for line in told[1:]] == ["refused"] * 3
    assert other.asked == []


def test_a_login_reaches_the_set_up_on_known_files_alone(tmp_path: Path, index: Index) -> None:
    """H9: variables and files with logins are not there for what an agent has changed."""
    scene = scene_of(tmp_path, settings_of(tmp_path / "home", index))
    script = 'env; cat "$HOME/../.."/*/pip.conf; cat {}'.format(
        tmp_path / "home" / ".config" / "pip" / "pip.conf"
    )
    for logins in (True, False):
        with set_up_means(scene.around, scene.row, logins=logins) as means:
            check = Check("set-up", ("sh", "-c", script), "a test")
            done = run_check(check, scene.worktree.path, 600.0, means.environ, means.sandbox)
        assert ("a-token" in done.output, LOGIN in done.output) == (logins, logins), done.output
        assert ("127.0.0.1" in done.output) is True


@pytest.mark.long
def test_real_pip_installs_from_the_users_own_index(tmp_path: Path, index: Index) -> None:
    """H9: with the user's login on the files of the base; from there by name and through one
    port, and the next worktree asks nobody."""
    scene = scene_of(tmp_path, settings_of(tmp_path / "home", index))
    assert scene.opened()[-1][0] == "setup"
    assert index.logins == {LOGIN}
    assert {path for path, _ in index.asked} == {"simple/tinywords/", WHEEL}
    installed = "*.environment/sealed/.venv/lib/python*/site-packages/tinywords.py"
    assert list(scene.worktree.path.parent.glob(installed))
    before = len(index.asked)
    scene.vanish()
    assert scene.opened()[-1][1].endswith("(copied from an earlier set-up)")
    assert len(index.asked) == before


def test_a_refused_host_is_named_with_what_lets_it_in(tmp_path: Path) -> None:
    """H9: what is wrong, and the command that repairs it."""
    fetch = f"{FETCH}\nsys.exit(1)\n"
    files = {"fetch.py": fetch}
    scene = Scene(tmp_path, files, "python3 fetch.py https://packages.example/x")
    scene.around = replace(scene.around, environ=SYSTEM)
    with pytest.raises(SparingError) as failed:
        scene.opened()
    assert "it asked for packages.example: not one of your package" in failed.value.what
    assert "sparing config set workspace.setup_hosts packages.example" in failed.value.repair


def test_nothing_is_asked_of_a_machine_without_package_managers(tmp_path: Path) -> None:
    found = package_sources({"PATH": "/nowhere"}, tmp_path)
    assert found._replace(hosts=frozenset()) == PackageSources()
