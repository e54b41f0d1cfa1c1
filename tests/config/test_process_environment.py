"""Which values of the environment are secrets of a run. Covers: H5."""

from __future__ import annotations

import pytest

from sparing.config.process_environment import known_secrets


def test_values_with_telling_names_are_secret_plain_words_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """H5: a word that stands in any code must not stop every commit."""
    secret = {"MY_API_KEY": "k1-" + "abcdef77", "DB_PASSWORD": "correct-horse-battery"}
    plain = {
        "AUTH_METHOD": "password",
        "COOKIE_DOMAIN": "development",
        "AUTH_URL": "http://localhost:3000",
        "SSH_AUTH_SOCK": "/tmp/agent.1",
        "EDITOR_NAME": "k1-other99",
    }
    for name, value in {**secret, **plain}.items():
        monkeypatch.setenv(name, value)
    assert set(secret.values()) <= set(known_secrets())
    assert set(plain.values()).isdisjoint(known_secrets())
