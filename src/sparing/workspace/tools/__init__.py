"""Tools of our own for agents: look at files, change them, run a command; nothing but the worktree.

What they say is exact (line numbers, counts of what is left out), and pages itself: a result never
exceeds what a client passes on whole.
"""
