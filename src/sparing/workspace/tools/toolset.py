"""The tools of one turn: `look` for every agent, `change` and `run` for those that may write."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sparing.codec import JsonObject
from sparing.errors import SparingError
from sparing.prompts.render import words
from sparing.redact import Redactor
from sparing.tool import ChangedFile, ToolResult, ToolSpec
from sparing.workspace.project.paths import Confined, PathRefused
from sparing.workspace.tools import arguments
from sparing.workspace.tools.arguments import Edit, ToolMistake
from sparing.workspace.tools.command import Commands, Stopped
from sparing.workspace.tools.confined_open import Beneath
from sparing.workspace.tools.edits import NOTHING, Edited, apply
from sparing.workspace.tools.look import SEARCH_SECONDS, Look
from sparing.workspace.tools.pages import Span, split_lines
from sparing.workspace.tools.seen_files import Seen, SeenStore
from sparing.workspace.tools.worktree_files import (
    Bringing,
    Listing,
    NotForYou,
    WorktreeFiles,
    nothing_left_out,
)

LOOK, CHANGE, RUN = "look", "change", "run"
_LIST: JsonObject = {"type": "array", "items": {"type": "string"}}
_TEXT: JsonObject = {"type": "string"}


def _object(required: tuple[str, ...], **properties: JsonObject) -> JsonObject:
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


SCHEMAS: Mapping[str, JsonObject] = {
    LOOK: _object(
        (), read=_LIST, search=_LIST, outline=_LIST, under=_LIST, again={"type": "boolean"}
    ),
    CHANGE: _object(
        ("edits",),
        edits={
            "type": "array",
            "items": _object(
                ("path",), path=_TEXT, find=_TEXT, replace=_TEXT, create=_TEXT, append=_TEXT
            ),
        },
    ),
    RUN: _object(("command",), command=_TEXT, seconds={"type": "integer"}),
}


def specs(*, writes: bool) -> tuple[ToolSpec, ...]:
    """The tools' definitions; equal for all who share a trunk: they come first in a request."""
    names = (LOOK, CHANGE, RUN) if writes else (LOOK,)
    return tuple(
        ToolSpec(name, words("blocks", f"tool_{name}").strip(), SCHEMAS[name]) for name in names
    )


@dataclass(frozen=True, slots=True)
class ToolPlace:
    """Where a turn's tools work, and with what."""

    root: Path
    listing: Listing
    """Lists all files that a search covers."""
    redactor: Redactor
    store: SeenStore
    touched: Mapping[str, tuple[Span, ...]]
    """Lines that are under review."""
    search_seconds: float = SEARCH_SECONDS
    scope: str = ""
    """The folder that searches are limited to by default; empty for all."""
    bring: Bringing = nothing_left_out


