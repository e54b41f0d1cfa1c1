"""What is remembered between features: the knowledge bank's pages, read and changed in place."""
