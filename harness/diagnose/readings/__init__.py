"""Counters of the kernel that are read while a target is recorded."""
