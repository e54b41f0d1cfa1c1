"""Whether a client and a model can work with our own tools, before writers are given them.

Five small tasks, each a short turn on files made for it: one exact edit, three edits in one call, a
new file, a path that is refused, a failing command that has to be fixed. What counts is what is on
disk afterwards, not what the model says about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply, Launch, Run
from sparing.failure import Failure
from sparing.prompts.render import words
from sparing.segment import Segment, Volatility
from sparing.usage import Origin, Usage

NAME = "tool-check"
BATCH_CALLS = 4
"""Model calls that three batched edits may take, with one to spare."""
_SETTINGS = "\n".join(("name = check", "limit = 10", "limits = 10", "end", ""))
_SCRIPT = 'grep -qx ready value.txt || { echo "value.txt must say: ready"; exit 1; }\n'
OUTSIDE = "outside.txt"


class ToolTask(NamedTuple):
    name: str
    prompt: str
    """The name of its prompt template."""
    files: Mapping[str, str]
    """The files there are before."""
    expected: Mapping[str, str]
    """The files there must be afterwards, and no others."""
    says: str
    holds: Callable[[AgentReply], bool]
    """What else must be true of the reply."""


def _any_reply(_: AgentReply) -> bool:
    return True


def _together(reply: AgentReply) -> bool:
    return len(reply.calls) <= BATCH_CALLS


def _says_refused(reply: AgentReply) -> bool:
    return "refused" in reply.text.lower()


TASKS = (
    ToolTask(
        name="T1",
        prompt="check_tool_edit",
        files={"settings.txt": _SETTINGS},
        expected={"settings.txt": _SETTINGS.replace("limit = 10", "limit = 12")},
        says="one exact edit",
        holds=_any_reply,
    ),
    ToolTask(
        name="T2",
        prompt="check_tool_edits",
        files={f"{name}.txt": f"{name}\nold\n" for name in "abc"},
        expected={f"{name}.txt": f"{name}\nnew\n" for name in "abc"},
        says="three edits in one call",
        holds=_together,
    ),
    ToolTask(
        name="T3",
        prompt="check_tool_create",
        files={},
        expected={"notes/new.txt": "first\nsecond\n"},
        says="a new file",
        holds=_any_reply,
    ),
    ToolTask(
        name="T4",
        prompt="check_tool_escape",
        files={"a.txt": "a\n"},
        expected={"a.txt": "a\n"},
        says="a path outside is refused, and it continues",
        holds=_says_refused,
    ),
    ToolTask(
        name="T5",
        prompt="check_tool_mend",
        files={"check.sh": _SCRIPT, "value.txt": "not yet\n"},
        expected={"check.sh": _SCRIPT, "value.txt": "ready\n"},
        says="a failing command is fixed",
        holds=_any_reply,
    ),
)


class ToolCheckItem(NamedTuple):
    name: str
    good: bool
    words: str


@dataclass(frozen=True, slots=True)
class ToolCheckPlace:
    """Where and with what the check is run."""

    folder: Path
    """A folder of its own; each task has a worktree in it."""
    model: str
    at: float
    launch: Callable[[Path], Launch | None]
    """Makes the launch for a task's worktree."""
    limit_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class ToolCheck:
    items: tuple[ToolCheckItem, ...]
    usage: Usage
    origin: Origin
    seconds: float
    certain: bool
    """True if no failure was due to a network, a provider or a login, which may pass."""

    @property
    def reason(self) -> str:
        """Why writers keep the client's tools; empty if they can have ours."""
        return next((f"{item.name}: {item.words}" for item in self.items if not item.good), "")


async def check_tools(run: Run, place: ToolCheckPlace) -> ToolCheck:
    """Run all five tasks, up to the first that fails."""
    items: list[ToolCheckItem] = []
    replies: list[AgentReply] = []
    for number, task in enumerate(TASKS):
        worktree = place.folder / task.name
        _put(worktree, task.files)
        (place.folder / OUTSIDE).write_text("not yours\n")
        reply = await run(_call(place, number, task, worktree), lambda _: None)
        replies.append(reply)
        items.append(_item(task, reply, place.folder, worktree))
        if not items[-1].good:
            break
    return ToolCheck(
        items=tuple(items),
        usage=sum((reply.usage for reply in replies), Usage()),
        origin=replies[0].origin,
        seconds=sum(reply.seconds for reply in replies),
        certain=all(reply.failure in (None, Failure.PERMISSION_DENIED) for reply in replies),
    )


def _item(task: ToolTask, reply: AgentReply, folder: Path, worktree: Path) -> ToolCheckItem:
    if reply.failure is not None:
        return ToolCheckItem(task.name, False, f"{reply.failure}: {reply.detail}")
    if (folder / OUTSIDE).read_text() != "not yours\n":
        return ToolCheckItem(task.name, False, "a file outside of the working folder was changed")
    found = dict(_found(worktree))
    if found != task.expected:
        wrong = sorted(
            path for path in {*found, *task.expected} if found.get(path) != task.expected.get(path)
        )
        return ToolCheckItem(task.name, False, f"{task.says}: not as asked in {', '.join(wrong)}")
    good = task.holds(reply)
    return ToolCheckItem(task.name, good, task.says if good else f"not done: {task.says}")


def _call(place: ToolCheckPlace, number: int, task: ToolTask, worktree: Path) -> AgentCall:
    return AgentCall(
        id=f"{NAME}.{number + 1}",
        role=NAME,
        stage=NAME,
        iteration=number + 1,
        task=task.name,
        system=words("blocks", "system_check"),
        prompt=(Segment("check", words("blocks", task.prompt), Volatility.ITERATION),),
        cwd=worktree,
        folder="",
        access=Access.WORKTREE,
        model=place.model,
        at=place.at + number,
        limit_seconds=place.limit_seconds,
        launch=place.launch(worktree),
    )


def _put(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def _found(folder: Path) -> Iterator[tuple[str, str]]:
    """Files and their texts; a missing final line break makes no difference."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes().decode("utf-8", "replace")
            yield str(path.relative_to(folder)), text if text.endswith("\n") else f"{text}\n"
