"""The forms in which documents state tasks, one module each, and the choice between them."""
