"""Tools of our own for agents: read and change files, run a command; only in the worktree.

Their results are exact (line numbers, counts of what is left out) and paged: a result never exceeds
what a client passes on untruncated.
"""
