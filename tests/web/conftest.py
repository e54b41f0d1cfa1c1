"""A page in a user's repository."""

from __future__ import annotations

import pytest

from sparing.desk.office import Office, open_office
from tests.conftest import UserRepository
from tests.web.asking import Door, door_of


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())


@pytest.fixture
def door(office: Office) -> Door:
    return door_of(office)
