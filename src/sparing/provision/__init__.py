"""Makes a worktree ready to work in: its set-up, sources of packages, files it is lent."""
