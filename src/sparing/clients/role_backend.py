"""Which backend a role works with: the one that is named for it, one of another vendor, or the one
that has taken over.

Decided once for a dispatch, when it is prepared; what is sent later goes to the same one. All roles
on one backend move together, so those that share a cached prefix keep sharing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from sparing import backend_name as names
from sparing.agents.backend import Backend
from sparing.clients.outage import Outage, outage_of
from sparing.clients.unpriced import unpriced
from sparing.config.load import Loaded
from sparing.config.review import OtherVendor
from sparing.config.settings import Settings
from sparing.database import Database
from sparing.errors import ConfigError
from sparing.flow.stage import Flow
from sparing.records import ledger
from sparing.records.features import FeatureRow
from sparing.roles.catalog import Catalog
from sparing.roles.load import Role, RoleClass

WEB = "web"
"""The name of a role's web search tool."""


class Here(Protocol):
    """What is needed from the surroundings of a run."""

    @property
    def database(self) -> Database: ...

    def settings(self, row: FeatureRow) -> Settings: ...

    def loaded(self, row: FeatureRow, backend: str = "") -> Loaded: ...

    def backend(self, row: FeatureRow, named: str = "") -> Backend: ...

    def now(self, row: FeatureRow, moves: int) -> float: ...


class RoleBackend(NamedTuple):
    name: str
    why: str = ""
    """Why this backend was chosen; empty if it is simply the feature's own."""
    vendor: str = ""


class RoleInFeature(NamedTuple):
    """A role in a feature, and the author of what it reviews."""

    around: Here
    row: FeatureRow
    role: Role
    author: Role | None = None

    def on(self, name: str, why: str = "") -> RoleBackend:
        return RoleBackend(name, why, names.vendor_of(name, self.model(name)))

    def model(self, name: str) -> str:
        """The role's model on this backend."""
        models = self.around.settings(self.row).models
        return models.of(self.role.model, name, self.role.name)

    def unpriced(self, name: str) -> ConfigError | None:
        """Why a cap on money rules out that backend; None if nothing does."""
        return unpriced(self.around.loaded(self.row), self.model(name))

    def settled(self, name: str) -> str:
        """Resolve `api` and `auto`, which stand for other backends."""
        return self.around.loaded(self.row, name).settings.agent.backend

    def ready(self, name: str) -> bool:
        """Whether it is installed, logged in and able, with a known price if money is capped."""
        try:
            return not lacks(self.role, self.around, self.row, name) and not self.unpriced(name)
        except ConfigError:
            return False

    def outage(self, name: str) -> Outage | None:
        """The backend's outage; other turns' time counts, as the clock stops between moves."""
        with self.around.database.read() as connection:
            begun = ledger.last_start(connection, self.row.feature.key)
            return outage_of(connection, name, max(begun, self.around.now(self.row, 0)))


def role_backend(who: RoleInFeature) -> RoleBackend:
    named = _named(who)
    settings = who.around.settings(who.row)
    apart = settings.review.other_vendor in (OtherVendor.ON, OtherVendor.PREFER)
    avoided = _author(who) if apart else None
    if avoided is not None and not _differs(named, avoided):
        named = _of_another_vendor(who, named, avoided)
    found = _taken_over(who, named, avoided)
    if (why := who.unpriced(found.name)) is not None:
        raise why
    return found


def roles_of(
    around: Here, row: FeatureRow, catalog: Catalog, flow: Flow
) -> Iterator[RoleInFeature]:
    """Every role that a flow may use, once each."""
    seen: set[str] = set()
    first = flow.stages[0].author
    for stage in flow.stages:
        reviewers = (role for group in stage.reviewers for role in group)
        for name in (stage.author, *stage.research, *reviewers):
            if name and name not in seen:
                seen.add(name)
                author = first if name == stage.author else stage.author
                own = catalog.role(author) if author else None
                yield RoleInFeature(around, row, catalog.role(name), own)


