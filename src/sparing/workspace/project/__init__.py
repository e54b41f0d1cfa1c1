"""What a repository brings along: paths that must stay inside, secrets, project folders."""
