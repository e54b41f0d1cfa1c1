"""The options of `start` that say what a new feature starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from sparing.cli.completers import Completer, Kind
from sparing.config.effort import Effort
from sparing.desk.features.start_input import NOTHING, StartRequest
from sparing.desk.features.start_sources import from_file, from_issue
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.errors import UsageError
from sparing.feature import Priority

F = TypeVar("F", bound=Callable[..., Any])
OPTIONS = (
    click.option(
        "--from-file",
        type=click.Path(path_type=Path),
        help="An existing PRD; starts with the stage after it.",
    ),
    click.option(
        "--from-issue",
        type=click.IntRange(1),
        metavar="N",
        help="An issue on this repository's host, read with gh.",
    ),
    click.option(
        "--priority",
        type=click.Choice([one.value for one in Priority]),
        default=Priority.MEDIUM.value,
        help="Recorded with the feature. Default: medium.",
    ),
    click.option(
        "--effort",
        type=click.Choice([one.value for one in Effort]),
        help="How thorough: review rounds, models, caps, extra tests. Default: flow.effort.",
    ),
    click.option(
        "--root",
        metavar="FOLDER",
        help="The monorepo package that the feature is about; . for all. Default: workspace.root, "
        "else the one whose files TITLE names.",
    ),
    click.option(
        "--after",
        multiple=True,
        metavar="FEATURE",
        help="Wait until this feature is done; may be repeated.",
        shell_complete=Completer(Kind.FEATURES),
    ),
)


def start_input_options(command: F) -> F:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def start_request(office: Office, title: str, flow: str, given: Mapping[str, Any]) -> StartRequest:
    file, issue = given["from_file"], given["from_issue"]
    if file is not None and issue is not None:
        raise UsageError("--from-file and --from-issue can't be combined", "leave one of them out")
    if file is not None:
        found = from_file(office, file, flow, title)
    elif issue is not None:
        found = from_issue(office, issue, title)
    elif title:
        found = StartRequest(title, NOTHING)
    else:
        raise UsageError(
            "missing argument 'TITLE': what should exist afterwards",
            'sparing start "Add rate limiting"',
        )
    after = dict.fromkeys(answers.find(office, name).feature.name for name in given["after"])
    background = replace(
        found.beginning.background, depends_on=tuple(after), priority=Priority(given["priority"])
    )
    return found._replace(beginning=replace(found.beginning, background=background))
