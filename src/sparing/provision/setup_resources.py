"""What a set-up may use: the sandbox of a check with a network, folders for caches, logins.

Its hosts come from the user's settings and package managers, never from the repository. It gets
logins only when it runs on the files that a feature began with.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sparing.agents.tunnel import Tunnel
from sparing.provision.package_sources import named_hosts, package_sources
from sparing.provision.setup_network import port_of, proxy_variables, refused_hosts, way_out
from sparing.records.features import FeatureRow
from sparing.runtime.sandbox import check_sandbox, empty_folder, tool_variables
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.checks.run import CheckSandbox
from sparing.workspace.setup.environments import network_digest
from sparing.workspace.setup.run import Means, SetupFailed

WEB = frozenset({80, 443})
ANY = "*"
MOST_NAMED = 5


def caches_of(around: Surroundings) -> Path:
    return around.folder.path / "caches"


@contextmanager
def set_up_means(around: Surroundings, row: FeatureRow, *, logins: bool) -> Generator[Means]:
    """The means of a set-up; `logins` only if it runs on the files that the feature began with."""
    wanted = around.own_settings().workspace.setup_hosts
    environ = {**around.packages, **around.environ}
    sources = package_sources(environ, empty_folder(around))
    given = dict(sources.own if logins else sources.public)
    sandbox = check_sandbox(around)._replace(writable=(_made(around),))
    files = (*sources.readable, *(sources.files if logins else ()))
    sandbox = sandbox._replace(readable=(*sandbox.readable, *files))
    if ANY in wanted:
        yield _means(around, row, sandbox._replace(ports=WEB, given=given), sources.public)
        return
    hosts = sources.hosts | frozenset(named_hosts(wanted))
    with way_out(hosts, sources.proxy) as tunnel:
        own = {**given, **proxy_variables(tunnel)}
        # A network of its own, with the tunnel alone in it: a port would be open on any host.
        sandbox = sandbox._replace(services=(f"127.0.0.1:{port_of(tunnel)}",), given=own)
        try:
            yield _means(around, row, sandbox, sources.public)
        except SetupFailed as failed:
            raise _with_hosts(failed, tunnel) from failed


def _means(
    around: Surroundings, row: FeatureRow, sandbox: CheckSandbox, network: Mapping[str, str]
) -> Means:
    limit = around.settings(row).workspace.setup_seconds
    environ = {**around.environ, **tool_variables(around)}
    state = around.folder.path
    return Means(environ, caches_of(around), limit, sandbox, state, network_digest(network))


def _made(around: Surroundings) -> Path:
    folder = caches_of(around)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _with_hosts(failed: SetupFailed, tunnel: Tunnel) -> SetupFailed:
    """The error with the hosts that were refused, which are the most common cause."""
    named = refused_hosts(tunnel)[:MOST_NAMED]
    if not named:
        return failed
    return SetupFailed(
        f"{failed.what} (it asked for {', '.join(named)}: not one of your package managers' hosts)",
        f"to allow it: sparing config set workspace.setup_hosts {','.join(named)}",
    )
