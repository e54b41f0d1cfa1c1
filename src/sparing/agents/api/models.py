"""A provider's model as an object of the library, and the settings of a turn with it.

If a provider has cache marks, there are four: where the tools end, where the system prompt ends,
the caller's own, and the end of the conversation, which moves. The caller's may live for an hour,
and then what precedes it does too; the last one lives for five minutes.
"""

from __future__ import annotations

import importlib
from typing import Any

from sparing.codec import JsonObject

CONNECT_SECONDS, READ_SECONDS = 10.0, 600.0
PING_TOKENS = 64
NO_KEY = "none"


def model_of(order: JsonObject) -> Any:
    """Make the model's object; the network is not used yet."""
    httpx: Any = importlib.import_module("httpx2")
    patience = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    client = httpx.AsyncClient(headers=order["headers"], timeout=patience)
    provider, name = order["provider"], order["model"]
    given = {"api_key": order["key"] or NO_KEY, "http_client": client}
    if order["base_url"]:
        given["base_url"] = order["base_url"]
    if provider == "anthropic":
        made = _from("providers.anthropic").AnthropicProvider(**given)
        return _from("models.anthropic").AnthropicModel(name, provider=made)
    if provider == "google":
        made = _from("providers.google").GoogleProvider(**given)
        return _from("models.google").GoogleModel(name, provider=made)
    made = _from("providers.openai").OpenAIProvider(**given)
    models = _from("models.openai")
    kind = models.OpenAIResponsesModel if provider == "openai" else models.OpenAIChatModel
    return kind(name, provider=made)


def settings_of(order: JsonObject) -> dict[str, object]:
    found: dict[str, object] = {"max_retries": order["retries"]}
    most = PING_TOKENS if order["ping"] else order["answer_tokens"]
    if most is not None:
        found["max_tokens"] = most
    match order["provider"]:
        case "anthropic":
            found["anthropic_cache_tool_definitions"] = order["life"]
            found["anthropic_cache_instructions"] = order["life"]
            found["anthropic_cache_messages"] = "5m"
        case "openai":
            found["openai_store"] = False
            found["openai_prompt_cache_key"] = order["cache_key"]
        case _:
            pass
    return found


def _from(module: str) -> Any:
    return importlib.import_module(f"pydantic_ai.{module}")
