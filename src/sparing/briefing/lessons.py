"""Lessons for a feature: read from a commit, added to prompts, with a record of who got which.

They are chosen once, from the commit the feature began at and from its title and description: every
prompt of an audience begins with the same text for as long as the feature runs.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple, cast

from sparing.artifact import META
from sparing.briefing.prior_findings import is_seed
from sparing.context.prompt.compose import Composed
from sparing.context.prompt.pieces import KNOWLEDGE
from sparing.feature import FeatureStatus
from sparing.knowledge.age import Made
from sparing.knowledge.page import FILES, EntryKind, Page, read_page
from sparing.knowledge.retro import Bank
from sparing.knowledge.selection import Audience, GivenLessons, give
from sparing.money import day_of
from sparing.records import features
from sparing.roles.load import Role, RoleClass
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.turn import TURNS
from sparing.workspace.git.commit import list_folder, read_file
from sparing.workspace.git.direct.tree import list_files, read_files
from sparing.workspace.git.repository import Repository

GIVEN = "given"
HELPERS = frozenset(role for row in TURNS.values() if row.helps for role in row.roles)
CODERS = HELPERS | {"implementer", "builder"}
_FEATURE = re.compile(r"(\d{1,6})-(\S+)")
_WORD = re.compile(r"[A-Za-z]{4,}")


class Chosen(NamedTuple):
    """For whom, and about what; one for each audience of a feature."""

    repository: Repository
    commit: str
    folder: str
    topic: str
    audience: Audience
    limit_tokens: int


def bank_at(repository: Repository, commit: str, folder: str) -> Bank:
    """Every page, empty where there is none. Bytes that are no text come back as they were."""
    there = list_folder(repository, commit, folder)
    pages: dict[EntryKind, Page] = {}
    for name, kind in FILES.items():
        data = read_file(repository, commit, f"{folder}/{name}") if name in there else None
        pages[kind] = read_page(kind, (data or b"").decode("utf-8", "surrogateescape"))
    return pages


def given_to(source: Source) -> GivenLessons:
    """The lessons that this job's role gets; in the original only who writes documents has any."""
    audience = audience_of(source.role)
    if is_seed(source) and audience is not Audience.AUTHORS:
        return GivenLessons()
    flow = source.around.settings(source.row).flow
    if audience is None or not flow.knowledge_tokens:
        return GivenLessons()
    feature = source.row.feature
    topic = f"{feature.title}\n{source.row.background.description}"
    chosen = Chosen(
        source.around.repository, feature.base_commit, flow.knowledge_folder, topic, audience,
        flow.knowledge_tokens,
    )  # fmt: skip
    return _given(chosen)


def knowledge_for(source: Source) -> str:
    """The same, as a prompt says it."""
    return given_to(source).text.encode("utf-8", "replace").decode()


def audience_of(role: Role) -> Audience | None:
    """The role's audience; None for researchers, who report what they see, not what others saw."""
    if role.role_class is RoleClass.RESEARCHER:
        return None
    if role.role_class is RoleClass.REVIEWER:
        return Audience.REVIEWERS
    return Audience.IMPLEMENTERS if role.name in CODERS else Audience.AUTHORS


def tell_given(source: Source, teller: Teller, composed: Composed) -> None:
    """Which entries a prompt really had, so that their use can be judged."""
    if not any(one.name == KNOWLEDGE for one in composed.segments):
        return
    titles = [entry.title for entry in given_to(source).entries]
    with source.around.database.write() as tx:
        tell(tx, teller, source.job, GIVEN, data={"entries": titles})


def made_features(source: Source) -> tuple[Made, ...]:
    """All that there have been, in the order of creation: ours, and those that left a folder."""
    with source.around.database.read() as connection:
        rows = features.list_all(connection)
    begun = [row.feature for row in rows if row.status is not FeatureStatus.PLANNED]
    made = {one.name: (one.created, Made(one.id, one.slug, day_of(one.created))) for one in begun}
    parent = PurePosixPath(source.folder).parent
    repository, head = source.around.repository, source.job.head
    names = [name for name in list_folder(repository, head, str(parent)) if name not in made]
    paths = {f"{parent}/{name}/{META}": name for name in names if _FEATURE.fullmatch(name)}
    for path, text in read_files(repository, head, tuple(paths)).items():
        if (created := _created(text)) is not None:
            number, slug = cast("re.Match[str]", _FEATURE.fullmatch(paths[path])).groups()
            made[paths[path]] = (created, Made(number, slug, day_of(created)))
    return tuple(one for _, one in sorted(made.values()))


@lru_cache(maxsize=64)
def _given(chosen: Chosen) -> GivenLessons:
    """Choose the lessons; cached, since a commit's files never change."""
    repository, commit, folder, topic, audience, limit = chosen
    bank = bank_at(repository, commit, folder)
    if not any(page.entries for page in bank.values()):
        return GivenLessons()
    return give(bank, f"{topic}\n{_places(repository, commit, topic)}", audience, limit)


def _places(repository: Repository, commit: str, topic: str) -> str:
    """Paths that contain a word of the feature's topic."""
    words = {word.lower() for word in _WORD.findall(topic)}
    paths = list_files(repository, commit)
    return "\n".join(path for path in paths if any(word in path.lower() for word in words))


def _created(text: str) -> float | None:
    try:
        found: object = json.loads(text)
        fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        when = datetime.fromisoformat(str(fields.get("created", "")))
    except (ValueError, RecursionError):
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
