"""Options that several commands share, and how an answer is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from sparing.backend_name import NAMES
from sparing.cli.completers import Completer, Kind
from sparing.cli.screen import echo_json

SCHEMA_VERSION = 1
MODELS = ("models.strong", "models.standard", "models.cheap")
F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def feature_argument(*, required: bool = True) -> Callable[[F], F]:
    """A feature by number, slug or full name; a shell completes it."""
    return click.argument("feature", required=required, shell_complete=Completer(Kind.FEATURES))


def one_of(*words: str) -> Completer:
    """Completion for an argument with known values; anything else typed is checked later."""
    return Completer(Kind.WORDS, words)


complete_stages = Completer(Kind.STAGES)
"""The stages of the feature named earlier on the command line, or of all flows."""


def documents(*more: str) -> Completer:
    """Documents written by the stages of the feature named earlier, and these words."""
    return Completer(Kind.DOCUMENTS, more)


def hand_over_option(command: F) -> F:
    """Consent for one feature, given now; the setting is consent for all of them."""
    return click.option(
        "--hand-over",
        type=click.Choice(["print", "merge", "pull-request"]),
        help="What to do with the finished branch. Default: the setting workspace.hand_over."
        " To squash or rebase it, set commits.history.",
    )(command)


def agent_options(command: F) -> F:
    """Agent and model for one feature; the settings choose them for all features."""

    command = click.option(
        "--model",
        metavar="NAME",
        help="Use one model for all roles. Default: the settings models.*.",
    )(command)
    return click.option(
        "--backend",
        type=click.Choice(NAMES),
        metavar="NAME",  # the list would be one long word, which no terminal breaks well
        help=f"Which coding agent to use: {', '.join(NAMES)}. Default: the setting agent.backend.",
    )(command)


def agent_flags(backend: str | None, model: str | None) -> dict[str, object]:
    """The options as settings of the feature."""
    named: dict[str, object] = {"agent.backend": backend} if backend else {}
    return {**named, **(dict.fromkeys(MODELS, model) if model else {})}


def unsandboxed_option(command: F) -> F:
    """The user's explicit consent for this run; the setting gives it for every run."""
    return click.option(
        "--unsandboxed",
        is_flag=True,
        help="Continue even if this system can't sandbox agents and checks.",
    )(command)


def sandbox_flag(unsandboxed: bool) -> dict[str, object]:
    return {"workspace.sandbox": "optional"} if unsandboxed else {}


def print_json(**content: Any) -> None:
    echo_json({"schema_version": SCHEMA_VERSION, **content}, indent=2)
