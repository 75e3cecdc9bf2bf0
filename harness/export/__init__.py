"""Exports for other systems."""
