"""Reviewers on planted defects."""
