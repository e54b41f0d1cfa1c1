"""What is said of tasks that fail while the engine is being shut down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from sparing.errors import StateError


def leave_out_state_errors(loop: asyncio.AbstractEventLoop) -> None:
    """Tasks that are cancelled because nothing can be recorded any more fail for that very reason.
    A person reads the error that ended the engine, not one traceback for each of them."""

    def handle(its_loop: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
        if not isinstance(context.get("exception"), StateError):
            its_loop.default_exception_handler(cast("dict[str, object]", context))

    loop.set_exception_handler(handle)
