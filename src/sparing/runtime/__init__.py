"""What surrounds a run: a job's source, folders and clients, sandbox policies, worktree set-up."""
