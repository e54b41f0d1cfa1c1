"""Values that settings take, for every one whose kind does not say them all."""

from __future__ import annotations

SAMPLES = {
    "state.folder": ("/var/state", "~/state", ""),
    "agent.server": ("http://127.0.0.1:11434/v1", "https://models.example/v1", ""),
    "state.database": ("postgresql://ada@db.example/sparing", "postgresql:///sparing", ""),
    "state.remote": ("origin", "team-work", ""),
    "state.person": ("ada", "Ada L.", ""),
    "agent.script": ("/demo.toml", "~/demo.toml"),
    "agent.cassette": ("/run.cassette", "~/run.cassette"),
    "workspace.root": ("packages/api", "apps/größe", ""),
    "workspace.base_branch": ("main", "release/1.2", "größe"),
    "engine.crash_at": ("commit.after", "x"),
    "commits.subject": ("plain", "[{type}] {words}"),
    "commits.trailer": ("", "Co-authored-by: {agent} <agent@example.com>"),
}
LINES = {
    "agent.acp_command": ("goose", "acp", "--stdio"),
    "agent.acp_environment": ("OPENAI_BASE_URL={address}", "OPENAI_API_KEY={key}"),
    "workspace.setup": ("auto", "pip install -e .[dev,test]", "npm ci"),
    "workspace.commands": ("npm test", "./scripts/verify --all | tee out"),
    "workspace.setup_hosts": ("packages.example", "git.example:8443", "*"),
    "workspace.services": ("127.0.0.1:5432", "localhost:6379", "[::1]:80"),
    "workspace.lend_env": ("DATABASE_URL", "_x1"),
    "workspace.sparse_folders": ("packages/shared", "apps/größe"),
    "workspace.copy": (".env", "config/*.local", "**/.env.test"),
    "models.prices": ("my-model 3 15 0.30 3.75 6", "vendor/other 1 2 0 1 1"),
    "models.roles": ("security-reviewer strong", "prd-author vendor/model:1[1m]"),
    "roles.backends": ("security-reviewer codex", "prd-author api-openai"),
    "roles.stay": ("security-reviewer", "prd-author"),
    "models.windows": ("my-model 200000", "vendor/other 1000000"),
    "models.backends": ("codex.strong gpt-x", "claude.cheap claude-y"),
}
DEFAULT_SAMPLES = ("claude-x", "vendor/model:1[1m]")
