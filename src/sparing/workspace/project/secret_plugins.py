"""What detect-secrets knows of vendors' formats beyond our own rules: a second opinion.

Its plugins are asked directly. Its own scan is left alone: a comment in the file that is scanned
switches that off, it keeps its settings in a global, and it may call vendors to verify. Most of
its plugins are left out too: what they find our rules find, in linear time, and without taking
ordinary words, code or test databases for secrets.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Protocol, cast

PLUGINS = {
    "cloudant": "CloudantDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "npm": "NpmDetector",
    "softlayer": "SoftlayerDetector",
}


class Plugin(Protocol):
    secret_type: str
    analyze_string: Callable[[str], Iterator[str]]


@lru_cache(maxsize=1)
def plugins() -> tuple[Plugin, ...]:
    """None where detect-secrets is not installed."""
    if importlib.util.find_spec("detect_secrets") is None:
        return ()
    found: list[Plugin] = []
    for module, name in PLUGINS.items():
        loaded = importlib.import_module(f"detect_secrets.plugins.{module}")
        found.append(cast("Plugin", getattr(loaded, name)()))
    return tuple(found)
