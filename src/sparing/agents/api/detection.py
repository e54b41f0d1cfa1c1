"""Which provider can be used on this machine: the library is installed, and a key is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

from sparing import backend_name as names
from sparing.agents.api.backend import ApiBackend
from sparing.agents.api.options import ApiSetup, ConversationStore
from sparing.agents.api.providers import PROVIDERS, FoundKey, Provider, find_key
from sparing.errors import ConfigError
from sparing.installation import add_command

LIBRARY = "pydantic-ai-slim"
FOLDER = "api"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class ApiPlace:
    """The surroundings of a provider's turns here."""

    folder: Path
    environ: Mapping[str, str]
    store: ConversationStore
    max_turns: int
    server: str = ""
    """The address of the user's own model server."""


def api_backend(backend: str, place: ApiPlace) -> ApiBackend:
    provider = PROVIDERS[backend]
    return ApiBackend(
        ApiSetup(
            provider=provider,
            version=library_here(),
            folder=place.folder / FOLDER,
            store=place.store,
            key=key_here(provider, place.environ),
            base_url=address_of(provider, place.environ, place.server),
            limit_requests=place.max_turns,
            upstream=place.environ.get("HTTPS_PROXY") or place.environ.get("https_proxy", ""),
        )
    )


def library_here() -> str:
    """The library's version, found without loading it."""
    try:
        return version(LIBRARY)
    except PackageNotFoundError:
        raise ConfigError(
            "the provider library is not installed", f"install it: {add_command('api')}"
        ) from None


def key_here(provider: Provider, environ: Mapping[str, str]) -> FoundKey:
    found = find_key(provider, environ)
    if found is None:
        raise ConfigError(
            f"no API key for {provider.vendor} is set", f"set {' or '.join(provider.keys)}"
        )
    return found


def address_of(provider: Provider, environ: Mapping[str, str], server: str) -> str:
    if provider.address_variable:
        return environ.get(provider.address_variable, "")
    if not server:
        raise ConfigError(
            "no server is set",
            "set it: sparing config set agent.server http://127.0.0.1:11434/v1",
        )
    address = urlsplit(server)
    if address.scheme == "http" and address.hostname not in LOOPBACK:
        raise ConfigError(
            f"{address.hostname} is not this machine, and http is not encrypted",
            "use an https address, or one on 127.0.0.1: sparing config set agent.server ADDRESS",
        )
    return server


def first_provider(environ: Mapping[str, str], server: str) -> str:
    """The backend that `api` means: the first in the list whose key is set."""
    library_here()
    for backend, provider in PROVIDERS.items():
        if provider.needs_key and find_key(provider, environ) is not None:
            return backend
    if server:
        return names.API_SERVER
    keys = ", ".join(one.keys[0] for one in PROVIDERS.values() if one.needs_key)
    raise ConfigError("no provider's key is set", f"set one of {keys}")
