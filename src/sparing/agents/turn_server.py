"""A server on this machine for one turn: it answers the agent and ends with the turn."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Self


class TurnServer(ABC):
    """Use as `async with …`; each connection is answered in a task of its own."""

    def __init__(self, head_limit: int) -> None:
        self._head_limit = head_limit
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end. An agent that is gone, or talks nonsense, is no error."""

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, limit=self._head_limit
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        try:
            await self.answer(reader, writer)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # one side is gone, or talks nonsense
        except asyncio.CancelledError:
            pass  # the turn is over
        finally:
            with suppress(OSError):
                writer.close()
