"""A desk in a user's repository."""

from __future__ import annotations

import pytest

from sparing.desk.office import Office, open_office
from tests.conftest import UserRepository


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())
