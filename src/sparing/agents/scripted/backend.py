"""The scripted agent: a real backend whose model is a script.

It runs one process per turn, edits real files, keeps sessions that can be resumed and forked, and
fails when scripted to. Its cost is simulated with the double's cache rules and marked as such. The
demo and the tests run on it; nothing is ever sent anywhere.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import marshal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from sparing.agents.backend import (
    ANSWERING,
    AgentCall,
    AgentEvent,
    AgentReply,
    Capabilities,
    ModelCall,
    Needs,
)
from sparing.agents.process import Client, Command
from sparing.agents.scripted import player
from sparing.agents.scripted.conversation import (
    FOUND,
    ClientConversation,
    ClientTools,
    StoredSession,
    Tool,
    Transcripts,
)
from sparing.agents.scripted.script import Script, ScriptedTurn
from sparing.agents.scripted.work import DrawnHabits, Work
from sparing.agents.session_lock import SessionFiles
from sparing.codec import JsonObject
from sparing.failure import Failure, limit_words
from sparing.segment import references_of
from sparing.turn_event import AgentAction
from sparing.usage import Origin, Usage

SAID_LIMIT = 2_000
PONG = "ok"


@dataclass(frozen=True, slots=True)
class _Played:
    """What the process reported."""

    text: str | None
    tools: tuple[Tool, ...]
    failure: Failure | None = None
    detail: str = ""


class ScriptedBackend:
    name = "scripted"

    def __init__(self, script: Script, folder: Path, *, own_readers: bool = False) -> None:
        self._script = script
        self._transcripts = Transcripts(folder)
        own = own_readers and script.look_tokens > 0
        self.capabilities = Capabilities(
            resume=True,
            fork=True,
            schema=False,
            marks=1,
            context_tokens=200_000,
            base_tokens=script.look_tokens if own else script.base_tokens,
            writer_tokens=script.base_tokens,
            own_readers=own,
            client_tokens=script.base_tokens,
            two_lives=True,
            primes=True,
            searches=script.searches,
        )

    def session_files(self, session: str) -> SessionFiles:
        return self._transcripts.files(session)

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        if call.ping:
            return self._ping(call)
        turn = self._script.find(call)
        if turn is None:
            where = f"role {call.role}, stage {call.stage}, iteration {call.iteration}"
            return _failed(
                Failure.GARBAGE, f"the script has no matching turn for {where}, task '{call.task}'"
            )
        own = "" if call.fork else call.resume
        with self._transcripts.held(own) as free:
            session = self._transcripts.load(call.resume) if call.resume else StoredSession([])
            if session is None or not free:
                why = "is in use" if session is not None else "is not known"
                return _failed(Failure.INVALID_SESSION, f"the session {call.resume} {why}")
            conversation = ClientConversation(call.model, call.system, self._tools(call), session)
            conversation.ask(call.prompt, marks=not call.resume, life=call.life)
            call = replace(call, at=max(call.at, session.until))
            asked = self._transcripts.ask(call.id, conversation, call.at)
            told, work = self._told(turn, call, session)
            if work is not None:
                conversation.known = work.learned
                turn = turn.model_copy(update={"seconds": work.seconds})
            played = await _play(turn, call, events, told)
            return self._reply(call, turn, played, conversation, asked)

    def spent(self, call: str) -> Usage:
        """What a turn used whose end was not seen."""
        return self._transcripts.billed(call)

    def _tools(self, call: AgentCall) -> ClientTools:
        """The tools before the system prompt; a schema for the answer is one more tool there."""
        form = json.dumps(call.schema, sort_keys=True) if call.schema is not None else ""
        shown, able = call.shown or call.access, self.capabilities
        web = " web" if call.web else ""
        tokens = able.base_of(writes=shown.writes, model=call.model)
        own = bool(able.own_tools(writes=shown.writes, model=call.model))
        return ClientTools(f"{shown.value}{web} {form}", tokens, own)

    def _told(
        self, turn: ScriptedTurn, call: AgentCall, session: StoredSession
    ) -> tuple[JsonObject, Work | None]:
        """The turn for its process, with what a simulated agent does in addition."""
        told = _placed(turn.model_dump(mode="json"), call.folder)
        told["read"] = [*dict.fromkeys((*_references(call), *told["read"]))]
        told |= {"steps": [], "parts": 1}
        if self._script.agents is None or not turn.looks:
            return told, None
        listed = self._tools(call).own
        habits = DrawnHabits(self._script.agents, self._script.seed, lists=listed)
        work = habits.work(call, told, session.known)
        told |= {"steps": work.steps, "parts": work.parts}
        told["run"] = [*told["run"], *work.commands]
        return told, work

    def _ping(self, call: AgentCall) -> AgentReply:
        """One call over the whole session, which stays unchanged; no process is needed."""
        session = self._transcripts.load(call.resume) if call.resume else StoredSession([])
        if session is None:
            return _failed(Failure.INVALID_SESSION, f"the session {call.resume} is not known")
        talk = ClientConversation(call.model, call.system, self._tools(call), session)
        talk.ask(call.prompt, marks=not call.resume, life=call.life)
        asked = self._transcripts.ask(call.id, talk, call.at)
        talk.answer(PONG)
        bills = self._transcripts.work(call.id, talk, asked, call.at)
        return AgentReply(
            PONG, call.resume, sum(bills, Usage()), Origin.SIMULATED,
            context_tokens=talk.size, seconds=0.0,
            calls=tuple(ModelCall(*one, bills[0]) for one in talk.calls),
        )  # fmt: skip

    def _reply(
        self,
        call: AgentCall,
        turn: ScriptedTurn,
        played: _Played,
        talk: ClientConversation,
        asked: Usage,
    ) -> AgentReply:
        talk.work(played.tools)
        talk.answer(played.text or "")
        bills = self._transcripts.work(call.id, talk, asked, call.at)
        usage = sum(bills, Usage())
        session = call.resume if call.resume and not call.fork else session_id(call)
        self._transcripts.save(session, talk, call.at)
        failure = played.failure or turn.fail or _over(call, usage)
        return AgentReply(
            text=played.text or "",
            session=session,
            usage=usage,
            origin=Origin.SIMULATED,
            context_tokens=talk.size,
            seconds=turn.seconds,
            calls=tuple(
                ModelCall(added, out, bill, asked)
                for (added, out), bill, asked in zip(talk.calls, bills, talk.asked, strict=True)
            ),
            files_read=tuple(tool.path for tool in played.tools if tool.kind == AgentAction.READ),
            files_written=tuple(
                tool.path for tool in played.tools if tool.kind == AgentAction.WRITE
            ),
            failure=failure,
            detail=played.detail or turn.detail or (failure.value if failure else ""),
            resets_at=turn.resets_at,
        )


def _over(call: AgentCall, usage: Usage) -> Failure | None:
    """Whether the turn went over its budget; a script can't be stopped half-way."""
    over = call.limit_tokens is not None and usage.total > call.limit_tokens
    return Failure.BUDGET if over else None


