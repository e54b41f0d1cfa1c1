"""Projects and their roadmaps."""
