"""Reading and filling the word files. The only code among them.

Templates substitute and loop; whether a part appears at all is decided in `context`. A name
that is missing is a bug and raises.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import jinja2

_ENVIRONMENT = jinja2.Environment(
    undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True, trim_blocks=True
)


@cache
def names(kind: str) -> tuple[str, ...]:
    """The files of a folder: `roles`, `stages`, `skills`, `blocks`, `turns` or `documents`."""
    folder = files("sparing.prompts") / kind
    return tuple(sorted(f.name[:-3] for f in folder.iterdir() if f.name.endswith(".md")))


@cache
def words(kind: str, name: str) -> str:
    return (files("sparing.prompts") / kind / f"{name}.md").read_text("utf-8")


def fill(kind: str, name: str, **values: object) -> str:
    return _template(kind, name).render(**values)


@cache
def _template(kind: str, name: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(words(kind, name))
