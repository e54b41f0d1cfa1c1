"""The command group, and the handler of errors that end a command.

A person's mistake is two lines and an exit code; with `--json` it is one object. Anything else is a
bug and keeps its traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from sparing import __version__
from sparing.cli.garbage import no_collection
from sparing.cli.screen import INTERRUPTED, Declined, catch_crashes, echo, echo_json, leave_quietly
from sparing.config.terminal import completes_line, terminal_columns, wants_colour
from sparing.errors import SparingError, StateError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "demo": "See the whole workflow on a sample project: no key, no server.",
    "init": "Inspect this repository and write sparing.toml.",
    "start": "Start a feature from one sentence.",
    "import": "Start a feature from specs of spec-kit, OpenSpec, Kiro or iflow.",
    "project": "Split a project into features, track them, start the next one.",
    "run": "Work on features until they are done or need you.",
    "watch": "Follow a run live, from any terminal.",
    "serve": "Open a local web page to follow and decide on features.",
    "worker": "Run features until stopped, whoever starts or answers them.",
    "status": "Show what is running and what needs you.",
    "list": "List all features of this repository.",
    "show": "Show one feature, one of its documents, its reviews, or any prompt.",
    "approve": "Approve what waits at a gate.",
    "reject": "Reject what waits at a gate, and say what to change.",
    "answer": "Answer the author's questions so that its stage continues.",
    "edit": "Edit a document at a gate in your editor.",
    "say": "Send the author a message for its next turn.",
    "pause": "Pause a feature after its current turn.",
    "resume": "Resume a feature that was paused or got stuck.",
    "rerun": "Redo a stage from scratch.",
    "skip": "Skip ahead to a later stage.",
    "back": "Go back to an earlier stage and continue from there.",
    "tasks": "Show a feature's tasks, or redo, drop or split single ones.",
    "refine": "Change the spec of a feature and redo only what depends on it.",
    "sync": "Bring a base branch that has moved into a feature.",
    "fix": "Fix what reviewers and CI found in a feature's pull request.",
    "stop": "End a brainstorm at its gate and keep its document.",
    "abandon": "Give up a feature; its branch, worktree and records stay.",
    "clean": "Remove the worktrees of features that are merged.",
    "rule": "Decide whether a finding must be fixed or may stay.",
    "cost": "Show what was spent, by feature, stage, role, model or day.",
    "report": "Report what a feature cost, what was saved and what its reviews found.",
    "raise": "Raise a spending cap and resume the feature it stopped.",
    "record": "Save a feature's run as one file, for a bug report or a comparison.",
    "replay": "Replay a recorded run offline and compare the results.",
    "what-if": "Price a recorded run under another policy or with other models.",
    "trust": "Approve role files and git programs that come with a repository.",
    "config": "Show and change settings, and see where each comes from.",
    "review": "Review this branch or a pull request with the code reviewers.",
    "eval": "Measure how many of 30 planted defects reviewers find, and what it costs.",
    "database": "Copy the records to a shared Postgres database, or back.",
    "doctor": "Check that everything sparing needs is installed and works.",
    "diagnose": "Collect what a bug report needs, with nothing private in it.",
    "completion": "Print a completion script for bash, zsh or fish.",
}
MODULES = {
    "demo": "run.demo",
    "init": "setup.init",
    "start": "start.start",
    "import": "start.import_specs",
    "project": "start.project",
    "run": "run.run",
    "watch": "look.watch",
    "serve": "run.serve",
    "worker": "run.worker",
    "status": "look.status",
    "list": "look.feature_list",
    "show": "look.show",
    **dict.fromkeys(("approve", "reject"), "gate.approve"),
    "answer": "gate.answer",
    **dict.fromkeys(("edit", "say", "pause", "resume", "skip", "back", "abandon"), "gate.orders"),
    "rerun": "gate.rerun",
    "tasks": "gate.tasks",
    "refine": "gate.refine",
    "sync": "gate.sync",
    "fix": "gate.fix",
    "stop": "gate.stop",
    "clean": "setup.clean",
    "rule": "gate.rule",
    "cost": "money.cost",
    "report": "money.report",
    "raise": "money.raise_cap",
    "record": "look.record",
    "replay": "run.replay",
    "what-if": "money.what_if",
    "trust": "setup.trust",
    "config": "setup.config",
    "review": "run.review",
    "eval": "run.eval",
    "database": "setup.database",
    "doctor": "setup.doctor",
    "diagnose": "look.diagnose",
    "completion": "setup.completion",
}
"""The module of each command."""
HELP_WIDTH = 100


class Lazy(click.Group):
    """Knows its commands by name and loads one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        _ = ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        _ = ctx
        if cmd_name not in COMMANDS:
            return None
        if completes_line():
            from sparing.cli.outline import outlined

            return outlined(cmd_name)
        with no_collection():
            module = import_module(f"sparing.cli.{MODULES[cmd_name]}")
        return getattr(module, f"{cmd_name.replace('-', '_')}_command")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """From the table above: click would load every command for its help."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        own = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name]) for name in names), *own]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer a typing mistake with the command that was probably meant."""
        if args[0] not in COMMANDS:
            from difflib import get_close_matches

            meant = get_close_matches(args[0], COMMANDS, 1)
            if meant:
                raise UsageError(f"no such command '{args[0]}'", f"sparing {meant[0]}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _ = ctx
        name_width = max(map(len, COMMANDS))
        with formatter.section("Commands"):
            lines = [f"  {name:{name_width}}  {words}\n" for name, words in COMMANDS.items()]
            if max(map(len, lines)) <= formatter.width:
                formatter.write("".join(lines))
            else:
                formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": HELP_WIDTH},
)
@click.version_option(__version__, prog_name="sparing")
@click.pass_context
def app(context: click.Context) -> None:
    """Take a feature from an idea to merged, reviewed code, for the fewest tokens that do the job.

    Without a command: show what needs your attention.
    """
    if context.invoked_subcommand is None:
        status = app.get_command(context, "status")
        assert status is not None
        context.invoke(status)


