"""What comes next inside a stage: moves, tasks, review rounds, assistants. Pure."""
