"""Flame graphs: layout, SVG, folded stacks."""
