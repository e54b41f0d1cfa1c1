"""A server of one's own: what is missing is said, and what is said helps. Covers: G5, A3."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.clients.backends import make_backend
from sparing.config.load import load
from sparing.config.sources import Sources
from sparing.errors import ConfigError
from sparing.records.folder import StateFolder


def complaint(home: Path, **settings: object) -> ConfigError:
    flags = {"agent.backend": "api-server", **settings}
    loaded = load(Sources(environ={"HOME": str(home)}), flags)
    with pytest.raises(ConfigError) as told:
        make_backend(loaded, StateFolder(home))
    return told.value


def test_a_server_is_named_by_what_is_said(tmp_path: Path) -> None:
    """A3: each hint sets the setting that was missing; the next complaint is another one."""
    first = complaint(tmp_path)
    assert (first.what, "config set models.backends" in first.repair) == (
        "the models of your server are not set",
        True,
    )
    models = ("api-server.standard qwen3-coder",)
    second = complaint(tmp_path, **{"models.backends": models})
    assert "not installed" in second.what or "no server is set" in second.what
