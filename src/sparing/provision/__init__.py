"""Makes a worktree ready to work in: its set-up, where packages may come from, files it is lent."""
