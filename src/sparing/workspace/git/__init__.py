"""The one git runner, and what is done with it: worktrees, commits, diffs, hand-over."""
