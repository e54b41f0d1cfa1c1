"""Which trunk a dispatch shares: its order, system prompt, model and client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, assert_never

from sparing.agents.backend import Access
from sparing.briefing.role_words import role_text, stage_texts
from sparing.config.flow import SessionPreference
from sparing.context.prompt import turns
from sparing.context.prompt.brief import Brief, PromptRole, TurnSubject
from sparing.context.prompt.compact import compact
from sparing.context.prompt.compose import Composed, role_words
from sparing.economy.levers import switched_on
from sparing.flow.flows import TIERS
from sparing.flow.stage import StageWork
from sparing.roles.load import Role
from sparing.runtime.source import Source
from sparing.runtime.web_search import WEB
from sparing.sent import CACHE_LIFE
from sparing.trunk import TrunkKey
from sparing.turn import TURNS, Turn
from sparing.turn_kind import KINDS, TurnKind
from sparing.way import Lever, Order, Policy

STANDARD, STRONG = "standard", "strong"
SEED_MODELS: Mapping[str | tuple[str, str], str] = {
    "task-reviewer": STANDARD,
    "phase-reviewer": STANDARD,
    "code-quality-reviewer": STANDARD,
    "readiness-reviewer": STANDARD,
    "builder": STRONG,
    ("judge", "code_review"): STANDARD,
}
"""The class of a role under `seed`, by the original's table, where it is another than ours."""
RUN = "run"
"""The tool of a role that is a shell."""


class PromptClient(NamedTuple):
    """What a prompt depends on of the backend that gets it."""

    name: str
    version: str
    marks: int
    own: str = ""
    """Which tools of ours it offers the roles of this class, if any."""
    chooses_tools: bool = False
    """Writers can be offered tools without a shell."""


def order_of(source: Source) -> Order:
    """The policies `seed` and `naive` have orders of their own; the others nest what is shared."""
    policy = policy_of(source)
    match policy:
        case Policy.SEED:
            return Order.SEED
        case Policy.NAIVE:
            return Order.NAIVE
        case Policy.FRESH:
            return Order.NESTED
        case Policy.ADAPTIVE:
            return Order.NESTED if _nests(source) else Order.SEED
    assert_never(policy)


def policy_of(source: Source) -> Policy:
    return source.around.settings(source.row).review.policy


def _nests(source: Source) -> bool:
    return Lever.TRUNK in switched_on(source.around.settings(source.row).economy.levers)


def system_of(source: Source) -> str:
    """The system prompt: neutral, so that roles of a class share it; naively, the role itself."""
    return _role_as_system(source) if policy_of(source) is Policy.NAIVE else neutral_system(source)


def _role_as_system(source: Source) -> str:
    role, asked = source.role, TurnSubject(TurnKind.ASSIST, source.job.stage)
    told = PromptRole(role.name, role_text(role, source.job.turn), tools=role.tools)
    return role_words(Brief(source.key, told, asked, stage_texts=stage_texts(source)))


def neutral_system(source: Source) -> str:
    """The system prompt of a role's class, as this feature has it."""
    settings = source.around.settings(source.row)
    adaptive = settings.review.policy is Policy.ADAPTIVE
    together = not adaptive or Lever.BATCH in switched_on(settings.economy.levers)
    return turns.system(source.role.role_class.value, together=together)


def shows_writing(role: Role, turn: Turn) -> bool:
    """Whether a client lists the tools that write. Outlines are only said, but the phase that
    follows them reads their prompt from the cache, which begins with the tools."""
    return role.role_class.writes and (TURNS[turn].writes or turn is Turn.OUTLINE)


def access_of(source: Source, client: PromptClient | None = None) -> Access:
    """Whose tools are listed in this turn. Who writes a document looks and writes; a shell is for
    code. One of ours costs next to nothing. A session keeps its tools: one that is to go on into
    code has a shell from its beginning."""
    if not shows_writing(source.role, source.job.turn):
        return Access.NOTHING if source.role.tools == (WEB,) else Access.READ_ONLY
    codes = RUN in source.role.tools and source.stage.work is not StageWork.DOCUMENT
    told = client or client_of(source)
    settings = source.around.settings(source.row)
    lean = Lever.LEAN_TOOLS in switched_on(settings.economy.levers)
    spared = lean and policy_of(source) is Policy.ADAPTIVE and told.chooses_tools and not told.own
    tier = source.row.feature.flow in TIERS
    goes_on = tier and settings.flow.continuity is SessionPreference.CONTINUE
    return Access.NO_SHELL if spared and not codes and not goes_on else Access.WORKTREE


def client_of(source: Source) -> PromptClient:
    backend = source.around.backend(source.row)
    version = str(getattr(backend, "version", ""))
    writes = source.role.role_class.writes
    own = backend.capabilities.own_tools(writes=writes, model=model_of(source))
    can = backend.capabilities
    return PromptClient(backend.name, version, can.marks, own, bool(can.no_shell_tokens))


def trunk_key(source: Source, brief: Brief, client: PromptClient) -> TrunkKey:
    role = source.role
    formed = KINDS[brief.asked.kind].formed and brief.schema is not None
    unused = {RUN} if access_of(source, client) is Access.NO_SHELL else set[str]()
    tools = tuple(one for one in role.tools if one not in unused)
    return TrunkKey(
        backend=client.name,
        version=client.version,
        model=model_of(source),
        tools=(*tools, client.own) if client.own else tools,
        system=system_of(source),
        schema=compact(brief.schema) if formed else "",
        life=CACHE_LIFE,
    )


def referenced(brief: Brief, composed: Composed) -> tuple[str, ...]:
    """The files that this prompt asks to read."""
    text = "".join(one.text for one in composed.segments if one.name == "references")
    listed = [*brief.full, *brief.documents, *([brief.subject] if brief.subject else [])]
    paths = (one.path for one in listed if one.text is not None and one.path)
    return tuple(dict.fromkeys(path for path in paths if f": {path}\n" in text))


def model_of(source: Source) -> str:
    settings, role = source.around.settings(source.row), source.role
    usual = role.model
    if settings.review.policy is Policy.SEED:
        usual = SEED_MODELS.get((role.name, source.job.stage), SEED_MODELS.get(role.name, usual))
    return settings.models.of(usual, settings.agent.backend.value, role.name)
