"""Which sections of documents refer to each other, and what a change to one affects."""
