"""From a job to a brief: everything that its prompt may say, read from commits and records."""
