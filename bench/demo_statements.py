"""Which statements the demo sends to SQLite, by text and by who asks, for each dispatch.

`python -m bench.demo_statements [LINES]`: runs the demo in this process. Statements of our own
records and those of the engine's library are counted apart; a transaction's `begin` is one of them,
its commit is counted by itself. Set-up, the display and the report at the end are included.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FrameType
from typing import Any

import click

from sparing.cli.run.demo import demo_command
from sparing.connection import Cleaning

AIM = 43.0
"""Half of what a dispatch took at the outset, which was 86."""
LINES = 40
_VALUE = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b")
_BEGUN = "insert into ledger "
_PASSED_ON = ("connection.py", "database.py", "read_once.py")


class Counted:
    """What was sent, by text; and by text and caller."""

    def __init__(self) -> None:
        self.own: Counter[str] = Counter()
        self.callers: Counter[tuple[str, str]] = Counter()
        self.library: Counter[str] = Counter()
        self.commits = 0

    def sent(self, sql: str) -> None:
        text = _plain(sql)
        self.own[text] += 1
        self.callers[text, _caller(sys._getframe(2))] += 1  # pyright: ignore[reportPrivateUsage]

    @property
    def dispatches(self) -> int:
        return sum(often for text, often in self.own.items() if text.startswith(_BEGUN))


def counting(counted: Counted) -> type[Cleaning]:
    """The connections of our records, which tell what they are sent."""

    class Counting(Cleaning):
        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
            counted.sent(sql)
            return super().execute(sql, parameters)

        def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
            counted.sent(sql)
            return super().executemany(sql, parameters)

        def commit(self) -> None:
            counted.commits += 1
            super().commit()

    return Counting


def count(run: Callable[[], object]) -> Counted:
    """What is sent while this runs; the driver's own way to connect is replaced meanwhile."""
    counted, connect = Counted(), sqlite3.connect
    own = counting(counted)

    def connected(*args: Any, **options: Any) -> sqlite3.Connection:
        if options.get("factory") is Cleaning:
            return connect(*args, **{**options, "factory": own})
        made = connect(*args, **options)
        made.set_trace_callback(lambda text: counted.library.update([_plain(text)]))
        return made

    modules: tuple[Any, ...] = (sqlite3, import_module("sqlite3.dbapi2"))
    for module in modules:
        module.connect = connected
    try:
        run()
    finally:
        for module in modules:
            module.connect = connect
    return counted


def _plain(sql: str) -> str:
    return _VALUE.sub("?", " ".join(sql.split())).lower()


def _caller(frame: FrameType | None) -> str:
    """The three functions of ours that led to it."""
    names: list[str] = []
    while frame is not None and len(names) < 3:
        _, found, place = frame.f_code.co_filename.partition("/sparing/")
        if found and not place.endswith(_PASSED_ON):
            names.append(f"{place.removesuffix('.py')}.{frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(names)


def main(arguments: list[str]) -> int:
    lines = int(arguments[0]) if arguments else LINES
    demo: click.Command = demo_command
    counted = count(lambda: demo.main([], standalone_mode=False))
    each = counted.dispatches
    for text, often in counted.own.most_common(lines):
        print(f"{often / each:7.2f}  {text[:110]}")
        asked = Counter({who: n for (of, who), n in counted.callers.items() if of == text})
        for who, n in asked.most_common(3):
            print(f"         {n / each:7.2f}  {who}")
    own, library = counted.own.total() / each, counted.library.total() / each
    word = "met" if own <= AIM else "missed"
    print(
        f"{each} dispatches: {own:.1f} statements each of our records, aim ≤ {AIM:g} ({word}), in"
        f" {counted.commits / each:.1f} transactions; {library:.1f} of the engine's library"
        " (measured)"
    )
    return 0 if own <= AIM else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
