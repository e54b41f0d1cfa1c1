"""Settings for reviews: how long they last, by which rule, and who reviews together."""

from __future__ import annotations

from enum import StrEnum

from sparing.config.rules import Rule, SettingScope, limit, setting
from sparing.config.value_forms import OneOf, ThreeWay
from sparing.dispatch_policy import Policy
from sparing.finding import Bar
from sparing.lazy_dataclass import lazy_dataclass
from sparing.panel import PanelMode


class OtherVendor(StrEnum):
    """Whether reviewers come from a vendor other than the author."""

    OFF = "false"
    ON = "true"
    PREFER = "prefer"


DEFAULT_CAP = 3
SEED_CAP = 5


@lazy_dataclass
class ReviewSettings:
    cap: int = setting(
        DEFAULT_CAP,
        limit(
            10,
            "The most iterations a review loop may take. Under `seed` the default is 5.",
        ),
    )
    policy: Policy = setting(
        Policy.ADAPTIVE,
        Rule(
            OneOf(Policy),
            "How prompts are sent: `adaptive`: whatever is predicted to be cheapest; `seed`: by "
            "the rules of the original workflow; `fresh`: Sparing's prompts, never a resumed "
            "session; `naive`, the baseline: the role as system prompt, all documents in full, "
            "always a new session.",
        ),
    )
    bar: Bar = setting(
        Bar.POLICY,
        Rule(
            OneOf(Bar),
            "Which findings keep a review from passing: `strict`: every blocker and warning "
            "until the cap; `rising`: repeated warnings count less each round, and the loop ends "
            "when nothing changes. `policy`: strict under `seed`, else rising.",
        ),
    )

    panel: PanelMode = setting(
        PanelMode.SEPARATE,
        Rule(
            OneOf(PanelMode),
            "Whether the two reviewers of a document work in one turn: `separate`: never; "
            "`merged`: always; `auto`: once the second has found nothing that the first missed "
            "in 30 reviews, with one loop in four still separate. Never under `seed` and "
            "`naive`, and never for code.",
        ),
    )

    other_vendor: OtherVendor = setting(
        OtherVendor.OFF,
        Rule(
            ThreeWay(OtherVendor),
            "Whether reviewers come from a different vendor than the author: `true` takes the "
            "first agent of another vendor that is installed and logged in, and refuses to run "
            "if there is none; `prefer` then reviews with the author's vendor.",
            SettingScope.USER,
        ),
    )

    @property
    def panels(self) -> PanelMode:
        """The mode that applies: policies for comparison always keep reviewers separate."""
        apart = self.policy in (Policy.SEED, Policy.NAIVE)
        return PanelMode.SEPARATE if apart else self.panel

    @property
    def strict(self) -> bool:
        """Whether the original's pass rule and cap decide."""
        named = {Bar.STRICT: True, Bar.RISING: False}
        return named.get(self.bar, self.policy is Policy.SEED)
