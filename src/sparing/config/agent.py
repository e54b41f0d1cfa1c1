"""Which coding agent does the work, how it is logged in, and how long it may take."""

from __future__ import annotations

from enum import StrEnum

from sparing import backend_name
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
from sparing.config.value_forms import Lines, Names, OneOf, Whole
from sparing.lazy_dataclass import lazy_dataclass
from sparing.money import Billing


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
            "Which coding agent is used; `auto` takes one that is installed and logged in, Claude "
            "Code before Codex, or else a provider whose key is set, as `api` does.",
            SettingScope.USER,
        ),
    )
    fallback: tuple[str, ...] = setting(
        (),
        Rule(
            Names(tuple(one for one in backend_name.NAMES if one != backend_name.AUTO)),
            "Which agents take over, in this order, where the quota of one is used up, its login "
            "is gone or it has failed twice: `codex, api`. Empty: work waits for the reset. A "
            "role of your choice stays: `roles.stay`.",
            SettingScope.USER,
        ),
    )
    login: LoginName = setting(
        LoginName.AUTO,
        Rule(
            OneOf(LoginName),
            "How Claude Code is logged in: `api-key` (ANTHROPIC_API_KEY), `token` "
            "(CLAUDE_CODE_OAUTH_TOKEN), `own` (as you are, in `~/.claude`); `auto`: the first.",
            SettingScope.USER,
        ),
    )
    client: ClientKind = setting(
        ClientKind.LEAN,
        Rule(
            OneOf(ClientKind),
            "How Claude Code is started: `lean` with our system prompt and a role's few tools, "
            '`stock` as installed, to compare with. `stock` needs `review.policy = "naive"`.',
            SettingScope.USER,
        ),
    )
    server: str = setting(
        "",
        Rule(
            ADDRESS,
            "The address of a server of your own that speaks OpenAI's format (vLLM, Ollama, LM "
            "Studio), for the backend `api-server`: http on this machine, https elsewhere.",
            SettingScope.USER,
        ),
    )
    acp_command: tuple[str, ...] = setting(
        (),
        Rule(
            Lines('a list of words such as "goose", "acp"', r"[^\s,][^,\n]{0,200}"),
            "The command of another agent that speaks the Agent Client Protocol, for the backend "
            "`acp`: a program and what it is given.",
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
            "Variables that it is started with. `{address}` is where it finds its model, `{key}` "
            "what it gives for a key there, `{model}` the model and `{home}` a folder of its own.",
            SettingScope.USER,
        ),
    )
    billing: Billing = setting(
        Billing.API,
        Rule(
            OneOf(Billing),
            "How the agent's login is paid: `api` by the token, `subscription` at a fixed price. "
            "With a subscription figures say API-equivalent and only caps on tokens count.",
            SettingScope.USER,
        ),
    )
    script: str = setting(
        "", Rule(OWN_PATH, "The TOML file that the `scripted` backend plays.", SettingScope.USER)
    )
    cassette: str = setting(
        "",
        Rule(
            OWN_PATH,
            "The recorded run that answers in place of an agent; `sparing replay` sets it.",
            SettingScope.RUN,
        ),
    )
    double: DoubledAgent = setting(
        DoubledAgent.SCRIPT,
        Rule(
            OneOf(DoubledAgent),
            "How the model behind `claude-double` works: `script` plays the script; `light`, "
            "`typical` and `heavy` work like real agents, for measurements.",
            SettingScope.USER,
        ),
    )
    double_seed: int = setting(
        1, Rule(Whole(0, 1_000_000), "What such an agent's work is drawn from.", SettingScope.USER)
    )
    double_trust: int = setting(
        50, Rule(Whole(0, 100), "Percent of quoted files that it doesn't open.", SettingScope.USER)
    )
    double_files: int = setting(
        4,
        Rule(Whole(1, 20), "Files it asks for in one call of Sparing's tools.", SettingScope.USER),
    )
    limit_seconds: int = setting(1800, limit(DAY, "How long one dispatch may take."))
    max_turns: int = setting(60, limit(1000, "How many turns an agent has in one dispatch."))
    concurrency: int = setting(4, limit(64, "How many agents work at the same time."))
