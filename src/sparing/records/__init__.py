"""Our own tables, one file a table. The database is the truth; documents are its projection."""
