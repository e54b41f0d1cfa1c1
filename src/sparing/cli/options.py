"""Options that several commands share, and how an answer is printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

SCHEMA_VERSION = 1
F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def print_json(**content: Any) -> None:
    print(json.dumps({"schema_version": SCHEMA_VERSION, **content}, indent=2))


def is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