def session_id(call: AgentCall) -> str:
    return hashlib.sha256(f"session {call.id} {call.at}".encode()).hexdigest()[:32]


async def _play(
    turn: ScriptedTurn,
    call: AgentCall,
    events: Callable[[AgentEvent], None],
    told: JsonObject,
) -> _Played:
    if not call.access.writes and turn.edit:
        paths = ", ".join(edit.path for edit in turn.edit)
        return _Played(None, (), Failure.PERMISSION_DENIED, f"{call.role} may not write {paths}")
    command = _command(told, call)
    tools: list[Tool] = []
    text: str | None = None
    try:
        async with asyncio.timeout(call.limit_seconds), Client(command) as client:
            async for message in client.messages():
                match message:
                    case {"type": "start"}:
                        events(AgentEvent(ANSWERING, ""))
                    case {"type": "tool", "kind": kind, "path": path, "chars": chars, "step": step}:
                        tools.append(Tool(kind, path, chars, step))
                        _report(events, kind, path, message.get("said"))
                    case {"type": "result", "text": said}:
                        text = said
                    case _:
                        pass
            code, complaint = await client.ended()
    except TimeoutError:
        why = f"no result after {call.limit_seconds:g} s"
        return _Played(None, tuple(tools), Failure.TIMED_OUT, why)
    if text is None:
        return _left(code, complaint, tuple(tools))
    return _Played(text, tuple(tools))


def _left(code: int, complaint: str, tools: tuple[Tool, ...]) -> _Played:
    """The outcome of a process that exited without a result."""
    if reached := limit_words(code, complaint):
        return _Played(None, tools, Failure.LIMIT, reached)
    why = complaint or f"the client exited with code {code} and no result"
    return _Played(None, tools, Failure.CRASHED, why)


def _report(events: Callable[[AgentEvent], None], kind: str, path: str, said: object) -> None:
    if kind != FOUND:
        events(AgentEvent(AgentAction(kind), _told(path, said)))


def _told(path: str, said: object) -> str:
    """What a command printed, cut to a readable length."""
    return f"{path}\n{said[:SAID_LIMIT]}" if isinstance(said, str) and said else path


def _command(told: JsonObject, call: AgentCall) -> Command:
    argv = (sys.executable, "-I", "-S", str(Path(player.__file__)))
    stdin = marshal.dumps(told)
    if call.launch is None:
        return Command(argv, call.cwd, {"LANG": "C.UTF-8"}, stdin, call.lock)
    return Command.behind(call.launch(argv, Needs()), call.cwd, stdin, call.lock)


def _references(call: AgentCall) -> tuple[str, ...]:
    """Documents that the prompt says must be read, so that a script need not repeat them."""
    return references_of("".join(one.text for one in call.prompt if one.name == "references"))


def _placed(value: Any, folder: str) -> Any:
    """Replace `{folder}` by the feature's folder throughout a value."""
    if isinstance(value, str):
        return value.replace("{folder}", folder)
    if isinstance(value, list):
        return [_placed(item, folder) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _placed(item, folder) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _failed(failure: Failure, detail: str) -> AgentReply:
    return AgentReply(
        "",
        "",
        Usage(),
        Origin.SIMULATED,
        context_tokens=0,
        seconds=0.0,
        failure=failure,
        detail=detail,
    )
