"""Our environment: what processes we start may inherit, and which values stay secret.

The first is where programs are, and the language. The second are values of which the names say
that they are secret: they are taken out of all that is written, and no commit may hold one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from sparing.redact import secret_values

LONGEST_WORD = 14
KEPT = ("PATH", "VIRTUAL_ENV", "LANG")

OUTWARD = (
    *(*KEPT, "HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND"),
    *("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
    *("GH_HOST", "GH_CONFIG_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "no_proxy"),
)
"""What a push and a pull request need: the user's own logins. Agents and checks never see it."""

GIT = (
    *("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    *("PATH", "GNUPGHOME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "GPG_TTY"),
)
"""Where the user's own git settings are (identity, global ignores), and what the program needs
that signs their commits."""

CLIENT = (
    *("PATH", "HOME", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME"),
    *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "API_SERVER_KEY"),
    *("ANTHROPIC_BASE_URL", "HTTPS_PROXY", "https_proxy"),
)
"""What we must know to start an agent's client with its login and a way out."""


PACKAGES = (
    *("PATH", "HOME", "XDG_CONFIG_HOME", "CARGO_HOME", "NETRC", "NPM_TOKEN", "NODE_AUTH_TOKEN"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT"),
    *("PIP_TRUSTED_HOST", "PIP_CLIENT_CERT", "PIP_CONFIG_FILE", "PIP_DEFAULT_TIMEOUT"),
    *("GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOFLAGS"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("HTTPS_PROXY", "https_proxy"),
)
PACKAGES_BEGIN = (
    *(
        "UV_INDEX",
        "UV_DEFAULT_INDEX",
        "UV_EXTRA_INDEX",
        "UV_FIND_LINKS",
        "NPM_CONFIG_",
        "npm_config_",
    ),
    *("POETRY_HTTP_BASIC_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_", "BUNDLE_MIRROR__"),
)
"""Where the user's package managers load from, with which login."""


def package_environment() -> Mapping[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if value and (name in PACKAGES or name.startswith(PACKAGES_BEGIN))
    }


def inherited_environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in KEPT if name in os.environ}


def network_environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in OUTWARD if name in os.environ}


def git_environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in GIT if name in os.environ}


def client_environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in CLIENT if os.environ.get(name)}


def lent_environment(names: Iterable[str]) -> dict[str, str]:
    """Variables that a person has agreed to give away, as far as they are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


def known_secrets() -> tuple[str, ...]:
    return tuple(value for value in secret_values(os.environ) if not _is_plain(value))


def _is_plain(value: str) -> bool:
    """Whether it is a plain word or a local address, as in AUTH_METHOD=password, common in any
    code."""
    local = ("http://localhost", "https://localhost", "http://127.0.0.1", "localhost:")
    return value.startswith(local) or (value.isalpha() and len(value) <= LONGEST_WORD)
