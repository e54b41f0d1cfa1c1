"""A client at the seam for the check of resume: it forgets what a test takes away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Capabilities, ModelCall
from sparing.agents.checks.resume_check import FILE
from sparing.failure import Failure
from sparing.usage import Origin, Usage


@dataclass
class Fake:
    """A client at the seam that remembers all it was shown, but for what a test takes away."""

    forgets: str = ""
    name: str = "fake"
    version: str = "1.0"
    capabilities: Capabilities = Capabilities(
        resume=True, fork=True, schema=False, marks=1, context_tokens=1, base_tokens=0, proven=False
    )
    count: str = "3"
    """How it says how many findings there were."""
    first_line: str = ""
    seen: list[AgentCall] = field(default_factory=list[AgentCall])

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        self.seen.append(call)
        if not call.resume:
            self.first_line = (call.cwd / FILE).read_text().partition("\n")[0]
            return self._reply('{"findings": []}', "" if self.forgets == "id" else "s1", 1000)
        if self.forgets in ("session", "network"):
            gone = Failure.INVALID_SESSION if self.forgets == "session" else Failure.NETWORK
            return self._reply("", "", 0, gone)
        texts = [self.first_line, self.count]
        text = texts[call.iteration - 2]
        forgotten = (self.forgets == "file" and call.iteration == 2) or (
            self.forgets == "reply" and call.iteration == 3
        )
        text = "" if self.forgets == "answer" else text
        session = f"s{call.iteration}" if self.forgets == "whose" else "s1"
        return self._reply("I do not know" if forgotten else text, session, 900)

    def _reply(
        self, text: str, session: str, tokens: int, failure: Failure | None = None
    ) -> AgentReply:
        usage = Usage(read=tokens, output=5) if len(self.seen) > 1 else Usage(write_5m=tokens)
        calls = (ModelCall(tokens, 5, usage),)
        return AgentReply(
            text, session, usage, Origin.SIMULATED, tokens, 1.0, calls, failure=failure,
            detail="it is gone" if failure else "",
        )  # fmt: skip
