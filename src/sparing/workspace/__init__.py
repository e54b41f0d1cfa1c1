"""The user's repository: the one git runner, worktrees, commits, hand-over, checks, paths.

The user's checkout, index, stash, branches and configuration stay as they are, to the byte; the
one exception is a fast-forward that the user agreed to.
"""
