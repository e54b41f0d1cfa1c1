"""The three ways in which a reviewer on trial is asked about one case."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from sparing.context.prompt.brief import Brief
from sparing.dispatch_policy import Order, Way
from sparing.review.exam import Case
from sparing.runtime.source import Source
from sparing.segment import Segment


class Arm(StrEnum):
    """How the prompt is sent to a reviewer."""

    SEED = "seed"
    NESTED = "nested"
    RESUME = "resume"


class Ask(NamedTuple):
    arm: Arm
    case: Case


class Told(NamedTuple):
    source: Source
    brief: Brief
    prompt: tuple[Segment, ...]


def way_of(arm: Arm) -> tuple[Way, Order]:
    """How the prompt of a first review is sent."""
    return (Way.REFERENCE, Order.SEED) if arm is Arm.SEED else (Way.COMPOSE, Order.NESTED)
