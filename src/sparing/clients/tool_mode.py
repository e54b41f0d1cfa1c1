"""Whose tools agents get, according to the settings."""

from __future__ import annotations

from sparing.config.settings import Settings
from sparing.dispatch_policy import Policy
from sparing.tool import ToolMode


def mode_of(settings: Settings) -> ToolMode:
    """The tool mode; policies that savings are compared with keep the client's tools."""
    adaptive = settings.review.policy is Policy.ADAPTIVE
    return settings.economy.tools if adaptive else ToolMode.CLIENT
