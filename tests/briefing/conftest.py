"""One sample feature for all tests of words; nothing writes to it."""

from __future__ import annotations

import pytest

from tests.briefing.cases import Prompt, prompts
from tests.briefing.sample import Sample, make_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def rendered(sample: Sample) -> dict[str, Prompt]:
    """Every prompt by its name."""
    return {prompt.name: prompt for prompt in prompts(sample)}
