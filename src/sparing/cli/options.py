"""Options that several commands share, and how an answer is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sparing.backend_name import NAMES
from sparing.cli.screen import echo_json

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from sparing.flow.stage import Stage

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

SCHEMA_VERSION = 1
MODELS = ("models.strong", "models.standard", "models.cheap")
F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def feature_argument(*, required: bool = True) -> Callable[[F], F]:
    """A feature by number, slug or full name; a shell completes it."""
    return click.argument("feature", required=required, shell_complete=_features)


def _features(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from sparing.desk.features.view import list_views
    from sparing.desk.office import open_office
    from sparing.errors import SparingError

    try:
        views = list_views(open_office(Path.cwd(), reading=True))
    except SparingError:
        return []
    meant = (
        one for one in views if one.id.startswith(incomplete) or one.name.startswith(incomplete)
    )
    return _completions({one.id: one.title for one in meant})


def one_of(*words: str) -> Complete:
    """Completion for an argument with known values; anything else typed is checked later."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _completions({one: None for one in words if one.startswith(incomplete)})

    return complete


def complete_stages(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The stages of the feature named earlier on the command line, or of all flows."""
    names = dict.fromkeys(stage.name for stage in _stages(context))
    return _completions({one: None for one in names if one.startswith(incomplete)})


def documents(*more: str) -> Complete:
    """Documents written by the stages of the feature named earlier, and these words."""

    def complete(
        context: click.Context, _: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        written = (stage.writes.value for stage in _stages(context) if stage.writes)
        names = dict.fromkeys((*written, *more))
        return _completions({one: None for one in names if one.startswith(incomplete)})

    return complete


def _stages(context: click.Context) -> list[Stage]:
    from sparing.desk.gates.answers import find
    from sparing.desk.office import open_office
    from sparing.errors import SparingError
    from sparing.flow.flows import FLOWS

    flows = [*FLOWS.values()]
    try:
        office = open_office(Path.cwd(), reading=True)
        flows = [FLOWS[find(office, context.params["feature"]).feature.flow]]
    except (SparingError, KeyError):
        pass
    return [stage for flow in flows for stage in flow.stages]


def _completions(words: Mapping[str, str | None]) -> list[CompletionItem]:
    """Words with their help texts. The class is loaded only when a shell asks for completions."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, help=beside) for word, beside in words.items()]


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
        help="Which coding agent to use. Default: the setting agent.backend.",
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
