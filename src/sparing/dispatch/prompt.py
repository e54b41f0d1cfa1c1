"""From a brief to a prepared prompt: the way is chosen, and the words are kept with the choice."""

from __future__ import annotations

from dataclasses import replace

from sparing.agents.backend import Access
from sparing.briefing.compared_policies import base_digest
from sparing.briefing.trunk_group import (
    access_of,
    client_of,
    order_of,
    referenced,
    roles_apart,
    shows_writing,
    system_of,
    trunk_key,
)
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.compose import naive, plain_system, role_words
from sparing.dispatch.alternatives import session_front
from sparing.dispatch.way_choice import Chosen, choose_way
from sparing.dispatch_policy import Way
from sparing.records.folder import keep_prompt
from sparing.runtime.source import Source
from sparing.runtime.turn_model import SHARED, model_of, on_models
from sparing.segment import Segment, Volatility, estimate_tokens
from sparing.sent import NaivePrompt, Sent, SentAhead


def choose(source: Source, brief: Brief, at: float, error: str = "") -> Chosen:
    """`error` says why the session could not be resumed a moment ago."""
    return choose_way(source, brief, trunk_key(source, brief, client_of(source)), at, error)


def with_model(source: Source, brief: Brief, at: float, error: str) -> tuple[Source, Chosen]:
    """On the model of those who share its prefix, unless its own is cheaper."""
    own, *others = ((one, choose(one, brief, at, error)) for one in on_models(source))
    shared = min(others, key=lambda way: way[1].decision.shared_cost, default=own)
    return shared if shared[1].decision.shared_cost < own[1].decision.cost else own


def seal(source: Source, brief: Brief, chosen: Chosen, ahead: SentAhead | None = None) -> Sent:
    decision, segments = chosen.decision, chosen.composed.segments
    resume = source.session.id if decision.way is Way.RESUME and source.session else ""
    system = _system(source, chosen)
    return Sent(
        prompt=keep_prompt(source.around.folder, segments),
        chars=sum(len(segment.text) for segment in segments),
        way=decision.way,
        reason=decision.reason + (SHARED if source.on_model else ""),
        resume=resume,
        model=source.session.model if resume and source.session else model_of(source),
        naive=_naive(source, brief, _own_system(source, chosen)),
        order=order_of(source),
        trunk=(chosen.inputs.offers[decision.way].base or chosen.inputs.base).key,
        reads=referenced(chosen.brief, chosen.composed),
        warnings=(*brief.warnings, *_unknown(chosen)),
        choice=replace(chosen.record, system=system, agent=source.agent.why),
        life=chosen.life,
        system=system,
        ahead=ahead,
        backend=source.agent.name,
    )


def _system(source: Source, chosen: Chosen) -> str:
    """The system prompt if not the neutral one: the role's own, or the resumed session's."""
    match chosen.decision.way:
        case Way.PLAIN:
            return source.around.folder.keep(plain_system(chosen.brief))
        case Way.RESUME:
            return session_front(source).system
        case _:
            return ""


def _own_system(source: Source, chosen: Chosen) -> int:
    """Tokens by which the system prompt of the plain way is longer than the neutral one."""
    if chosen.decision.way is not Way.PLAIN:
        return 0
    return estimate_tokens(plain_system(chosen.brief)) - estimate_tokens(system_of(source))


def _naive(source: Source, brief: Brief, own_system: int) -> NaivePrompt:
    prompt, words = naive(brief), Segment("role", role_words(brief), Volatility.ROLE)
    writes = shows_writing(source.role, source.job.turn)
    key = replace(trunk_key(source, brief, client_of(source)), system="")
    able = source.backend.capabilities
    sent = able.base_of(writes=writes, model=model_of(source), access=access_of(source))
    tools = base_digest(key, Access.WORKTREE if writes else Access.READ_ONLY)
    return NaivePrompt(
        prompt=(prompt.digest, prompt.tokens),
        role=(words.digest, words.tokens),
        tools=(tools, able.client_base_of(writes=writes)),
        before=sent + estimate_tokens(system_of(source)),
        sent_tools=sent,
        roles=roles_apart(source, brief) if len(source.roles) > 1 else None,
        own_system=own_system,
    )


def _unknown(chosen: Chosen) -> tuple[str, ...]:
    return tuple(f"the prompt lacks a line: {line}" for line in chosen.recall.missing)
