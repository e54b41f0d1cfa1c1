"""Save a feature's run as one file, made from the records at any time afterwards.

Known secrets, and texts that have the form of one, are removed from every row and text. Repository
files that contain one are left out and named. The repository's path is not included.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, cast

from sparing import __version__, codec
from sparing.agents.backend import Backend
from sparing.cassette import DIGEST, Cassette, FileState, Tape, sha256, without_files
from sparing.codec import JsonObject
from sparing.config.settings import every_setting
from sparing.desk.features.prompt_page import surroundings_of
from sparing.desk.office import Office
from sparing.errors import FeatureError, SparingError
from sparing.records.features import FeatureRow
from sparing.records.folder import TextGone
from sparing.records.transfer import checks_of, feature_columns, rows_of
from sparing.workspace.project.commit_files import (
    GITLINK,
    FileStore,
    commit_text,
    files_of,
    steps_of,
)
from sparing.workspace.project.secrets import scan

SECTIONS = ("caps.", "commits.", "economy.", "flow.", "models.", "review.")
SINGLE = (
    *("agent.backend", "agent.billing", "agent.client", "agent.concurrency", "agent.double"),
    *("agent.double_files", "agent.double_seed", "agent.double_trust", "agent.limit_seconds"),
    *("agent.max_turns", "engine.clock"),
)
HAND_OVER = "workspace.hand_over"
COLUMNS = (
    *("key", "number", "slug", "title", "flow", "base_branch", "base_commit", "created", "status"),
    *("description", "source", "project", "depends_on", "priority"),
)
CHECKOUT = "/repository"
"""Replaces the repository's path on this disk."""


class Recording(NamedTuple):
    cassette: Cassette
    turns: int
    files: int
    redacted: int
    """Number of texts from which a secret was removed."""


def record(office: Office, row: FeatureRow, *, files: bool = True) -> Recording:
    if row.running:
        raise FeatureError(
            f"feature {row.feature.id} is running",
            f"pause it first: sparing pause {row.feature.id}",
        )
    rows = _rows(office, row)
    if not rows["ledger"]:
        raise FeatureError(
            f"feature {row.feature.id} has asked no agent yet: there is nothing to record",
            f"sparing run {row.feature.id}",
        )
    store = FileStore(office.repository)
    tape = _tape(office, row, store)
    texts, changed = _cleaned(office, {**store.texts, **_texts(office, rows)}, set(store.texts))
    given = tuple((name, changed.get(digest, digest)) for name, digest in tape.given)
    whole = Cassette(replace(tape, given=given), _renamed(rows, changed), texts)
    found = whole if files else without_files(whole)
    return Recording(found, len(rows["ledger"]), len(found.tape.base), len(changed))


def _rows(office: Office, row: FeatureRow) -> dict[str, list[JsonObject]]:
    """The feature's rows, redacted once more and without the repository's path on this disk."""
    with office.database.read() as connection:
        found = rows_of(connection, row.feature.key)
        found["features"] = [feature_columns(connection, row.feature.key)]
        name = str(found["ledger"][-1]["backend"]) if found["ledger"] else ""
        found["resume_checks"] = checks_of(connection, name)
    text = json.dumps(office.folder.redactor.clean_data(found))
    here = json.dumps(str(office.repository.checkout))[1:-1]
    return cast("dict[str, list[JsonObject]]", json.loads(text.replace(here, CHECKOUT)))


def _texts(office: Office, rows: Mapping[str, list[JsonObject]]) -> dict[str, bytes]:
    """Every stored text that a row names."""
    found: dict[str, bytes] = {}
    for digest in dict.fromkeys(DIGEST.findall(json.dumps(rows))):
        try:
            found[digest] = office.folder.stored(digest)
        except TextGone:
            continue
    return found


def _cleaned(
    office: Office, texts: Mapping[str, bytes], files: set[str]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Texts without secrets by hash, and the new hash of each one that changed. Repository files
    are left as they are: those with secrets were left out before."""
    kept, changed = dict[str, bytes](), dict[str, str]()
    for digest, data in texts.items():
        clean = data
        if digest not in files:
            text = data.decode("utf-8", "surrogatepass")
            clean = office.folder.redactor.clean(text).encode("utf-8", "surrogatepass")
        name = digest if clean == data else sha256(clean)
        kept[name] = clean
        if name != digest:
            changed[digest] = name
    return kept, changed


def _renamed(
    rows: dict[str, list[JsonObject]], changed: Mapping[str, str]
) -> dict[str, list[JsonObject]]:
    text = json.dumps(rows)
    for old, new in changed.items():
        text = text.replace(old, new)
    return cast("dict[str, list[JsonObject]]", json.loads(text))


def _tape(office: Office, row: FeatureRow, store: FileStore) -> Tape:
    repo, feature = office.repository, row.feature
    backend, settings = _agent(office, row)
    with office.database.read() as connection:
        columns = feature_columns(connection, feature.key)
    base, left_out = _fit(office, store, store.states(files_of(repo, feature.base_commit)))
    text = commit_text(repo, feature.base_commit)
    if not left_out:
        store.texts[sha256(text)] = text
    marks = list(cast("JsonObject", row.place.get("marks") or {}))
    return Tape(
        sparing=__version__,
        feature={name: columns[name] for name in COLUMNS},
        settings=settings,
        backend=backend.name if backend else str(settings["agent.backend"]),
        client=str(getattr(backend, "version", "")),
        wrapper=surroundings_of(office).wrapper_key(row),
        capabilities=codec.dump(backend.capabilities) if backend else {},
        given=tuple((str(name), str(digest)) for name, digest in row.place.get("given") or ()),
        stage=marks[0] if marks else "",
        commit="" if left_out else sha256(text),
        base=base,
        left_out=left_out,
        steps=steps_of(repo, store, feature.base_commit, row.head, feature.name),
        head=row.head,
        end=_fit(office, store, store.states(files_of(repo, row.head)))[0],
    )


def _agent(office: Office, row: FeatureRow) -> tuple[Backend | None, JsonObject]:
    """The agent, if it is installed here, and the settings that a run depends on."""
    around = surroundings_of(office)
    values = around.loaded(row).values
    kept = {
        key: codec.plain(values[key])
        for key in every_setting()
        if key.startswith(SECTIONS) or key in (*SINGLE, HAND_OVER)
    }
    try:
        return around.backend(row), kept
    except SparingError:
        return None, kept


def _fit(
    office: Office, store: FileStore, files: Iterable[FileState]
) -> tuple[tuple[FileState, ...], tuple[str, ...]]:
    """Files without secrets, and a description of each one left out."""
    listed = tuple(files)
    kept, out = list[FileState](), list[str]()
    for one in listed:
        data = store.texts.get(one.digest)
        hits = scan([(one.path, data)], office.folder.redactor.known) if data else ()
        if hits:
            out.append(hits[0].words)
        elif data is not None or one.mode == GITLINK:
            kept.append(one)
    named = {one.digest for one in kept}
    for one in listed:
        if one.digest not in named:
            store.texts.pop(one.digest, None)
    return tuple(kept), tuple(out)
