"""Counting slots on a live CPU: what to count together, windows of counts, and their statistics."""
