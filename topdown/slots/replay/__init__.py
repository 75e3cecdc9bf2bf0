"""Counts from files: parsed, matched to a CPU model, and evaluated as a tree of slots."""
