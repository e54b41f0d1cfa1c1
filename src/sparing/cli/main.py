"""The command group and the one place that catches.

A person's mistake is two lines and an exit code; with `--json` it is one object. Anything else
is a bug and keeps its traceback.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from sparing import __version__
from sparing.errors import SparingError, UsageError

COMMANDS = {
    "demo": "See the whole workflow on a sample project: no key, no server.",
    "start": "Begin a feature from one sentence.",
    "run": "Work on features until they are done or wait for you.",
    "status": "Show what is under way and what waits for you.",
    "list": "List all features of this repository.",
    "show": "Show one feature, one of its documents, or any prompt.",
    "approve": "Say yes at a gate.",
    "reject": "Say no at a gate, and what should be different.",
    "cost": "Show what was spent, by feature, stage, role, model, way or day.",
    "raise": "Raise a cap, and let a feature that it has stopped go on.",
    "trust": "Read the role files that come with this repository, and let them count.",
    "config": "Show the settings in force and where each comes from.",
    "doctor": "Check that everything sparing needs is there.",
}
MODULES = {"list": "status", "approve": "answer", "reject": "answer", "raise": "raise_"}
INTERRUPTED = 130


class Lazy(click.Group):
    """Knows its commands by name and loads one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        _ = ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        _ = ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"sparing.cli.{MODULES.get(cmd_name, cmd_name)}")
        return getattr(module, f"{cmd_name}_command")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _ = ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="sparing")
@click.pass_context
def app(context: click.Context) -> None:
    """Take a feature from an idea to merged, reviewed code, for the fewest tokens that do the job.

    Without a command: what waits for you here.
    """
    if context.invoked_subcommand is None:
        status = app.get_command(context, "status")
        assert status is not None
        context.invoke(status)


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = app.main(given, standalone_mode=False)
    except SparingError as error:
        return _complain(error, as_json="--json" in given)
    except click.ClickException as error:
        return _complain(_translated(error), as_json="--json" in given)
    except (KeyboardInterrupt, click.Abort):
        print("\nstopped; nothing is lost: sparing run goes on from here", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return result if isinstance(result, int) else 0


def _translated(error: click.ClickException) -> SparingError:
    context = getattr(error, "ctx", None)
    command = context.command_path if isinstance(context, click.Context) else "sparing"
    what = " ".join(error.format_message().split()).rstrip(".")
    return UsageError(what[:1].lower() + what[1:], f"{command} --help")


def _complain(error: SparingError, *, as_json: bool) -> int:
    if as_json:
        words = {"what": error.what, "repair": error.repair, "exit_code": error.exit_code}
        print(json.dumps({"schema_version": 1, "error": words}))
    print(f"error: {error.what}\nrepair: {error.repair}", file=sys.stderr)
    return error.exit_code
