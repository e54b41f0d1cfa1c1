"""What a bug report needs, with nothing private in it: counts, kinds, sizes and hashes.

It holds no text written by a person, an agent or a repository: no titles, prompts, replies, file
names, commands or settings that contain a path. The rest goes through the redactor once more.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections import Counter
from importlib.metadata import PackageNotFoundError, version

from sparing import __version__
from sparing.codec import JsonObject
from sparing.config.settings import every_setting
from sparing.desk.features import history, view
from sparing.desk.office import Office, every_row
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.redact import Redactor
from sparing.workspace.git.runner import git_version

LIBRARIES = ("dbos", "click", "pydantic", "sqlalchemy", "genai-prices", "claude-agent-sdk")
MOST_EVENTS = 2_000
OURS = ("sparing.db", "engine.db", "engine.lock", "run.log")
PLAIN = frozenset({"stage", "asks", "verdict", "commit", "checks", "gate", "stuck", "answered"})


def bundle(office: Office) -> JsonObject:
    rows = every_row(office)
    return {
        "about.json": _about(office),
        "settings.json": _settings(office),
        "features.json": [_feature(office, row) for row in rows],
        "events.json": [_event(one) for one in history.events_since(office, 0)[-MOST_EVENTS:]],
        "turns.json": [_turn(one) for row in rows for one in history.ledger_rows(office, row)],
    }


def files(office: Office) -> dict[str, str]:
    """The bundle's files by name, cleaned of anything that still looks like a secret."""
    redactor = Redactor()
    return {
        name: redactor.clean(json.dumps(content, indent=1, sort_keys=True) + "\n")
        for name, content in bundle(office).items()
    }


def _about(office: Office) -> JsonObject:
    state = office.folder.path
    sizes = {one.name: one.stat().st_size for one in sorted(state.iterdir()) if one.is_file()}
    return {
        "sparing": __version__,
        "python": platform.python_version(),
        "system": f"{sys.platform} {platform.machine()}",
        "git": ".".join(map(str, git_version())),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "state_bytes": {name: size for name, size in sizes.items() if name.startswith(OURS)},
        "repository": office.repository.key,
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _settings(office: Office) -> JsonObject:
    """Numbers and choices as they are; for texts only whether they are set, and in which layer."""
    found: JsonObject = {}
    for key, setting in every_setting().items():
        section, _, name = key.partition(".")
        value = getattr(getattr(office.loaded.settings, section), name)
        layer = office.loaded.origins[key].partition(" ")[0]
        told = isinstance(value, int | float) or hasattr(setting.rule.kind, "names")
        found[key] = {"value": value if told else _hash(str(value)), "layer": layer}
    return found


def _feature(office: Office, row: FeatureRow) -> JsonObject:
    shown = view.feature_view(office, row)
    return {
        "id": shown.id,
        "flow": shown.flow,
        "status": shown.status,
        "stage": shown.stage,
        "position": shown.position,
        "cause": shown.cause,
        "running": shown.running,
        "leg": row.leg_id.partition(".")[2],
        "stages_done": shown.stages_done,
        "reason": _hash(shown.waits_for) if shown.waits_for else "",
        "events": Counter(one.kind for one in history.events_since(office, 0, row.feature.key)),
    }


def _event(one: Event) -> JsonObject:
    key = one.key.partition(".")[2]
    kept = {"n": one.n, "at": one.at, "kind": one.kind, "stage": one.stage, "role": one.role}
    words = {"text_chars": len(one.text), "feature": _hash(one.feature)}
    return {**kept, **words, "key": key if one.kind in PLAIN else _hash(key)}


def _turn(one: LedgerRow) -> JsonObject:
    attempt, result = one.attempt, one.result
    return {
        "stage": attempt.stage,
        "role": attempt.role,
        "iteration": attempt.iteration,
        "way": attempt.way,
        "model": attempt.model,
        "backend": attempt.backend,
        "prompt_chars": attempt.prompt_chars,
        "outcome": one.outcome.value,
        "failure": result.failure if result else "",
        "seconds": result.seconds if result else None,
        "context_tokens": result.context_tokens if result else None,
        "nano_usd": result.nano_usd if result else None,
    }


def _hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
