"""What approvals are bound to, sections that changed since, and what depends on those."""
