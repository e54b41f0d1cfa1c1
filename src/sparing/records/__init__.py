"""Our own tables, one file per table. The database is the truth; documents are rendered from it."""
