"""Which coding agent does the work, how it is logged in, and how long it may take."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from sparing import backend_name
from sparing.backend_name import BackendLimit
from sparing.config.rules import (
    ADDRESS,
    DAY,
    OWN_PATH,
    Rule,
    SettingScope,
    limit,
    setting,
)
from sparing.config.spending import ClientKind, LoginName
from sparing.config.table_forms import CountTable
from sparing.config.value_forms import Lines, Names, OneOf, Whole
from sparing.lazy_dataclass import lazy_dataclass
from sparing.money import Billing

LIMITED = tuple(
    one for one in backend_name.NAMES if one not in (backend_name.AUTO, backend_name.API)
)
"""Agents under the names that the ledger has: `auto` and `api` stand for one of them."""


class DoubledAgent(StrEnum):
    """How the model double works behind a real client."""

    SCRIPT = "script"
    LIGHT = "light"
    TYPICAL = "typical"
    HEAVY = "heavy"


@lazy_dataclass
class AgentSettings:
    backend: str = setting(
        backend_name.AUTO,
        Rule(
            OneOf(backend_name.NAMES),
            "Which coding agent is used; `auto` takes one that is installed and logged in, "
            "Claude Code before Codex, otherwise a provider whose key is set, as `api` does.",
            SettingScope.USER,
        ),
    )
    fallback: tuple[str, ...] = setting(
        (),
        Rule(
            Names(tuple(one for one in backend_name.NAMES if one != backend_name.AUTO)),
            "Which agents take over, in this order, when an agent's quota is used up, its login "
            "is gone or it has failed twice: `codex, api`. Empty: work waits for the reset. "
            "`roles.stay` lists roles that never move.",
            SettingScope.USER,
        ),
    )
    login: LoginName = setting(
        LoginName.AUTO,
        Rule(
            OneOf(LoginName),
            "How Claude Code is logged in: `api-key` (ANTHROPIC_API_KEY), `token` "
            "(CLAUDE_CODE_OAUTH_TOKEN), `own` (your own login in `~/.claude`); `auto`: the first "
            "of these that is there.",
            SettingScope.USER,
        ),
    )
    client: ClientKind = setting(
        ClientKind.LEAN,
        Rule(
            OneOf(ClientKind),
            "How Claude Code is started: `lean` with Sparing's system prompt and the few tools "
            "of a role, `stock` as installed, for comparison. `stock` needs `review.policy = "
            '"naive"`.',
            SettingScope.USER,
        ),
    )
    server: str = setting(
        "",
        Rule(
            ADDRESS,
            "The address of your own server with an OpenAI-compatible API (vLLM, Ollama, LM "
            "Studio), for the backend `api-server`: http on this machine, https elsewhere.",
            SettingScope.USER,
        ),
    )
    acp_command: tuple[str, ...] = setting(
        (),
        Rule(
            Lines('a list of words such as "goose", "acp"', r"[^\s,][^,\n]{0,200}"),
            "The command of another agent that speaks the Agent Client Protocol, for the backend "
            "`acp`: a program and its arguments.",
            SettingScope.USER,
        ),
    )
    acp_environment: tuple[str, ...] = setting(
        (),
        Rule(
            Lines(
                'a list of lines such as "OPENAI_BASE_URL={address}"',
                r"[A-Za-z_][A-Za-z0-9_]{0,80}=[^,\n]{0,400}",
            ),
            "Environment variables for `agent.acp_command`. `{address}` is the address of its "
            "model, `{key}` the key to use there, `{model}` the model and `{home}` its own "
            "folder.",
            SettingScope.USER,
        ),
    )
    billing: Billing = setting(
        Billing.API,
        Rule(
            OneOf(Billing),
            "How the agent's login is billed: `api` by the token, `subscription` at a fixed "
            "price. With a subscription, figures are called API-equivalent and only token caps "
            "count.",
            SettingScope.USER,
        ),
    )
    script: str = setting(
        "", Rule(OWN_PATH, "The TOML file that the `scripted` backend follows.", SettingScope.USER)
    )
    cassette: str = setting(
        "",
        Rule(
            OWN_PATH,
            "The recorded run that replaces the agent; `sparing replay` sets it.",
            SettingScope.RUN,
        ),
    )
    double: DoubledAgent = setting(
        DoubledAgent.SCRIPT,
        Rule(
            OneOf(DoubledAgent),
            "How the model behind `claude-double` works: `script` follows the script; `light`, "
            "`typical` and `heavy` work like real agents, for measurements.",
            SettingScope.USER,
        ),
    )
    double_seed: int = setting(
        1,
        Rule(
            Whole(0, 1_000_000),
            "The random seed for what the model behind `claude-double` does.",
            SettingScope.USER,
        ),
    )
    double_trust: int = setting(
        50,
        Rule(
            Whole(0, 100),
            "The share, in percent, of the files quoted in its prompt that the model behind "
            "`claude-double` does not open.",
            SettingScope.USER,
        ),
    )
    double_files: int = setting(
        4,
        Rule(
            Whole(1, 20),
            "How many files the model behind `claude-double` opens per call of Sparing's tools.",
            SettingScope.USER,
        ),
    )
    limit_seconds: int = setting(1800, limit(DAY, "How long one turn may take, in seconds."))
    max_turns: int = setting(60, limit(1000, "How many model calls an agent may make in one turn."))
    concurrency: int = setting(4, limit(64, "How many agents work at the same time."))
    at_once: tuple[str, ...] = setting(
        (),
        Rule(
            CountTable(LIMITED, 1, 1000),
            "How many turns of an agent run at the same time, in all your repositories or, with "
            "a shared database, on all its workers: `claude = 4` under `[agent.at_once]`. More "
            "turns of that agent wait; those of others don't.",
            SettingScope.USER,
        ),
    )
    per_minute: tuple[str, ...] = setting(
        (),
        Rule(
            CountTable(LIMITED, 1, 100_000),
            "How many turns of an agent begin within any minute, counted like `agent.at_once`: "
            "`claude = 30` under `[agent.per_minute]`.",
            SettingScope.USER,
        ),
    )

    @property
    def limits(self) -> tuple[BackendLimit, ...]:
        """Agents with a limit of their own."""
        at_once, per_minute = _numbers(self.at_once), _numbers(self.per_minute)
        names = dict.fromkeys((*at_once, *per_minute))
        return tuple(BackendLimit(n, at_once.get(n, 0), per_minute.get(n, 0)) for n in names)


def _numbers(lines: Iterable[str]) -> dict[str, int]:
    return {name: int(number) for name, _, number in (line.partition(" ") for line in lines)}
