"""Trials of reviewers on planted defects, and of tools on coding tasks."""
