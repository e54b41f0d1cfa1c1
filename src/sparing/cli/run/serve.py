"""`sparing serve`: the local page, and with `--run` the engine behind it."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparing.cli.clock import now
from sparing.cli.options import sandbox_flag, unsandboxed_option
from sparing.cli.screen import echo, is_terminal, style
from sparing.desk.features.page_presence import page_served
from sparing.desk.office import Office, open_office
from sparing.errors import EngineBusy, StateError
from sparing.installation import add_command

if TYPE_CHECKING:
    from sparing.web.server import PageServer

PORT = 8377
TEXT_BROWSERS = frozenset({"www-browser", "links", "elinks", "lynx", "w3m"})
"""What Python opens where there is no screen: they would take the terminal and wait for a page that
is served only once they have ended."""


@click.command("serve")
@click.option("--run", "runs", is_flag=True, help="Also run this repository's features.")
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True,
              help="0 picks a free port.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--tls-cert", type=click.Path(exists=True, path_type=Path), help="A certificate.")
@click.option("--tls-key", type=click.Path(exists=True, path_type=Path), help="Its key.")
@click.option("--i-know", is_flag=True, help="Allow listening on an address that others can reach.")
@click.option("--open/--no-open", "opens", default=None, help="Open a browser.")
@unsandboxed_option
def serve_command(runs: bool, unsandboxed: bool, opens: bool | None, **how: Any) -> int:
    """Open a local web page to follow and decide on features.

    It shows all repositories on this machine that have features. You can answer there or in the
    terminal; either way, answers take effect while `sparing run` runs, or this command with --run.
    The printed link logs in one browser, once.
    """
    try:
        from sparing.web.server import Listen, PageServer
        from sparing.web.site import Site
    except ModuleNotFoundError as error:
        raise StateError(
            f"the page needs {error.name}, which is not installed", add_command("web")
        ) from None
    office = open_office(Path.cwd(), sandbox_flag(unsandboxed))
    wanted = Listen(how["host"], how["port"], how["tls_cert"], how["tls_key"], how["i_know"])
    page = PageServer(Site(Path.cwd(), now, engine=runs), wanted, _another)
    echo("the page is at", err=True)
    echo(f"  {style(page.access.login_link, fg='cyan')}", err=True)
    stops = "the page and the work" if runs else "the page, not the work"
    echo(f"  the link works once; Ctrl-C stops {stops}", err=True)
    if opens or (opens is None and is_terminal()):
        _open_window(page.access.login_link)
    with page_served(office, page.access.origin):
        if runs:
            _run_both(office, page)
        else:
            page.run()
    return 0


def _open_window(link: str) -> None:
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if Path(getattr(browser, "name", "")).name not in TEXT_BROWSERS:
        browser.open(link)


def _another(link: str) -> None:
    echo(f"logged in; for another browser:\n  {style(link, fg='cyan')}", err=True)


def _run_both(office: Office, page: PageServer) -> None:
    """Run the engine in the main thread and the page in another."""
    from sparing.cli.run.engine_host import host_engine

    serving = threading.Thread(target=page.run, name="page")
    serving.start()
    try:
        host_engine(office, serving.is_alive, "sparing serve --run")
    except EngineBusy as error:
        echo(f"note: {error.what}; the page continues without an engine", err=True)
        serving.join()
    except KeyboardInterrupt:
        echo("\nstopped; nothing is lost: sparing run continues from here", err=True)
    finally:
        page.stop()
        serving.join()