def main(arguments: Sequence[str] | None = None) -> int:
    code = _run(arguments)
    if code == INTERRUPTED:
        # `python -m` ends by the signal, whatever the code, if Ctrl-C fell in an `exec` (of an
        # import, say) and none has run since.
        exec("")
    return code


def _run(arguments: Sequence[str] | None) -> int:
    if arguments is None:
        catch_crashes()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        width = max(min(terminal_columns(), HELP_WIDTH) - 2, 50)
        result = app.main(
            given, "sparing", standalone_mode=False, color=wants_colour(), terminal_width=width
        )
    except SparingError as error:
        return _complain(error, as_json="--json" in given)
    except click.ClickException as error:
        return _complain(_translated(error, given), as_json="--json" in given)
    except (KeyboardInterrupt, click.Abort) as end:
        say_stopped(declined=isinstance(end, Declined))
        return INTERRUPTED
    except BrokenPipeError:
        leave_quietly()
        return 0
    except Exception as error:
        known = _outside(error)
        if known is None:
            raise
        return _complain(known, as_json="--json" in given)
    return result if isinstance(result, int) else 0


def say_stopped(*, declined: bool = False) -> None:
    """Not while a shell completes a line: it would print into what is being typed."""
    if declined:
        echo("nothing was changed", err=True)
    elif not completes_line():
        echo("\nstopped; nothing is lost: sparing run continues from here", err=True)


def _outside(error: Exception) -> SparingError | None:
    """What no command can foresee: the folder was removed, or git refused, as if damaged."""
    if isinstance(error, FileNotFoundError) and not _folder_exists():
        return StateError("the folder you are in no longer exists", "cd to one that does")
    from sparing.workspace.git.runner import GitFailed

    if not isinstance(error, GitFailed):
        return None
    said = next(iter(error.stderr.strip().splitlines()), f"exit code {error.code}")
    return StateError(f"git {error.argv[0]} failed: {said}", "git fsck")


def _folder_exists() -> bool:
    try:
        return bool(os.getcwd())  # noqa: PTH109 - pathlib is slow to import
    except FileNotFoundError:
        return False


def _translated(error: click.ClickException, given: list[str]) -> SparingError:
    context = getattr(error, "ctx", None)
    command = " ".join(("sparing", *(one for one in given[:1] if one in COMMANDS)))
    if isinstance(context, click.Context):
        command = context.command_path
        # Older releases of click print the help instead, and raise nothing.
        if type(error).__name__ == "NoArgsIsHelpError" and isinstance(context.command, click.Group):
            known = ", ".join(context.command.list_commands(context))
            return UsageError(f"{command} needs one of: {known}", f"{command} --help")
    what = " ".join(error.format_message().split()).rstrip(".")
    return UsageError(what[:1].lower() + what[1:], f"{command} --help")


def _complain(error: SparingError, *, as_json: bool) -> int:
    if as_json:
        words = {"what": error.what, "repair": error.repair, "exit_code": error.exit_code}
        echo_json({"schema_version": 1, "error": words})
    echo(f"error: {error.what}\nfix: {error.repair}", err=True)
    return error.exit_code
