"""What others did in the meantime: the base branch moved, a pull request got comments."""
