"""Idle states of CPUs, and recordings of the intervals spent in them."""
