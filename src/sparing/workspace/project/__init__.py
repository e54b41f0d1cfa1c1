"""What a repository contains: paths that must stay inside, secrets, project folders."""
