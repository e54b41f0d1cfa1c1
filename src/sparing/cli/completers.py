"""What a shell can complete: the kinds of values that options and arguments take.

A completer is a value, so that `outline.py` can build it again from the generated table without
loading the command. Nothing heavy is imported before a shell asks.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, assert_never

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import click
    from click.shell_completion import CompletionItem

    from sparing.flow.stage import Stage


class Kind(StrEnum):
    WORDS = "words"
    FEATURES = "features"
    STAGES = "stages"
    DOCUMENTS = "documents"
    SETTINGS = "settings"
    SETTING_VALUES = "setting values"


class Completer(NamedTuple):
    """One kind of value and the words that are always possible besides."""

    kind: Kind
    words: tuple[str, ...] = ()

    def __call__(
        self, context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        match self.kind:
            case Kind.WORDS:
                found = _plain(self.words)
            case Kind.FEATURES:
                return _features(incomplete)
            case Kind.STAGES:
                found = _plain(stage.name for stage in _stages(context))
            case Kind.DOCUMENTS:
                written = (stage.writes.value for stage in _stages(context) if stage.writes)
                found = _plain((*written, *self.words))
            case Kind.SETTINGS:
                found = _settings()
            case Kind.SETTING_VALUES:
                found = _plain(_values(str(context.params.get("key") or "")))
            case _:
                assert_never(self.kind)
        return _items({one: beside for one, beside in found.items() if one.startswith(incomplete)})


def _plain(words: Iterable[str]) -> dict[str, str | None]:
    return dict.fromkeys(words)


def _items(words: Mapping[str, str | None]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, help=beside) for word, beside in words.items()]


def _features(incomplete: str) -> list[CompletionItem]:
    """By number or by name; the number is what is inserted."""
    from sparing.desk.office import every_row, open_office
    from sparing.errors import SparingError

    try:
        rows = every_row(open_office(Path.cwd(), reading=True))
    except SparingError:
        return []
    found = [row.feature for row in rows]
    return _items(
        {
            one.id: one.title
            for one in found
            if one.id.startswith(incomplete) or one.name.startswith(incomplete)
        }
    )


def _stages(context: click.Context) -> list[Stage]:
    """The stages of the feature named earlier on the command line, or of all flows."""
    from sparing.desk.office import every_row, open_office, rows_named
    from sparing.errors import SparingError
    from sparing.flow.flows import FLOWS

    flows = [*FLOWS.values()]
    try:
        rows = every_row(open_office(Path.cwd(), reading=True))
        meant = rows_named(rows, str(context.params.get("feature") or ""))
        if len(meant) == 1:
            flows = [FLOWS[meant[0].feature.flow]]
    except (SparingError, KeyError):
        pass
    return [stage for flow in flows for stage in flow.stages]


def _settings() -> dict[str, str | None]:
    from sparing.config.settings import every_setting

    return {key: setting.rule.doc for key, setting in every_setting().items()}


def _values(key: str) -> tuple[str, ...]:
    from sparing.config.settings import every_setting
    from sparing.config.value_forms import OneOf, Switch

    setting = every_setting().get(key)
    if setting is None:
        return ()
    kind = setting.rule.kind
    if isinstance(kind, OneOf):
        return tuple(str(one) for one in kind.names)
    return ("true", "false") if isinstance(kind, Switch) else ()