def check_role(who: RoleInFeature) -> None:
    """Raise an error to show if something is wrong with a role's backend."""
    settings, role = who.around.settings(who.row), who.role.name
    named = role_backend(who)
    own = settings.roles.backend_of(role)
    if own and names.is_played(own) and not names.is_played(settings.agent.backend):
        raise ConfigError(
            f"{role} would use {own}, a stand-in, in a feature of {settings.agent.backend}",
            f"name another one: sparing config set roles.{role}.backend codex",
        )
    try:
        missing = lacks(who.role, who.around, who.row, named.name)
    except ConfigError as error:
        if named.name == settings.agent.backend:
            raise
        raise ConfigError(f"{role} works with {named.name}: {error.what}", error.repair) from error
    if missing:
        raise ConfigError(
            f"{role} can't work with {named.name}: {missing}",
            f"name another one: sparing config set roles.{role}.backend claude",
        )
    model = dict(line.split(" ", 1) for line in settings.models.roles).get(role, "")
    if model and not names.may_have(named.name, model) and not named.why:
        vendor = names.vendor_of(named.name)
        raise ConfigError(
            f"{role} works with {named.name}, which has models of {vendor} and not {model}",
            f"name another one: sparing config set roles.{role}.model standard",
        )


def lacks(role: Role, around: Here, row: FeatureRow, name: str) -> str:
    """What a role needs that a backend can't do; raises if there is no such backend here."""
    can = around.backend(row, name).capabilities
    searches_only = role.tools == (WEB,) and around.settings(row).roles.web.researches
    if searches_only and not can.searches and around.settings(row).roles.backend_of(role.name):
        return "it only searches the web, which that agent can't"
    return ""


def _named(who: RoleInFeature) -> RoleBackend:
    settings = who.around.settings(who.row)
    usual, own = settings.agent.backend, settings.roles.backend_of(who.role.name)
    real = names.is_played(usual) and not names.is_played(own)
    if not own or real or who.settled(own) == usual:
        return who.on(usual)
    return who.on(who.settled(own), f"set for {who.role.name}")


def _author(who: RoleInFeature) -> RoleBackend | None:
    """The author whose vendor a reviewer should not share; None if there is none."""
    if who.author is None or who.role.role_class is not RoleClass.REVIEWER:
        return None
    found = role_backend(who._replace(role=who.author, author=None))
    return None if found.name == names.SCRIPTED else found


def _differs(one: RoleBackend, other: RoleBackend) -> bool:
    """Whether the vendors differ; if one is unknown, the backends must."""
    if one.vendor and other.vendor:
        return one.vendor != other.vendor
    return one.name != other.name


def _of_another_vendor(who: RoleInFeature, named: RoleBackend, author: RoleBackend) -> RoleBackend:
    vendor = author.vendor or author.name
    for name in _candidates(who):
        found = who.on(name, f"a vendor other than {vendor}, which wrote it")
        if found.vendor and _differs(found, author) and who.ready(name):
            return found
    if who.around.settings(who.row).review.other_vendor is OtherVendor.PREFER:
        return named._replace(why=f"no vendor other than {vendor} is installed and logged in")
    raise ConfigError(
        f"review.other_vendor is true, and no agent of a vendor other than {vendor} is "
        "installed and logged in",
        "set up one that sparing doctor lists; or take the same vendor where there is no other: "
        "sparing config set review.other_vendor prefer",
    )


def _candidates(who: RoleInFeature) -> Iterable[str]:
    """Backends to try, those the user named first; a simulated feature has simulated reviewers."""
    settings = who.around.settings(who.row)
    played = names.is_played(settings.agent.backend)
    aliases = (names.AUTO, names.API, names.SCRIPTED)
    known = [one for one in names.NAMES if one not in aliases and names.is_played(one) is played]
    return dict.fromkeys((*_fallbacks(who), *known))


def _fallbacks(who: RoleInFeature) -> list[str]:
    settings = who.around.settings(who.row)
    played = names.is_played(settings.agent.backend)
    found: list[str] = []
    for name in settings.agent.fallback:
        try:
            settled = who.settled(name)
        except ConfigError:
            continue
        if names.is_played(settled) is played:
            found.append(settled)
    return found


def _taken_over(who: RoleInFeature, named: RoleBackend, avoided: RoleBackend | None) -> RoleBackend:
    """If a backend is out for now, the next one that is not; itself if there is none."""
    settings = who.around.settings(who.row)
    if not settings.agent.fallback or who.role.name in settings.roles.stay:
        return named
    out = who.outage(named.name)
    if out is None:
        return named
    for name in _fallbacks(who):
        found = who.on(name, f"{out.words}; agent.fallback names {name}")
        allowed = name != named.name and (avoided is None or _differs(found, avoided))
        if allowed and who.outage(name) is None and who.ready(name):
            return found
    return named
