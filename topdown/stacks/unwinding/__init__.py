"""Unwind tables for copied stacks."""
