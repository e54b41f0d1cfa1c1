"""Making a worktree usable: what a set-up would run, who agreed to it, running it."""
