"""Tasks become code: the task list, checks, evidence, waves and the implementation log."""
