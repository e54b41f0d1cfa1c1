"""Documents as values: markdown, tasks, sections, handoffs, reports."""
