"""A capture folded to a weighted call tree."""
