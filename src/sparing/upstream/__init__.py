"""What others did meanwhile: the base branch moved on, a pull request was commented."""
