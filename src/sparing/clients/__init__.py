"""Which client does the work, made ready from the settings and from what this machine has."""
