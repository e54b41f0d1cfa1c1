"""A run in one file: prompts, replies, costs and the resulting files.

A ZIP with two lists (`cassette.json`, `records.json`), every text once under its hash, and the hash
of each member in `sums.json`, whose own hash is the archive's comment. A file that was changed
after it was recorded is refused. This is not a signature: it detects damage, not who recorded it.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from sparing import codec
from sparing.codec import JsonObject
from sparing.errors import UsageError

FORMAT = 1
MARK = b"sparing cassette 1 "
SUMS, ABOUT, RECORDS, TEXTS = "sums.json", "cassette.json", "records.json", "texts/"
MOST_BYTES = 1024**3
MOST_MEMBERS = 400_000
AGAIN = "ask whoever recorded it for the file again: sparing record FEATURE FILE"
MADE_BY = "sparing record FEATURE FILE makes one"
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileState:
    """One file of a commit."""

    path: str
    mode: str
    digest: str
    """SHA-256 of its bytes, or of a link's target; empty if a commit removed it."""


@dataclass(frozen=True, slots=True)
class StepFiles:
    """The files that a step changed."""

    step: str
    files: tuple[FileState, ...]


@dataclass(frozen=True, slots=True)
class Tape:
    """Everything about a recorded run except its texts and rows."""

    sparing: str
    """The version that recorded it."""
    feature: JsonObject
    """The recorded columns of the feature, without those that say where it is."""
    settings: JsonObject = field(default_factory=dict[str, Any])
    """Settings that a run depends on, by key; none that starts a program or names a path."""
    backend: str = ""
    client: str = ""
    """The client's version."""
    wrapper: str = ""
    """The wrapper around documents in its prompts."""
    capabilities: JsonObject = field(default_factory=dict[str, Any])
    given: tuple[tuple[str, str], ...] = ()
    """Documents that the feature began with: file name and digest."""
    stage: str = ""
    """The first stage."""
    commit: str = ""
    """Digest of the base commit's raw text; empty if files were left out."""
    base: tuple[FileState, ...] = ()
    left_out: tuple[str, ...] = ()
    """Files of the base that are not in here, and why."""
    has_files: bool = True
    steps: tuple[StepFiles, ...] = ()
    head: str = ""
    end: tuple[FileState, ...] = ()
    """The files at the feature's last commit."""


@dataclass(frozen=True, slots=True)
class Cassette:
    tape: Tape
    records: Mapping[str, list[JsonObject]]
    """Rows by table."""
    texts: Mapping[str, bytes]

    def text(self, digest: str) -> str:
        return self.texts[digest].decode("utf-8", "surrogatepass")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_cassette(cassette: Cassette, path: Path) -> int:
    """Write the cassette and return its size; an existing file is not overwritten."""
    members = {
        ABOUT: _json({"format": FORMAT, **codec.dump(cassette.tape)}),
        RECORDS: _json(dict(cassette.records)),
        **{f"{TEXTS}{digest}": data for digest, data in sorted(cassette.texts.items())},
    }
    sums = _json({name: sha256(data) for name, data in members.items()})
    try:
        with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, data in ((SUMS, sums), *members.items()):
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            archive.comment = MARK + sha256(sums).encode()
    except FileExistsError:
        raise UsageError(f"{path} already exists", "name another file") from None
    except OSError as error:
        raise UsageError(
            f"{path} can't be written: {error.strerror}", "name another file"
        ) from None
    return path.stat().st_size


def read_cassette(path: Path) -> Cassette:
    """Read a cassette; refused unless it is exactly as it was recorded."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = dict(_members(archive, path))
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist", MADE_BY) from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", AGAIN) from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, ValueError):
        raise _no_cassette(path) from None
    try:
        return _load(members)
    except (KeyError, TypeError, ValueError, RecursionError):
        raise _no_cassette(path) from None


def _members(archive: zipfile.ZipFile, path: Path) -> Iterator[tuple[str, bytes]]:
    listed = archive.infolist()
    if not archive.comment.startswith(MARK):
        raise _no_cassette(path)
    if len(listed) > MOST_MEMBERS or sum(one.file_size for one in listed) > MOST_BYTES:
        raise UsageError(f"{path} holds more than {MOST_BYTES // 1024**2} MB", AGAIN)
    names = [one.filename for one in listed]
    if len(set(names)) != len(names) or SUMS not in names:
        raise _changed(path, SUMS)
    sums = _bytes(archive, SUMS, path)
    if archive.comment != MARK + sha256(sums).encode():
        raise _changed(path, SUMS)
    wanted = cast("JsonObject", json.loads(sums))
    if set(wanted) != set(names) - {SUMS}:
        raise _changed(path, "a list of its members")
    for name, digest in wanted.items():
        data = _bytes(archive, name, path)
        if sha256(data) != digest or (name.startswith(TEXTS) and name != f"{TEXTS}{digest}"):
            raise _changed(path, name)
        yield name, data


def _bytes(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """A member's bytes; its stated size is checked, not trusted."""
    size = archive.getinfo(name).file_size
    try:
        with archive.open(name) as stream:
            data = stream.read(size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):
        raise _changed(path, name) from None
    if len(data) != size:
        raise _changed(path, name)
    return data


def _load(members: Mapping[str, bytes]) -> Cassette:
    about = cast("JsonObject", json.loads(members[ABOUT]))
    if about["format"] != FORMAT:
        raise UsageError(
            f"the cassette has format {about['format']}, and this version reads {FORMAT}",
            f"use sparing {about.get('sparing', '')}, which recorded it",
        )
    rows = cast("dict[str, list[JsonObject]]", json.loads(members[RECORDS]))
    texts = {
        name.removeprefix(TEXTS): data for name, data in members.items() if name.startswith(TEXTS)
    }
    return Cassette(codec.load(Tape, about), rows, texts)


def without_files(cassette: Cassette) -> Cassette:
    """The cassette with prompts, replies and costs, but without the repository's files."""
    tape = cassette.tape
    files = {one.digest for one in (*tape.base, *tape.end)}
    files |= {one.digest for step in tape.steps for one in step.files} | {tape.commit}
    named = set(DIGEST.findall(_json(dict(cassette.records)).decode()))
    texts = {key: data for key, data in cassette.texts.items() if key in named - files}
    bare = replace(tape, commit="", base=(), steps=(), end=(), given=(), has_files=False)
    return Cassette(bare, cassette.records, texts)


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=True).encode()


def _no_cassette(path: Path) -> UsageError:
    return UsageError(f"{path} is not a cassette", MADE_BY)


def _changed(path: Path, member: str) -> UsageError:
    return UsageError(f"{path} was changed or damaged after it was recorded: {member}", AGAIN)
