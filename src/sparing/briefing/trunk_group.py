"""Which trunk a dispatch shares: its order, system prompt, model and client.

The words that tell a role who it is: its own, and in a tier those of the stage.

The schema a turn's reply must follow, where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, assert_never

from sparing.agents.backend import Access
from sparing.clients.web_search import WEB
from sparing.context.documents import research
from sparing.context.prompt import turn_words
from sparing.context.prompt.brief import Brief, Material, PromptRole, TurnSubject
from sparing.context.prompt.compose import Composed, role_words
from sparing.context.prompt.inclusion import defuse
from sparing.context.prompt.shorten import (
    REPORT,
    compact,
    unsigned,
    without_boilerplate,
    without_section,
)
from sparing.dispatch_policy import Lever, Order, Policy
from sparing.economy.levers import switched_on
from sparing.flow import project
from sparing.flow.flows import TIERS
from sparing.flow.stage import StageWork
from sparing.knowledge import retro
from sparing.prompts.render import fill, words
from sparing.review import verdict
from sparing.review.panel import PANEL_SCHEMA
from sparing.roles.load import SHIPPED, Role
from sparing.runtime.source import Source
from sparing.runtime.turn_model import model_of
from sparing.segment import Segment, TrunkKey, Volatility
from sparing.sent import CACHE_LIFE, NamedSize
from sparing.turn import TURNS, Turn
from sparing.turn_kind import KINDS, ReplyForm, TurnKind

RUN = "run"
"""The tool of a role that is a shell."""


class PromptClient(NamedTuple):
    """Properties of the backend that a prompt depends on."""

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
    return turn_words.system(source.role.role_class.value, together=together)


def shows_writing(role: Role, turn: Turn) -> bool:
    """Whether a client lists the tools that write. Outlines are only said, but the phase that
    follows them reads their prompt from the cache, which begins with the tools."""
    return role.role_class.writes and (TURNS[turn].writes or turn is Turn.OUTLINE)


def access_of(source: Source, client: PromptClient | None = None) -> Access:
    """Which tools are listed in this turn. A shell is for code, but one of ours costs next to
    nothing, and the stages of a tier, which follow each other, read the same tools from the cache.
    The program makes the commits: a shell need not say how to."""
    if not shows_writing(source.role, source.job.turn):
        return Access.NOTHING if source.role.tools == (WEB,) else Access.READ_ONLY
    codes = RUN in source.role.tools and source.stage.work is not StageWork.DOCUMENT
    told = client or client_of(source)
    lean = Lever.LEAN_TOOLS in switched_on(source.around.settings(source.row).economy.levers)
    spared = lean and policy_of(source) is Policy.ADAPTIVE and told.chooses_tools and not told.own
    if not spared:
        return Access.WORKTREE
    return Access.LEAN_SHELL if codes or is_tier(source) else Access.NO_SHELL


def client_of(source: Source) -> PromptClient:
    backend = source.backend
    version = str(getattr(backend, "version", ""))
    writes = source.role.role_class.writes
    own = backend.capabilities.own_tools(writes=writes, model=model_of(source))
    can = backend.capabilities
    return PromptClient(backend.name, version, can.marks, own, bool(can.no_shell_tokens))


def trunk_key(source: Source, brief: Brief, client: PromptClient) -> TrunkKey:
    role = source.role
    formed = KINDS[brief.asked.kind].formed and brief.schema is not None
    access = access_of(source, client)
    tools = tuple(one for one in role.tools if one != RUN or access is not Access.NO_SHELL)
    tools = (*tools, access.value) if access is Access.LEAN_SHELL else tools
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


SETTLES = frozenset(
    {Turn.REVISE, Turn.REDO, Turn.REPAIR_CHECKS, Turn.MEND, Turn.ANSWER, Turn.RESOLVE, Turn.REFINE}
)


def roles_text(roles: Sequence[Role], turn: Turn) -> str:
    """The text of several roles asked in one turn: how they work together, then each one's own."""
    told = [role_text(one, turn) for one in roles]
    if len(roles) == 1:
        return told[0]
    first, second = roles
    return "\n".join((fill("blocks", "panel", first=first.name, second=second.name), *told))


def roles_apart(source: Source, brief: Brief) -> tuple[NamedSize, ...]:
    """Of reviewers who look in one turn: what tells each of them alone who it is."""
    texts = (role_text(one, source.job.turn) for one in source.roles)
    briefs = (replace(brief, role=replace(brief.role, text=text)) for text in texts)
    told = (Segment("role", role_words(one), Volatility.ROLE) for one in briefs)
    return tuple((one.digest, one.tokens) for one in told)


def role_text(role: Role, turn: Turn) -> str:
    """A role's text; one that did not ship with us loses what wastes tokens or could open a
    wrapper. In a turn that defines its own ending of the reply, the role's is removed."""
    text = without_section(role.text, REPORT) if turn in SETTLES else role.text
    if role.origin == SHIPPED:
        return text
    return defuse(unsigned(without_boilerplate(text)))


def is_tier(source: Source) -> bool:
    return source.row.feature.flow in TIERS


def stage_texts(source: Source) -> tuple[Material, ...]:
    """In a tier the stage's text and its guide say what the role does."""
    if not is_tier(source):
        return ()
    return tuple(Material(kind, words(f"{kind}s", source.job.stage)) for kind in ("stage", "skill"))


def form_of(turn: Turn, *, panel: bool = False) -> Mapping[str, Any] | None:
    """The schema; None for a turn answered in prose. `panel`: reviewers who share a turn."""
    form = TURNS[turn].form
    match form:
        case ReplyForm.VERDICT:
            return PANEL_SCHEMA if panel else verdict.SCHEMA
        case ReplyForm.FINDINGS:
            return research.SCHEMA
        case ReplyForm.PROPOSAL:
            return project.SCHEMA
        case ReplyForm.RETRO:
            return retro.SCHEMA
        case ReplyForm.TEXT | ReplyForm.HANDOFF:
            return None
    assert_never(form)