@dataclass(slots=True)
class Toolset:
    place: ToolPlace
    commands: Commands | None = None
    """None for an agent that may only read."""
    lists_all: bool = False
    """True if a reader is also listed the writers' tools, because it shares their cache entry."""
    seen: Seen = field(default_factory=Seen)
    _session: str = ""
    _looking: threading.Lock = field(default_factory=threading.Lock)
    _writing: threading.Lock = field(default_factory=threading.Lock)
    _over: bool = False

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return specs(writes=self.lists_all or self.commands is not None)

    def begin(self, session: str) -> None:
        self._session = session
        self.seen = self.place.store.load(session)

    def forget(self) -> None:
        self.seen = Seen()
        self.place.store.drop(self._session)

    def keep(self, session: str) -> None:
        with suppress(OSError):  # then it is shown once more, which is no harm
            self.place.store.save(session, self.seen)

    def end(self) -> None:
        """End the turn: no more changes; one in progress is waited for."""
        if self.commands is not None:
            self.commands.end()
        with self._writing:
            self._over = True

    def answer(self, name: str, given: JsonObject) -> ToolResult:
        if name not in ((LOOK,) if self.commands is None else (LOOK, CHANGE, RUN)):
            return ToolResult(f"{name} is not for you in this turn.", failed=True)
        try:
            match name:
                case "look":
                    return self._look(given)
                case "change":
                    return self._change(given)
                case _:
                    return self._run(given)
        except NotForYou as mistake:
            text = self.place.redactor.clean(str(mistake))
            return ToolResult(text, failed=True, refused=(text,))
        except ToolMistake as mistake:
            return ToolResult(self.place.redactor.clean(str(mistake)), failed=True)
        except Stopped:
            return ToolResult("The turn is over.", failed=True)

    @property
    def _files(self) -> WorktreeFiles:
        place = self.place
        return WorktreeFiles(Beneath(place.root), place.listing, place.redactor, place.bring)

    def _look(self, given: JsonObject) -> ToolResult:
        wanted = arguments.looking(given)
        with self._looking:
            place = self.place
            seconds = place.search_seconds
            made = Look(self._files, self.seen, place.touched, seconds, place.scope)
            return made.answer(wanted)

    def _run(self, given: JsonObject) -> ToolResult:
        assert self.commands is not None
        wanted = arguments.command(given)
        found = self.commands.run(wanted.command, wanted.seconds)
        head = (
            f"stopped after {wanted.seconds} s" if found.code is None else f"exit code {found.code}"
        )
        text = self.place.redactor.clean(f"{head}\n{found.output}".rstrip())
        return ToolResult(text, failed=found.code != 0, command=wanted.command)

    def _change(self, given: JsonObject) -> ToolResult:
        beneath = Beneath(self.place.root)
        with self._writing:
            if self._over:
                raise Stopped
            before: dict[str, bytes | None] = {}
            wanted: list[Edit] = []
            for edit in arguments.edits(given):
                try:
                    path = beneath.relative(edit.path)
                    self.place.bring([path])
                    before[path] = _bytes(self.place.root, path)
                except PathRefused as refusal:
                    raise NotForYou(f"{NOTHING} {edit.path}: {refusal.reason}.") from None
                wanted.append(edit._replace(path=path))
            self._check_rewrites(wanted, before)
            edited = apply(wanted, lambda path: _text(before[path]))
            known = {path for path in edited.texts if self._knows(path, before[path])}
            changed = self._written(edited, before)
            known |= {edit.path for edit in wanted if edit.create is not None}
            for one in changed:
                if one.path in known:
                    self.seen.wrote(one.path, one.after)
        words = self.place.redactor.clean("\n".join(edited.words))
        return ToolResult(words, changed=changed)

    def _knows(self, path: str, data: bytes | None) -> bool:
        lines = len(split_lines((data or b"").decode("utf-8", "replace")))
        return self.seen.knows_all(path, _digest(data), lines)

    def _check_rewrites(self, edits: list[Edit], before: Mapping[str, bytes | None]) -> None:
        """Refuse to overwrite a file unless the agent has seen all of its current content."""
        for edit in edits:
            if edit.create is None or before[edit.path] is None:
                continue
            file = self._files.shown(edit.path)
            if file.hidden:
                raise ToolMistake(
                    f"{NOTHING} {edit.path}: parts are not shown to you. Use find and replace."
                )
            if not self.seen.knows_all(file.path, file.digest, len(file.lines)):
                raise ToolMistake(
                    f"{NOTHING} {edit.path} exists. Use find and replace; or look at all of it "
                    "first, then create."
                )

    def _written(
        self, edited: Edited, before: Mapping[str, bytes | None]
    ) -> tuple[ChangedFile, ...]:
        place = Confined(self.place.root)
        changed: list[ChangedFile] = []
        try:
            for path, text in edited.texts.items():
                data = text.encode("utf-8", "surrogateescape")
                changed.append(ChangedFile(path, _digest(before[path]), _digest(data)))
                place.write_bytes(path, data)
        except (OSError, SparingError, UnicodeError) as error:
            self._put_back(changed, before)
            why = error.reason if isinstance(error, PathRefused) else error
            raise ToolMistake(f"{NOTHING} {changed[-1].path}: {why}.") from None
        return tuple(changed)

    def _put_back(self, changed: list[ChangedFile], before: Mapping[str, bytes | None]) -> None:
        place = Confined(self.place.root)
        for one in changed:
            data = before[one.path]
            try:
                if data is not None:
                    place.write_bytes(one.path, data)
                else:
                    place.remove(one.path)
            except (OSError, SparingError):
                continue


def _bytes(root: Path, path: str) -> bytes | None:
    try:
        return Confined(root).read_bytes(path)
    except FileNotFoundError:
        return None


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    if b"\0" in data:
        raise ToolMistake("it is not text.")
    return data.decode("utf-8", "surrogateescape")


def _digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
